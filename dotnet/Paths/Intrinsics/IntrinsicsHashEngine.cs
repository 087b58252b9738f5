using Cngaes.Intrinsics;

namespace Cngaes.Paths.Intrinsics;

internal sealed class IntrinsicsHashEngine : IEngine
{
    public string Api => "Arm SHA-256";

    public void Run(byte[] input, byte[] output, byte[] tag) => ArmSha256.Hash(input, output);

    public void Dispose()
    {
    }
}
