using System.Runtime.CompilerServices;
using Cngaes.Workload;
using static Cngaes.Paths.Bcrypt.NativeMethods;

namespace Cngaes.Paths.Bcrypt;

/// <summary>CBC and ECB over whole blocks. CNG writes the last block into the IV, so each call has a copy.</summary>
internal sealed unsafe class BcryptBlockEngine(Direction direction, byte[] key, string chainingMode, byte[] iv) : IEngine
{
    // Wine 8 goes on with the chain when an IV repeats, so a key serves one CBC message there.
    private static readonly bool s_wine = WineVersion.Found;
    private BcryptKey _key = new(key, chainingMode);
    private bool _used;

    public string Api => direction == Direction.Encrypt ? nameof(BCryptEncrypt) : nameof(BCryptDecrypt);

    public void Run(byte[] input, byte[] output, byte[] tag)
    {
        if (s_wine && _used && iv.Length != 0)
        {
            _key.Dispose();
            _key = new BcryptKey(key, chainingMode);
        }

        _used = true;
        Block copy = default;
        iv.CopyTo((Span<byte>)copy);
        fixed (byte* source = input, target = output)
        {
            byte* chain = iv.Length == 0 ? null : (byte*)&copy;
            (uint read, uint room, uint ivLength) = ((uint)input.Length, (uint)output.Length, (uint)iv.Length);
            int status = direction == Direction.Encrypt
                ? BCryptEncrypt(_key.Handle, source, read, null, chain, ivLength, target, room, out uint written, 0)
                : BCryptDecrypt(_key.Handle, source, read, null, chain, ivLength, target, room, out written, 0);
            BcryptException.ThrowUnless(status == StatusSuccess && written == room, Api, status);
        }
    }

    public void Dispose() => _key.Dispose();

    [InlineArray(Case.BlockSize)]
    private struct Block
    {
        private byte _first;
    }
}
