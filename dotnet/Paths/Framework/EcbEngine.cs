using System.Security.Cryptography;
using Cngaes.Workload;

namespace Cngaes.Paths.Framework;

internal sealed class EcbEngine(Direction direction, Material material) : IEngine
{
    private readonly Aes _aes = AesFactory.Create(material.Key);

    public string Api => direction == Direction.Encrypt ? "Aes.EncryptEcb" : "Aes.DecryptEcb";

    public void Run(byte[] input, byte[] output, byte[] tag)
    {
        if (direction == Direction.Encrypt)
        {
            _aes.EncryptEcb(input, output, PaddingMode.None);
        }
        else
        {
            _aes.DecryptEcb(input, output, PaddingMode.None);
        }
    }

    public byte[] RunTypical(byte[] input, int outputSize, byte[] tag) =>
        direction == Direction.Encrypt
            ? _aes.EncryptEcb(input, PaddingMode.None)
            : _aes.DecryptEcb(input, PaddingMode.None);

    public void Dispose() => _aes.Dispose();
}
