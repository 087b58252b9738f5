using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Cngaes.Intrinsics;

/// <summary>
/// Counter blocks and their keystream. A counter is kept with its bytes reversed, so that the part that counts
/// is the lowest lane. Here it counts 32 bits (inc32 of SP 800-38D); <see cref="AesCtr{TUnit}"/> carries further.
/// </summary>
internal static unsafe class CounterMode<TUnit>
    where TUnit : struct, ICryptoUnit
{
    public const int Lanes = 8;
    public const int GroupBytes = Lanes * BlockBytes;
    private const int BlockBytes = 16;

    /// <summary>The counter `number` blocks later.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<uint> Later(Vector128<uint> counter, uint number) =>
        counter + Vector128.CreateScalar(number);

    /// <summary>The counter as the cipher takes it; `counter` goes on to the next one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<byte> Next(ref Vector128<uint> counter)
    {
        // One constant for all eight: a constant each would take the registers that the rounds need.
        Vector128<byte> block = TUnit.ReverseBytes(counter.AsByte());
        counter = Later(counter, 1);
        return block;
    }

    public static Vector128<uint> FromBytes(ReadOnlySpan<byte> block) =>
        TUnit.ReverseBytes(Vector128.Create(block)).AsUInt32();

    /// <summary>Whole groups of eight blocks. No call is left in the loop: all of it is inlined.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static Vector128<uint> Groups(
        Vector128<byte>* keys, int rounds, Vector128<uint> counter, byte* input, byte* output, nuint groups)
    {
        Vector128<byte>* beforeLast = keys + rounds - 1;
        for (; groups != 0; groups--)
        {
            Vector128<byte> key = *keys;
            Vector128<byte> b0 = TUnit.Begin(Next(ref counter), key);
            Vector128<byte> b1 = TUnit.Begin(Next(ref counter), key);
            Vector128<byte> b2 = TUnit.Begin(Next(ref counter), key);
            Vector128<byte> b3 = TUnit.Begin(Next(ref counter), key);
            Vector128<byte> b4 = TUnit.Begin(Next(ref counter), key);
            Vector128<byte> b5 = TUnit.Begin(Next(ref counter), key);
            Vector128<byte> b6 = TUnit.Begin(Next(ref counter), key);
            Vector128<byte> b7 = TUnit.Begin(Next(ref counter), key);
            Vector128<byte>* next = keys + 1 + TUnit.RoundKeyShift;
            do
            {
                key = *next++;
                b0 = TUnit.Round(b0, key);
                b1 = TUnit.Round(b1, key);
                b2 = TUnit.Round(b2, key);
                b3 = TUnit.Round(b3, key);
                b4 = TUnit.Round(b4, key);
                b5 = TUnit.Round(b5, key);
                b6 = TUnit.Round(b6, key);
                b7 = TUnit.Round(b7, key);
            }
            while (next <= beforeLast + TUnit.RoundKeyShift);

            key = *beforeLast;
            Vector128<byte> last = beforeLast[1];
            (Vector128.Load(input) ^ TUnit.LastRound(b0, key, last)).Store(output);
            (Vector128.Load(input + 16) ^ TUnit.LastRound(b1, key, last)).Store(output + 16);
            (Vector128.Load(input + 32) ^ TUnit.LastRound(b2, key, last)).Store(output + 32);
            (Vector128.Load(input + 48) ^ TUnit.LastRound(b3, key, last)).Store(output + 48);
            (Vector128.Load(input + 64) ^ TUnit.LastRound(b4, key, last)).Store(output + 64);
            (Vector128.Load(input + 80) ^ TUnit.LastRound(b5, key, last)).Store(output + 80);
            (Vector128.Load(input + 96) ^ TUnit.LastRound(b6, key, last)).Store(output + 96);
            (Vector128.Load(input + 112) ^ TUnit.LastRound(b7, key, last)).Store(output + 112);
            input += GroupBytes;
            output += GroupBytes;
        }

        return counter;
    }

    /// <summary>What is left after the groups, block by block; the last one may be short.</summary>
    public static Vector128<uint> Rest(
        AesKey<TUnit> key, Vector128<uint> counter, ReadOnlySpan<byte> input, Span<byte> output)
    {
        Span<byte> stream = stackalloc byte[BlockBytes];
        while (!input.IsEmpty)
        {
            key.EncryptBlock(Next(ref counter)).CopyTo(stream);
            int length = Math.Min(BlockBytes, input.Length);
            for (int i = 0; i < length; i++)
            {
                output[i] = (byte)(input[i] ^ stream[i]);
            }

            input = input[length..];
            output = output[length..];
        }

        stream.Clear();
        return counter;
    }
}
