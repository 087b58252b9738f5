using Cngaes.Intrinsics;
using Cngaes.Workload;

namespace Cngaes.Paths.Intrinsics;

internal sealed class IntrinsicsGcmEngine<TUnit>(Direction direction, Material material) : IEngine
    where TUnit : struct, ICryptoUnit
{
    private readonly AesGcm<TUnit> _gcm = new(material.Key);

    public string Api => TUnit.Name;

    public void Run(byte[] input, byte[] output, byte[] tag)
    {
        if (direction == Direction.Encrypt)
        {
            _gcm.Encrypt(material.Nonce, input, output, tag);
        }
        else
        {
            _gcm.Decrypt(material.Nonce, input, tag, output);
        }
    }

    public void Dispose() => _gcm.Dispose();
}
