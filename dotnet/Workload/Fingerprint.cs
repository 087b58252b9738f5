using System.Security.Cryptography;

namespace Cngaes.Workload;

/// <summary>First 8 bytes, last 16 and SHA-256 of body and tag together, in hex.</summary>
internal sealed record Fingerprint(string First8, string Last16, string Sha256)
{
    private const int Head = 8;
    private const int Tail = 16;

    public static Fingerprint Of(Output output)
    {
        using IncrementalHash hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        hash.AppendData(output.Body);
        hash.AppendData(output.Tag);
        ReadOnlySpan<byte> body = output.Body;
        byte[] head = [.. body[..Math.Min(Head, body.Length)], .. output.Tag];
        byte[] tail = [.. body[Math.Max(0, body.Length - Tail)..], .. output.Tag];
        return new Fingerprint(
            Hex(head.AsSpan(0, Math.Min(Head, head.Length))),
            Hex(tail.AsSpan(Math.Max(0, tail.Length - Tail))),
            Hex(hash.GetHashAndReset()));
    }

    private static string Hex(ReadOnlySpan<byte> bytes) => Convert.ToHexStringLower(bytes);
}
