using System.Security.Cryptography;
using Cngaes.Workload;

namespace Cngaes.Paths.Framework;

internal sealed class EcbEngine(Case task, Material material) : IEngine
{
    private readonly Aes _aes = AesFactory.Create(material.Key);

    public string Api => task.Direction == Direction.Encrypt ? "Aes.EncryptEcb" : "Aes.DecryptEcb";

    public void Run(byte[] input, byte[] output, byte[] tag)
    {
        if (task.Direction == Direction.Encrypt)
        {
            _aes.EncryptEcb(input, output, task.Padding);
        }
        else
        {
            _aes.DecryptEcb(input, output, task.Padding);
        }
    }

    public byte[] RunTypical(byte[] input, int outputSize, byte[] tag) =>
        task.Direction == Direction.Encrypt
            ? _aes.EncryptEcb(input, task.Padding)
            : _aes.DecryptEcb(input, task.Padding);

    public void Dispose() => _aes.Dispose();
}
