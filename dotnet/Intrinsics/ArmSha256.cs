using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.Arm;

namespace Cngaes.Intrinsics;

/// <summary>SHA-256 (FIPS 180-4) with ARMv8's instructions. The class library of .NET 10 has none for x86.</summary>
internal static unsafe class ArmSha256
{
    private const int BlockBytes = 64;
    private const int LengthBytes = 8;
    private const int Quads = 16;

    // FIPS 180-4 section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static readonly uint[] s_constants =
    [
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    ];

    public static bool IsSupported => Sha256.IsSupported && AdvSimd.Arm64.IsSupported;

    public static void Hash(ReadOnlySpan<byte> data, Span<byte> digest)
    {
        // Section 5.3.3: square roots of the first eight primes.
        Vector128<uint> abcd = Vector128.Create(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a);
        Vector128<uint> efgh = Vector128.Create(0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);
        int bulk = data.Length - (data.Length % BlockBytes);
        fixed (byte* source = data)
        {
            (abcd, efgh) = Blocks(abcd, efgh, source, (nuint)(bulk / BlockBytes));
        }

        Span<byte> last = stackalloc byte[2 * BlockBytes];
        last.Clear();
        ReadOnlySpan<byte> rest = data[bulk..];
        rest.CopyTo(last);
        last[rest.Length] = 0x80;
        int length = rest.Length + 1 + LengthBytes <= BlockBytes ? BlockBytes : 2 * BlockBytes;
        BinaryPrimitives.WriteUInt64BigEndian(last[(length - LengthBytes)..], (ulong)data.Length * 8);
        fixed (byte* source = last)
        {
            (abcd, efgh) = Blocks(abcd, efgh, source, (nuint)(length / BlockBytes));
        }

        AdvSimd.ReverseElement8(abcd).AsByte().CopyTo(digest);
        AdvSimd.ReverseElement8(efgh).AsByte().CopyTo(digest[16..]);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static (Vector128<uint> Abcd, Vector128<uint> Efgh) Blocks(
        Vector128<uint> abcd, Vector128<uint> efgh, byte* source, nuint blocks)
    {
        fixed (uint* constants = s_constants)
        {
            for (; blocks != 0; blocks--, source += BlockBytes)
            {
                (Vector128<uint> abcdBefore, Vector128<uint> efghBefore) = (abcd, efgh);
                Vector128<uint> w0 = Words(source);
                Vector128<uint> w1 = Words(source + 16);
                Vector128<uint> w2 = Words(source + 32);
                Vector128<uint> w3 = Words(source + 48);
                for (int quad = 0; quad < Quads; quad++)
                {
                    Vector128<uint> sum = w0 + Vector128.Load(constants + (4 * quad));
                    Vector128<uint> abcdHere = abcd;
                    abcd = Sha256.HashUpdate1(abcd, efgh, sum);
                    efgh = Sha256.HashUpdate2(efgh, abcdHere, sum);
                    // The last four schedules are not used: four of sixteen, for one loop instead of two.
                    Vector128<uint> next = Sha256.ScheduleUpdate1(Sha256.ScheduleUpdate0(w0, w1), w2, w3);
                    (w0, w1, w2, w3) = (w1, w2, w3, next);
                }

                abcd += abcdBefore;
                efgh += efghBefore;
            }
        }

        return (abcd, efgh);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<uint> Words(byte* source) =>
        AdvSimd.ReverseElement8(Vector128.Load((uint*)source));
}
