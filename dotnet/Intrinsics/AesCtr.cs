using System.Runtime.Intrinsics;

namespace Cngaes.Intrinsics;

/// <summary>AES-CTR with a 128-bit big-endian counter (SP 800-38A section 6.5).</summary>
internal sealed unsafe class AesCtr<TUnit>(ReadOnlySpan<byte> key) : IDisposable
    where TUnit : struct, ICryptoUnit
{
    private const int BlockBytes = 16;
    private readonly AesKey<TUnit> _key = new(key);

    /// <summary>Encrypts or decrypts; both are the same. `output` may be `input`.</summary>
    public void Apply(ReadOnlySpan<byte> counter, ReadOnlySpan<byte> input, Span<byte> output)
    {
        if (counter.Length != BlockBytes)
        {
            throw new ArgumentException($"a counter has {BlockBytes} bytes, not {counter.Length}", nameof(counter));
        }

        if (output.Length != input.Length)
        {
            throw new ArgumentException($"the output has {output.Length} bytes, the input {input.Length}", nameof(output));
        }

        Vector128<uint> next = CounterMode<TUnit>.FromBytes(counter);
        while (!input.IsEmpty)
        {
            // Up to where the lowest 32 bits run over; then the carry goes up by hand.
            long blocks = (1L << 32) - next.ToScalar();
            int length = (int)Math.Min(input.Length, blocks * BlockBytes);
            ApplyRun(next, input[..length], output[..length]);
            input = input[length..];
            output = output[length..];
            next = Carry(next);
        }
    }

    public void Dispose() => _key.Dispose();

    private void ApplyRun(Vector128<uint> counter, ReadOnlySpan<byte> input, Span<byte> output)
    {
        int bulk = input.Length - (input.Length % CounterMode<TUnit>.GroupBytes);
        fixed (byte* source = input, target = output)
        {
            counter = CounterMode<TUnit>.Groups(
                _key.Keys, _key.Rounds, counter, source, target, (nuint)(bulk / CounterMode<TUnit>.GroupBytes));
        }

        CounterMode<TUnit>.Rest(_key, counter, input[bulk..], output[bulk..]);
    }

    private static Vector128<uint> Carry(Vector128<uint> counter)
    {
        Vector128<ulong> halves = counter.AsUInt64();
        UInt128 value = new(halves.GetElement(1), halves.GetElement(0));
        value = ((value >> 32) + 1) << 32;
        return Vector128.Create((ulong)value, (ulong)(value >> 64)).AsUInt32();
    }
}
