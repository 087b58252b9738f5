using System.Security.Cryptography;
using Cngaes.Workload;

namespace Cngaes.Paths.Framework;

internal sealed class CbcEngine(Case task, Material material) : IEngine
{
    private readonly Aes _aes = AesFactory.Create(material.Key);

    public string Api => task.Direction == Direction.Encrypt ? "Aes.EncryptCbc" : "Aes.DecryptCbc";

    public void Run(byte[] input, byte[] output, byte[] tag)
    {
        if (task.Direction == Direction.Encrypt)
        {
            _aes.EncryptCbc(input, material.Iv, output, task.Padding);
        }
        else
        {
            _aes.DecryptCbc(input, material.Iv, output, task.Padding);
        }
    }

    public byte[] RunTypical(byte[] input, int outputSize, byte[] tag) =>
        task.Direction == Direction.Encrypt
            ? _aes.EncryptCbc(input, material.Iv, task.Padding)
            : _aes.DecryptCbc(input, material.Iv, task.Padding);

    public void Dispose() => _aes.Dispose();
}
