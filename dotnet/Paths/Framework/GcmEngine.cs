using System.Security.Cryptography;
using Cngaes.Workload;

namespace Cngaes.Paths.Framework;

internal sealed class GcmEngine(Direction direction, Material material) : IEngine
{
    private readonly AesGcm _gcm = new(material.Key, Case.TagSize);

    public string Api => direction == Direction.Encrypt ? "AesGcm.Encrypt" : "AesGcm.Decrypt";

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
