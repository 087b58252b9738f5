using System.Security.Cryptography;
using Cngaes.Workload;

namespace Cngaes.Paths.Framework;

/// <summary>CreateEncryptor or CreateDecryptor, and one TransformBlock over all whole blocks.</summary>
internal sealed class TransformEngine : IEngine
{
    private readonly Aes _aes;
    private readonly ICryptoTransform _transform;
    private readonly CipherMode _mode;

    public TransformEngine(Case task, Material material, CipherMode mode)
    {
        _mode = mode;
        _aes = AesFactory.Create(material.Key);
        _aes.Mode = mode;
        _aes.Padding = PaddingMode.None;
        _aes.IV = material.Iv;
        _transform = task.Direction == Direction.Encrypt ? _aes.CreateEncryptor() : _aes.CreateDecryptor();
    }

    public string Api => "ICryptoTransform.TransformBlock";

    public bool Repeats => _mode == CipherMode.ECB;

    public void Run(byte[] input, byte[] output, byte[] tag)
    {
        int written = _transform.TransformBlock(input, 0, input.Length, output, 0);
        if (written != input.Length)
        {
            throw new WrongOutputException($"TransformBlock gave {written} bytes of {input.Length}");
        }
    }

    public void Dispose()
    {
        _transform.Dispose();
        _aes.Dispose();
    }
}
