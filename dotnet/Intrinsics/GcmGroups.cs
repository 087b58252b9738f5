using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Cngaes.Intrinsics;

/// <summary>
/// The inner loop of GCM: eight counter blocks are encrypted while eight blocks of ciphertext are hashed, one
/// before and seven in the first seven rounds, with one reduction a group.
/// </summary>
internal static unsafe class GcmGroups<TUnit>
    where TUnit : struct, ICryptoUnit
{
    private const int BlockBytes = 16;
    private const int GroupBytes = CounterMode<TUnit>.GroupBytes;

    /// <summary>
    /// Works on whole groups. `hashed` is the ciphertext that is hashed beside each group: the group itself when
    /// decrypting, the group before it when encrypting. No call is left in the loop.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static Vector128<ulong> Run(
        Vector128<byte>* keys, int rounds, Vector128<ulong>* powers, Vector128<uint> counter,
        Vector128<ulong> state, byte* input, byte* output, byte* hashed, nuint groups)
    {
        Vector128<byte>* beforeLast = keys + rounds - 1;
        for (; groups != 0; groups--)
        {
            Vector128<ulong> block = TUnit.ReverseBytes(Vector128.Load(hashed)).AsUInt64() ^ state;
            Vector128<ulong> power = *powers;
            Vector128<ulong> low = TUnit.MultiplyLow(block, power);
            Vector128<ulong> middle = TUnit.MultiplyCross(block, power);
            Vector128<ulong> high = TUnit.MultiplyHigh(block, power);
            Vector128<byte> key = *keys;
            Vector128<byte> b0 = TUnit.Begin(CounterMode<TUnit>.Next(ref counter), key);
            Vector128<byte> b1 = TUnit.Begin(CounterMode<TUnit>.Next(ref counter), key);
            Vector128<byte> b2 = TUnit.Begin(CounterMode<TUnit>.Next(ref counter), key);
            Vector128<byte> b3 = TUnit.Begin(CounterMode<TUnit>.Next(ref counter), key);
            Vector128<byte> b4 = TUnit.Begin(CounterMode<TUnit>.Next(ref counter), key);
            Vector128<byte> b5 = TUnit.Begin(CounterMode<TUnit>.Next(ref counter), key);
            Vector128<byte> b6 = TUnit.Begin(CounterMode<TUnit>.Next(ref counter), key);
            Vector128<byte> b7 = TUnit.Begin(CounterMode<TUnit>.Next(ref counter), key);
            Vector128<byte>* next = keys + 1 + TUnit.RoundKeyShift;
            for (int i = 1; i < CounterMode<TUnit>.Lanes; i++)
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
                block = TUnit.ReverseBytes(Vector128.Load(hashed + (i * BlockBytes))).AsUInt64();
                power = powers[i];
                low ^= TUnit.MultiplyLow(block, power);
                middle ^= TUnit.MultiplyCross(block, power);
                high ^= TUnit.MultiplyHigh(block, power);
            }

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

            state = GaloisHash<TUnit>.Reduce(low, middle, high);
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
            hashed += GroupBytes;
            input += GroupBytes;
            output += GroupBytes;
        }

        return state;
    }

    /// <summary>One group hashed by itself: the last one of an encryption.</summary>
    public static Vector128<ulong> Hash(Vector128<ulong>* powers, Vector128<ulong> state, byte* hashed)
    {
        Vector128<ulong> low = Vector128<ulong>.Zero;
        Vector128<ulong> middle = Vector128<ulong>.Zero;
        Vector128<ulong> high = Vector128<ulong>.Zero;
        for (int i = 0; i < CounterMode<TUnit>.Lanes; i++)
        {
            Vector128<ulong> block = TUnit.ReverseBytes(Vector128.Load(hashed + (i * BlockBytes))).AsUInt64() ^ state;
            state = Vector128<ulong>.Zero;
            low ^= TUnit.MultiplyLow(block, powers[i]);
            middle ^= TUnit.MultiplyCross(block, powers[i]);
            high ^= TUnit.MultiplyHigh(block, powers[i]);
        }

        return GaloisHash<TUnit>.Reduce(low, middle, high);
    }
}
