using System.Runtime.Intrinsics;

namespace Cngaes.Intrinsics;

/// <summary>
/// One instruction set's AES and carry-less multiplication. The modes are written once over this interface; a
/// struct as type argument makes the JIT compile them anew for each unit, with every call inlined.
/// </summary>
internal interface ICryptoUnit
{
    static abstract string Name { get; }

    static abstract bool IsSupported { get; }

    /// <summary>
    /// Which key round r takes, less r: x86 adds the round key at the end of a round (0), Arm at the beginning
    /// of the next one (-1).
    /// </summary>
    static abstract int RoundKeyShift { get; }

    /// <summary>What comes before the first round.</summary>
    static abstract Vector128<byte> Begin(Vector128<byte> block, Vector128<byte> firstKey);

    /// <summary>A full round; `key` is number r + RoundKeyShift in round r = 1, 2 ...</summary>
    static abstract Vector128<byte> Round(Vector128<byte> block, Vector128<byte> key);

    /// <summary>The last round, which mixes no columns.</summary>
    static abstract Vector128<byte> LastRound(Vector128<byte> block, Vector128<byte> keyBefore, Vector128<byte> lastKey);

    /// <summary>Carry-less product of the lower halves.</summary>
    static abstract Vector128<ulong> MultiplyLow(Vector128<ulong> a, Vector128<ulong> b);

    /// <summary>Carry-less product of the upper halves.</summary>
    static abstract Vector128<ulong> MultiplyHigh(Vector128<ulong> a, Vector128<ulong> b);

    /// <summary>Sum of the two crosswise products.</summary>
    static abstract Vector128<ulong> MultiplyCross(Vector128<ulong> a, Vector128<ulong> b);

    /// <summary>All 16 bytes in the opposite order.</summary>
    static abstract Vector128<byte> ReverseBytes(Vector128<byte> block);
}
