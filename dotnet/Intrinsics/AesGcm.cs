using System.Buffers.Binary;
using System.Runtime.Intrinsics;
using System.Security.Cryptography;

namespace Cngaes.Intrinsics;

/// <summary>AES-GCM (SP 800-38D) with 12-byte nonces and 16-byte tags.</summary>
internal sealed unsafe class AesGcm<TUnit> : IDisposable
    where TUnit : struct, ICryptoUnit
{
    private const int NonceBytes = 12;
    private const int BlockBytes = 16;
    private const int GroupBytes = CounterMode<TUnit>.GroupBytes;
    private readonly AesKey<TUnit> _key;
    private readonly GaloisHash<TUnit> _hash;

    public AesGcm(ReadOnlySpan<byte> key)
    {
        _key = new AesKey<TUnit>(key);
        _hash = new GaloisHash<TUnit>(_key.EncryptBlock(Vector128<byte>.Zero));
    }

    public void Encrypt(
        ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plaintext, Span<byte> ciphertext, Span<byte> tag,
        ReadOnlySpan<byte> associatedData = default)
    {
        CheckSizes(nonce, plaintext.Length, ciphertext.Length, tag.Length);
        Vector128<uint> first = FirstCounter(nonce);
        Vector128<uint> counter = CounterMode<TUnit>.Later(first, 1);
        Vector128<ulong> state = _hash.Add(Vector128<ulong>.Zero, associatedData);
        int bulk = plaintext.Length - (plaintext.Length % GroupBytes);
        if (bulk != 0)
        {
            nuint groups = (nuint)(bulk / GroupBytes);
            fixed (byte* input = plaintext, output = ciphertext)
            {
                Vector128<uint> second = CounterMode<TUnit>.Groups(_key.Keys, _key.Rounds, counter, input, output, 1);
                state = GcmGroups<TUnit>.Run(
                    _key.Keys, _key.Rounds, _hash.Powers, second, state,
                    input + GroupBytes, output + GroupBytes, output, groups - 1);
                state = GcmGroups<TUnit>.Hash(_hash.Powers, state, output + bulk - GroupBytes);
            }

            counter = CounterMode<TUnit>.Later(counter, (uint)(bulk / BlockBytes));
        }

        CounterMode<TUnit>.Rest(_key, counter, plaintext[bulk..], ciphertext[bulk..]);
        state = _hash.Add(state, ciphertext[bulk..]);
        Finish(state, first, associatedData.Length, plaintext.Length).CopyTo(tag);
    }

    /// <summary>Throws <see cref="AuthenticationTagMismatchException"/>; the output is zeros then.</summary>
    public void Decrypt(
        ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> ciphertext, ReadOnlySpan<byte> tag, Span<byte> plaintext,
        ReadOnlySpan<byte> associatedData = default)
    {
        CheckSizes(nonce, ciphertext.Length, plaintext.Length, tag.Length);
        Vector128<uint> first = FirstCounter(nonce);
        Vector128<uint> counter = CounterMode<TUnit>.Later(first, 1);
        Vector128<ulong> state = _hash.Add(Vector128<ulong>.Zero, associatedData);
        int bulk = ciphertext.Length - (ciphertext.Length % GroupBytes);
        fixed (byte* input = ciphertext, output = plaintext)
        {
            state = GcmGroups<TUnit>.Run(
                _key.Keys, _key.Rounds, _hash.Powers, counter, state, input, output, input, (nuint)(bulk / GroupBytes));
        }

        counter = CounterMode<TUnit>.Later(counter, (uint)(bulk / BlockBytes));
        state = _hash.Add(state, ciphertext[bulk..]);
        CounterMode<TUnit>.Rest(_key, counter, ciphertext[bulk..], plaintext[bulk..]);
        Span<byte> right = stackalloc byte[BlockBytes];
        Finish(state, first, associatedData.Length, ciphertext.Length).CopyTo(right);
        if (!CryptographicOperations.FixedTimeEquals(right, tag))
        {
            plaintext.Clear();
            throw new AuthenticationTagMismatchException();
        }
    }

    public void Dispose()
    {
        _hash.Dispose();
        _key.Dispose();
    }

    private static void CheckSizes(ReadOnlySpan<byte> nonce, int input, int output, int tag)
    {
        if (nonce.Length != NonceBytes)
        {
            throw new ArgumentException($"a nonce has {NonceBytes} bytes here, not {nonce.Length}", nameof(nonce));
        }

        if (output != input)
        {
            throw new ArgumentException($"the output has {output} bytes, the input {input}", nameof(output));
        }

        if (tag != BlockBytes)
        {
            throw new ArgumentException($"a tag has {BlockBytes} bytes here, not {tag}", nameof(tag));
        }
    }

    private static Vector128<uint> FirstCounter(ReadOnlySpan<byte> nonce)
    {
        Span<byte> block = stackalloc byte[BlockBytes];
        nonce.CopyTo(block);
        block[NonceBytes..].Clear();
        block[^1] = 1;
        return CounterMode<TUnit>.FromBytes(block);
    }

    private Vector128<byte> Finish(Vector128<ulong> state, Vector128<uint> first, int associated, int length)
    {
        Span<byte> lengths = stackalloc byte[BlockBytes];
        BinaryPrimitives.WriteUInt64BigEndian(lengths, (ulong)associated * 8);
        BinaryPrimitives.WriteUInt64BigEndian(lengths[8..], (ulong)length * 8);
        state = _hash.Add(state, lengths);
        return TUnit.ReverseBytes(state.AsByte()) ^ _key.EncryptBlock(CounterMode<TUnit>.Next(ref first));
    }
}
