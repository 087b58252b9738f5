using System.Security.Cryptography;
using Cngaes.Workload;

namespace Cngaes.Tests;

/// <summary>The modes written over intrinsics: known answers, and the class library as judge of all lengths.</summary>
public class IntrinsicsTests
{
    private const int Guard = 32;
    private const int Longest = 400; // three groups of eight blocks and a rest

    public static TheoryData<string, int> UnitsAndKeys
    {
        get
        {
            TheoryData<string, int> rows = [];
            foreach (string unit in Units.Names)
            {
                rows.Add(unit, 16);
                rows.Add(unit, 24);
                rows.Add(unit, 32);
            }

            return rows;
        }
    }

    [Theory]
    [MemberData(nameof(Vectors.Blocks), MemberType = typeof(Vectors))]
    public void Single_blocks_are_as_in_FIPS_197(string key, string plain, string cipher)
    {
        foreach (IUnit unit in SupportedUnits())
        {
            Assert.Equal(Vectors.Bytes(cipher), unit.Block(Vectors.Bytes(key), Vectors.Bytes(plain)));
        }
    }

    [Theory]
    [MemberData(nameof(Vectors.Gcm), MemberType = typeof(Vectors))]
    public void Gcm_is_as_in_its_specification(
        string key, string nonce, string aad, string plain, string cipher, string tag)
    {
        foreach (IUnit unit in SupportedUnits())
        {
            byte[] output = new byte[plain.Length / 2];
            byte[] made = new byte[16];
            unit.GcmEncrypt(Vectors.Bytes(key), Vectors.Bytes(nonce), Vectors.Bytes(plain), output, made, Vectors.Bytes(aad));
            Assert.Equal(Vectors.Bytes(cipher), output);
            Assert.Equal(Vectors.Bytes(tag), made);
            unit.GcmDecrypt(Vectors.Bytes(key), Vectors.Bytes(nonce), Vectors.Bytes(cipher), made, output, Vectors.Bytes(aad));
            Assert.Equal(Vectors.Bytes(plain), output);
        }
    }

    [Theory]
    [MemberData(nameof(UnitsAndKeys))]
    public void Gcm_of_every_length_equals_the_class_librarys(string name, int keyBytes)
    {
        IUnit unit = Units.Get(name);
        (byte[] key, byte[] nonce) = (Data(keyBytes, 1), Data(12, 2));
        using AesGcm reference = new(key, 16);
        for (int length = 0; length <= Longest; length++)
        {
            (byte[] plain, byte[] aad) = (Data(length, 3), Data(length % 37, 4));
            byte[] expected = new byte[length];
            byte[] expectedTag = new byte[16];
            reference.Encrypt(nonce, plain, expected, expectedTag, aad);
            byte[] output = Guarded(length);
            byte[] tag = Guarded(16);
            unit.GcmEncrypt(key, nonce, plain, Inside(output), Inside(tag), aad);
            CheckGuarded(expected, output);
            CheckGuarded(expectedTag, tag);
            byte[] back = Guarded(length);
            unit.GcmDecrypt(key, nonce, expected, expectedTag, Inside(back), aad);
            CheckGuarded(plain, back);
            byte[] inPlace = [.. plain];
            unit.GcmEncrypt(key, nonce, inPlace, inPlace, tag.AsSpan(0, 16), aad);
            Assert.Equal(expected, inPlace);
            unit.GcmDecrypt(key, nonce, inPlace, expectedTag, inPlace, aad);
            Assert.Equal(plain, inPlace);
        }
    }

    [Theory]
    [MemberData(nameof(UnitsAndKeys))]
    public void A_wrong_bit_anywhere_gives_zeros_and_an_exception(string name, int keyBytes)
    {
        IUnit unit = Units.Get(name);
        (byte[] key, byte[] nonce, byte[] plain, byte[] aad) = (Data(keyBytes, 1), Data(12, 2), Data(300, 3), Data(20, 4));
        byte[] cipher = new byte[plain.Length];
        byte[] tag = new byte[16];
        unit.GcmEncrypt(key, nonce, plain, cipher, tag, aad);
        foreach (byte[] spoiled in new[] { cipher, tag, aad, nonce })
        {
            for (int at = 0; at < spoiled.Length; at += 7)
            {
                byte[] output = Data(plain.Length, 5);
                spoiled[at] ^= 0x10;
                Assert.Throws<AuthenticationTagMismatchException>(() => unit.GcmDecrypt(key, nonce, cipher, tag, output, aad));
                spoiled[at] ^= 0x10;
                Assert.All(output, value => Assert.Equal(0, value));
            }
        }
    }

    [Theory]
    [MemberData(nameof(UnitsAndKeys))]
    public void Ctr_carries_through_all_128_bits(string name, int keyBytes)
    {
        IUnit unit = Units.Get(name);
        byte[] key = Data(keyBytes, 1);
        using Aes aes = Aes.Create();
        aes.Key = key;
        foreach (string counter in new[]
        {
            "000102030405060708090a0b0c0d0e0f", "000102030405060708090a0bfffffffe", "0001020304050607fffffffffffffffd",
            "ffffffffffffffffffffffffffffffff", "000102030405060708090a0bfffffff8", "000102030405060708090a0bfffffff0",
        })
        {
            for (int length = 0; length <= Longest; length++)
            {
                byte[] input = Data(length, 3);
                byte[] expected = new byte[length];
                CounterReference.Apply(aes, Vectors.Bytes(counter), input, expected);
                byte[] output = Guarded(length);
                unit.Ctr(key, Vectors.Bytes(counter), input, Inside(output));
                CheckGuarded(expected, output);
                unit.Ctr(key, Vectors.Bytes(counter), input, input);
                Assert.Equal(expected, input);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Units.Supported), MemberType = typeof(Units))]
    public void Wrong_sizes_are_named(string name)
    {
        IUnit unit = Units.Get(name);
        byte[] tag = new byte[16];
        Check("key", "not 15", () => unit.Block(new byte[15], new byte[16]));
        Check("nonce", "not 11", () => unit.GcmEncrypt(new byte[16], new byte[11], [], [], tag, []));
        Check("output", "3 bytes, the input 2", () => unit.GcmEncrypt(new byte[16], new byte[12], new byte[2], new byte[3], tag, []));
        Check("tag", "not 12", () => unit.GcmDecrypt(new byte[16], new byte[12], [], new byte[12], [], []));
        Check("counter", "not 12", () => unit.Ctr(new byte[16], new byte[12], [], []));
        Check("output", "3 bytes, the input 2", () => unit.Ctr(new byte[16], new byte[16], new byte[2], new byte[3]));

        static void Check(string parameter, string words, Action call)
        {
            ArgumentException error = Assert.Throws<ArgumentException>(call);
            Assert.Equal(parameter, error.ParamName);
            Assert.Contains(words, error.Message, StringComparison.Ordinal);
        }
    }

    private static IEnumerable<IUnit> SupportedUnits() => Units.Names.Select(Units.Get);

    private static byte[] Data(int length, uint seed) => Xorshift.Block(seed, length);

    private static byte[] Guarded(int length)
    {
        byte[] buffer = new byte[length + (2 * Guard)];
        Array.Fill(buffer, (byte)0x5a);
        return buffer;
    }

    private static Span<byte> Inside(byte[] guarded) => guarded.AsSpan(Guard, guarded.Length - (2 * Guard));

    private static void CheckGuarded(byte[] expected, byte[] guarded)
    {
        Assert.Equal(expected, Inside(guarded).ToArray());
        Assert.All(guarded[..Guard].Concat(guarded[^Guard..]), value => Assert.Equal(0x5a, value));
    }
}
