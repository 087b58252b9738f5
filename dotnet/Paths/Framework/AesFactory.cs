using System.Security.Cryptography;

namespace Cngaes.Paths.Framework;

internal static class AesFactory
{
    public static Aes Create(byte[] key)
    {
        Aes aes = Aes.Create();
        aes.Key = key;
        return aes;
    }
}
