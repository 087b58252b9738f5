using System.Security.Cryptography;

namespace Cngaes.Workload;

/// <summary>CTR by way of ECB over counter blocks (SP 800-38A 6.5), since .NET has no CTR: a reference, not a path.</summary>
internal static class CounterReference
{
    private const int Batch = 1 << 16;

    public static void Apply(Aes aes, ReadOnlySpan<byte> counter, ReadOnlySpan<byte> input, Span<byte> output)
    {
        UInt128 next = System.Buffers.Binary.BinaryPrimitives.ReadUInt128BigEndian(counter);
        byte[] counters = new byte[Batch];
        byte[] stream = new byte[Batch];
        for (int start = 0; start < input.Length; start += Batch)
        {
            for (int at = 0; at < Batch; at += Case.BlockSize)
            {
                System.Buffers.Binary.BinaryPrimitives.WriteUInt128BigEndian(counters.AsSpan(at), next++);
            }

            aes.EncryptEcb(counters, stream, PaddingMode.None);
            int stop = Math.Min(start + Batch, input.Length);
            for (int i = start; i < stop; i++)
            {
                output[i] = (byte)(input[i] ^ stream[i - start]);
            }
        }
    }
}
