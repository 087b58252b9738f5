using System.Security.Cryptography;
using Cngaes.Workload;

namespace Cngaes.Paths.Framework;

internal sealed class CbcEngine(Direction direction, Material material) : IEngine
{
    private readonly Aes _aes = AesFactory.Create(material.Key);

    public string Api => direction == Direction.Encrypt ? "Aes.EncryptCbc" : "Aes.DecryptCbc";

    public void Run(byte[] input, byte[] output, byte[] tag)
    {
        if (direction == Direction.Encrypt)
        {
            _aes.EncryptCbc(input, material.Iv, output, PaddingMode.None);
        }
        else
        {
            _aes.DecryptCbc(input, material.Iv, output, PaddingMode.None);
        }
    }

    public byte[] RunTypical(byte[] input, int outputSize, byte[] tag) =>
        direction == Direction.Encrypt
            ? _aes.EncryptCbc(input, material.Iv, PaddingMode.None)
            : _aes.DecryptCbc(input, material.Iv, PaddingMode.None);

    public void Dispose() => _aes.Dispose();
}
