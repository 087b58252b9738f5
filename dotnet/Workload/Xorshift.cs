namespace Cngaes.Workload;

/// <summary>The article's generator: xorshift32 (13, 17, 5), low byte of each new state.</summary>
internal static class Xorshift
{
    public const uint ArticleSeed = 20260807;
    public const uint RandomSeed = 1123581321;
    public const int BlockSize = 1 << 20;

    public static byte[] Block(uint seed, int size = BlockSize)
    {
        byte[] block = new byte[size];
        uint state = seed;
        for (int i = 0; i < block.Length; i++)
        {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            block[i] = (byte)state;
        }

        return block;
    }
}
