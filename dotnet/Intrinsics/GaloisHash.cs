using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Cngaes.Intrinsics;

/// <summary>
/// GHASH (SP 800-38D section 6.4) over byte-reversed blocks, as POLYVAL of RFC 8452: appendix A shows that
/// GHASH(H, X) is POLYVAL(x * H, X) with the bytes of every block reversed. Its product needs no shift, and its
/// reduction is two multiplications by x^63 + x^62 + x^57 (0xc2 and 56 zero bits).
/// </summary>
internal sealed unsafe class GaloisHash<TUnit> : IDisposable
    where TUnit : struct, ICryptoUnit
{
    public const int Lanes = 8;
    private const ulong Reduction = 0xc200000000000000;
    private readonly SecretVectors _powers = new(Lanes);

    /// <summary>Takes the hash key H = AES(0), as it comes out of the cipher.</summary>
    public GaloisHash(Vector128<byte> hashKey)
    {
        Vector128<ulong> first = TimesX(TUnit.ReverseBytes(hashKey).AsUInt64());
        Vector128<ulong> power = first;
        for (int i = Lanes - 1; i >= 0; i--)
        {
            Powers[i] = power;
            power = Multiply(power, first);
        }
    }

    /// <summary>H^8, H^7 ... H^1: block i of a group of eight is multiplied by number i.</summary>
    public Vector128<ulong>* Powers => (Vector128<ulong>*)_powers.At;

    /// <summary>Takes one block in.</summary>
    public Vector128<ulong> Add(Vector128<ulong> state, Vector128<byte> block) =>
        Multiply(state ^ TUnit.ReverseBytes(block).AsUInt64(), Powers[Lanes - 1]);

    /// <summary>Takes bytes in; the last block is filled up with zeros.</summary>
    public Vector128<ulong> Add(Vector128<ulong> state, ReadOnlySpan<byte> data)
    {
        Span<byte> block = stackalloc byte[Vector128<byte>.Count];
        while (!data.IsEmpty)
        {
            int length = Math.Min(block.Length, data.Length);
            block.Clear();
            data[..length].CopyTo(block);
            state = Add(state, Vector128.Create<byte>(block));
            data = data[length..];
        }

        return state;
    }

    public void Dispose() => _powers.Dispose();

    /// <summary>The 256-bit product (upper, middle, lower) brought back to 128 bits.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> Reduce(Vector128<ulong> low, Vector128<ulong> middle, Vector128<ulong> high)
    {
        Vector128<ulong> polynomial = Vector128.CreateScalar(Reduction);
        low ^= Vector128.Create(0UL, middle.ToScalar());
        high ^= Vector128.CreateScalar(middle.GetElement(1));
        low = Swap(low) ^ TUnit.MultiplyLow(low, polynomial);
        low = Swap(low) ^ TUnit.MultiplyLow(low, polynomial);
        return low ^ high;
    }

    private static Vector128<ulong> Multiply(Vector128<ulong> a, Vector128<ulong> b) =>
        Reduce(TUnit.MultiplyLow(a, b), TUnit.MultiplyCross(a, b), TUnit.MultiplyHigh(a, b));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<ulong> Swap(Vector128<ulong> value) =>
        Vector128.Shuffle(value, Vector128.Create(1UL, 0UL));

    // mulX_POLYVAL of RFC 8452: a shift by one bit, and the polynomial for the bit that falls out.
    private static Vector128<ulong> TimesX(Vector128<ulong> value)
    {
        (ulong low, ulong high) = (value.GetElement(0), value.GetElement(1));
        ulong carry = 0 - (high >> 63);
        return Vector128.Create((low << 1) ^ (carry & 1), ((high << 1) | (low >> 63)) ^ (carry & Reduction));
    }
}
