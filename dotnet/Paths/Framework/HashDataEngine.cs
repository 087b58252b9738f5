using System.Security.Cryptography;

namespace Cngaes.Paths.Framework;

internal sealed class HashDataEngine : IEngine
{
    public string Api => "SHA256.HashData";

    public void Run(byte[] input, byte[] output, byte[] tag) => SHA256.HashData(input, output);

    public byte[] RunTypical(byte[] input, int outputSize, byte[] tag) => SHA256.HashData(input);

    public void Dispose()
    {
    }
}
