using System.Runtime.InteropServices;

namespace Cngaes.Paths.Bcrypt;

/// <summary>The functions of bcrypt.dll that are called, with blittable arguments only.</summary>
internal static unsafe partial class NativeMethods
{
    public const int StatusSuccess = 0;
    public const nint Sha256Handle = 0x41; // BCRYPT_SHA256_ALG_HANDLE, since Windows 10
    private const string Library = "bcrypt.dll";

    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial int BCryptOpenAlgorithmProvider(out nint algorithm, string name, string? implementation, uint flags);

    [LibraryImport(Library)]
    internal static partial int BCryptCloseAlgorithmProvider(nint algorithm, uint flags);

    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial int BCryptSetProperty(nint handle, string property, byte* input, uint length, uint flags);

    [LibraryImport(Library)]
    internal static partial int BCryptGenerateSymmetricKey(
        nint algorithm, out nint key, byte* keyObject, uint objectLength, byte* secret, uint secretLength, uint flags);

    [LibraryImport(Library)]
    internal static partial int BCryptDestroyKey(nint key);

    [LibraryImport(Library)]
    internal static partial int BCryptEncrypt(
        nint key, byte* input, uint inputLength, AuthenticatedCipherModeInfo* info, byte* iv, uint ivLength,
        byte* output, uint outputLength, out uint written, uint flags);

    [LibraryImport(Library)]
    internal static partial int BCryptDecrypt(
        nint key, byte* input, uint inputLength, AuthenticatedCipherModeInfo* info, byte* iv, uint ivLength,
        byte* output, uint outputLength, out uint written, uint flags);

    [LibraryImport(Library)]
    internal static partial int BCryptHash(
        nint algorithm, byte* secret, uint secretLength, byte* input, uint inputLength, byte* output, uint outputLength);

    /// <summary>BCRYPT_AUTHENTICATED_CIPHER_MODE_INFO.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct AuthenticatedCipherModeInfo
    {
        public uint Size;
        public uint Version;
        public byte* Nonce;
        public uint NonceLength;
        public byte* AuthData;
        public uint AuthDataLength;
        public byte* Tag;
        public uint TagLength;
        public byte* MacContext;
        public uint MacContextLength;
        public uint AadLength;
        public ulong DataLength;
        public uint Flags;
    }
}
