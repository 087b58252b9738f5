using System.Security.Cryptography;

namespace Cngaes.Paths.Framework;

internal sealed class IncrementalHashEngine : IEngine
{
    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);

    public string Api => "IncrementalHash.AppendData, GetHashAndReset";

    public void Run(byte[] input, byte[] output, byte[] tag)
    {
        _hash.AppendData(input);
        _hash.GetHashAndReset(output);
    }

    public byte[] RunTypical(byte[] input, int outputSize, byte[] tag)
    {
        _hash.AppendData(input);
        return _hash.GetHashAndReset();
    }

    public void Dispose() => _hash.Dispose();
}
