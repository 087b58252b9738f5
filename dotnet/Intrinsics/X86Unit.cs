using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace Cngaes.Intrinsics;

/// <summary>AES-NI and PCLMULQDQ.</summary>
internal readonly struct X86Unit : ICryptoUnit
{
    public static string Name => "x86 AES-NI, PCLMULQDQ";

    public static bool IsSupported => Aes.IsSupported && Pclmulqdq.IsSupported && Ssse3.IsSupported;

    public static int RoundKeyShift => 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<byte> Begin(Vector128<byte> block, Vector128<byte> firstKey) => block ^ firstKey;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<byte> Round(Vector128<byte> block, Vector128<byte> key) => Aes.Encrypt(block, key);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<byte> LastRound(Vector128<byte> block, Vector128<byte> keyBefore, Vector128<byte> lastKey) =>
        Aes.EncryptLast(block, lastKey);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> MultiplyLow(Vector128<ulong> a, Vector128<ulong> b) =>
        Pclmulqdq.CarrylessMultiply(a, b, 0x00);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> MultiplyHigh(Vector128<ulong> a, Vector128<ulong> b) =>
        Pclmulqdq.CarrylessMultiply(a, b, 0x11);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> MultiplyCross(Vector128<ulong> a, Vector128<ulong> b) =>
        Pclmulqdq.CarrylessMultiply(a, b, 0x10) ^ Pclmulqdq.CarrylessMultiply(a, b, 0x01);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<byte> ReverseBytes(Vector128<byte> block) =>
        Ssse3.Shuffle(block, Vector128.Create((byte)15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
}
