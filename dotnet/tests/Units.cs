using Cngaes.Intrinsics;

namespace Cngaes.Tests;

/// <summary>The instruction sets of this CPU, without their type parameter.</summary>
public static class Units
{
    private static readonly IUnit[] s_all = [new Unit<X86Unit>("x86"), new Unit<ArmUnit>("arm")];

    public static TheoryData<string> Supported => [.. Names];

    internal static IEnumerable<string> Names => s_all.Where(unit => unit.IsSupported).Select(unit => unit.Name);

    internal static IUnit Get(string name) => s_all.Single(unit => unit.Name == name);
}

internal interface IUnit
{
    string Name { get; }

    bool IsSupported { get; }

    byte[] Block(byte[] key, byte[] block);

    void Ctr(byte[] key, byte[] counter, ReadOnlySpan<byte> input, Span<byte> output);

    void GcmEncrypt(byte[] key, byte[] nonce, ReadOnlySpan<byte> input, Span<byte> output, Span<byte> tag, byte[] aad);

    void GcmDecrypt(byte[] key, byte[] nonce, ReadOnlySpan<byte> input, byte[] tag, Span<byte> output, byte[] aad);
}

internal sealed class Unit<TUnit>(string name) : IUnit
    where TUnit : struct, ICryptoUnit
{
    public string Name => name;

    public bool IsSupported => TUnit.IsSupported;

    public byte[] Block(byte[] key, byte[] block)
    {
        using AesKey<TUnit> aes = new(key);
        byte[] output = new byte[16];
        System.Runtime.Intrinsics.Vector128.CopyTo(
            aes.EncryptBlock(System.Runtime.Intrinsics.Vector128.Create(block)), output);
        return output;
    }

    public void Ctr(byte[] key, byte[] counter, ReadOnlySpan<byte> input, Span<byte> output)
    {
        using AesCtr<TUnit> ctr = new(key);
        ctr.Apply(counter, input, output);
    }

    public void GcmEncrypt(
        byte[] key, byte[] nonce, ReadOnlySpan<byte> input, Span<byte> output, Span<byte> tag, byte[] aad)
    {
        using AesGcm<TUnit> gcm = new(key);
        gcm.Encrypt(nonce, input, output, tag, aad);
    }

    public void GcmDecrypt(
        byte[] key, byte[] nonce, ReadOnlySpan<byte> input, byte[] tag, Span<byte> output, byte[] aad)
    {
        using AesGcm<TUnit> gcm = new(key);
        gcm.Decrypt(nonce, input, tag, output, aad);
    }
}
