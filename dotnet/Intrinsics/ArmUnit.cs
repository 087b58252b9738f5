using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.Arm;
using ArmAes = System.Runtime.Intrinsics.Arm.Aes;

namespace Cngaes.Intrinsics;

/// <summary>ARMv8 AES and PMULL.</summary>
internal readonly struct ArmUnit : ICryptoUnit
{
    public static string Name => "Arm AES, PMULL";

    public static bool IsSupported => ArmAes.IsSupported && AdvSimd.Arm64.IsSupported;

    public static int RoundKeyShift => -1;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<byte> Begin(Vector128<byte> block, Vector128<byte> firstKey) => block;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<byte> Round(Vector128<byte> block, Vector128<byte> key) =>
        ArmAes.MixColumns(ArmAes.Encrypt(block, key));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<byte> LastRound(Vector128<byte> block, Vector128<byte> keyBefore, Vector128<byte> lastKey) =>
        ArmAes.Encrypt(block, keyBefore) ^ lastKey;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> MultiplyLow(Vector128<ulong> a, Vector128<ulong> b) =>
        ArmAes.PolynomialMultiplyWideningLower(a.GetLower(), b.GetLower());

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> MultiplyHigh(Vector128<ulong> a, Vector128<ulong> b) =>
        ArmAes.PolynomialMultiplyWideningUpper(a, b);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> MultiplyCross(Vector128<ulong> a, Vector128<ulong> b)
    {
        Vector128<ulong> swapped = AdvSimd.ExtractVector128(b, b, 1);
        return ArmAes.PolynomialMultiplyWideningLower(a.GetLower(), swapped.GetLower())
            ^ ArmAes.PolynomialMultiplyWideningUpper(a, swapped);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<byte> ReverseBytes(Vector128<byte> block)
    {
        Vector128<byte> halves = AdvSimd.ReverseElement8(block.AsUInt64()).AsByte();
        return AdvSimd.ExtractVector128(halves, halves, 8);
    }
}
