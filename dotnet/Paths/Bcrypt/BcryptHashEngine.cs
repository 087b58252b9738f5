using static Cngaes.Paths.Bcrypt.NativeMethods;

namespace Cngaes.Paths.Bcrypt;

internal sealed unsafe class BcryptHashEngine : IEngine
{
    public string Api => nameof(BCryptHash);

    public void Run(byte[] input, byte[] output, byte[] tag)
    {
        fixed (byte* source = input, target = output)
        {
            BcryptException.Check(
                Api, BCryptHash(Sha256Handle, null, 0, source, (uint)input.Length, target, (uint)output.Length));
        }
    }

    public void Dispose()
    {
    }
}
