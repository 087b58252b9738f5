using System.Collections.Concurrent;
using System.Text;
using static Cngaes.Paths.Bcrypt.NativeMethods;

namespace Cngaes.Paths.Bcrypt;

/// <summary>An AES key of CNG. The provider of each chaining mode is opened once in a process, as .NET does.</summary>
internal sealed unsafe class BcryptKey : IDisposable
{
    private static readonly ConcurrentDictionary<string, nint> s_providers = new();
    private nint _handle;

    public BcryptKey(byte[] key, string chainingMode)
    {
        nint provider = s_providers.GetOrAdd(chainingMode, OpenProvider);
        fixed (byte* secret = key)
        {
            BcryptException.Check(
                nameof(BCryptGenerateSymmetricKey),
                BCryptGenerateSymmetricKey(provider, out _handle, null, 0, secret, (uint)key.Length, 0));
        }
    }

    public nint Handle => _handle;

    public void Dispose()
    {
        nint handle = Interlocked.Exchange(ref _handle, 0);
        if (handle != 0)
        {
            BcryptException.Check(nameof(BCryptDestroyKey), BCryptDestroyKey(handle));
        }
    }

    private static nint OpenProvider(string chainingMode)
    {
        BcryptException.Check(
            nameof(BCryptOpenAlgorithmProvider),
            BCryptOpenAlgorithmProvider(out nint provider, "AES", null, 0));
        byte[] value = Encoding.Unicode.GetBytes(chainingMode + '\0');
        fixed (byte* bytes = value)
        {
            int status = BCryptSetProperty(provider, "ChainingMode", bytes, (uint)value.Length, 0);
            if (status != StatusSuccess)
            {
                _ = BCryptCloseAlgorithmProvider(provider, 0);
                throw new BcryptException(nameof(BCryptSetProperty), status);
            }
        }

        return provider;
    }
}
