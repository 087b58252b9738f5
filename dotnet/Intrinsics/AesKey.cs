using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Cngaes.Intrinsics;

/// <summary>An AES key expanded for encryption (FIPS 197 section 5.2), and single blocks.</summary>
internal sealed unsafe class AesKey<TUnit> : IDisposable
    where TUnit : struct, ICryptoUnit
{
    private const int MostRounds = 14;
    private readonly SecretVectors _keys = new(MostRounds + 1);

    public AesKey(ReadOnlySpan<byte> key)
    {
        if (key.Length is not (16 or 24 or 32))
        {
            throw new ArgumentException($"a key has 16, 24 or 32 bytes, not {key.Length}", nameof(key));
        }

        Rounds = (key.Length / 4) + 6;
        Expand(key);
    }

    /// <summary>Number of rounds: 10, 12 or 14; there is one key more.</summary>
    public int Rounds { get; }

    public Vector128<byte>* Keys => _keys.At;

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public Vector128<byte> EncryptBlock(Vector128<byte> block)
    {
        Vector128<byte>* keys = Keys;
        block = TUnit.Begin(block, keys[0]);
        for (int round = 1; round < Rounds; round++)
        {
            block = TUnit.Round(block, keys[round + TUnit.RoundKeyShift]);
        }

        return TUnit.LastRound(block, keys[Rounds - 1], keys[Rounds]);
    }

    public void Dispose() => _keys.Dispose();

    private void Expand(ReadOnlySpan<byte> key)
    {
        uint* words = (uint*)Keys;
        int length = key.Length / 4;
        int count = 4 * (Rounds + 1);
        for (int i = 0; i < length; i++)
        {
            words[i] = BinaryPrimitives.ReadUInt32LittleEndian(key[(4 * i)..]);
        }

        byte constant = 1;
        for (int i = length; i < count; i++)
        {
            uint word = words[i - 1];
            if (i % length == 0)
            {
                // The words are little-endian here, so FIPS 197's rotation to the left is one to the right.
                word = BitOperations.RotateRight(SubstituteWord(word), 8) ^ constant;
                constant = (byte)((constant << 1) ^ ((constant >> 7) * 0x1b));
            }
            else if (length > 6 && i % length == 4)
            {
                word = SubstituteWord(word);
            }

            words[i] = words[i - length] ^ word;
        }
    }

    // A last round with zero keys is SubBytes and ShiftRows; with four equal columns rows do not change.
    private static uint SubstituteWord(uint word) =>
        TUnit.LastRound(Vector128.Create(word).AsByte(), Vector128<byte>.Zero, Vector128<byte>.Zero)
            .AsUInt32().ToScalar();
}
