using Cngaes.Workload;
using static Cngaes.Paths.Bcrypt.NativeMethods;

namespace Cngaes.Paths.Bcrypt;

/// <summary>One BCryptEncrypt or BCryptDecrypt with authentication for a whole message.</summary>
internal sealed unsafe class BcryptGcmEngine(Direction direction, Material material) : IEngine
{
    private readonly BcryptKey _key = new(material.Key, "ChainingModeGCM");

    public string Api => direction == Direction.Encrypt ? nameof(BCryptEncrypt) : nameof(BCryptDecrypt);

    public void Run(byte[] input, byte[] output, byte[] tag)
    {
        fixed (byte* source = input, target = output, nonce = material.Nonce, tagBytes = tag)
        {
            AuthenticatedCipherModeInfo info = new()
            {
                Size = (uint)sizeof(AuthenticatedCipherModeInfo),
                Version = 1,
                Nonce = nonce,
                NonceLength = (uint)material.Nonce.Length,
                Tag = tagBytes,
                TagLength = (uint)tag.Length,
            };
            (uint read, uint room) = ((uint)input.Length, (uint)output.Length);
            int status = direction == Direction.Encrypt
                ? BCryptEncrypt(_key.Handle, source, read, &info, null, 0, target, room, out uint written, 0)
                : BCryptDecrypt(_key.Handle, source, read, &info, null, 0, target, room, out written, 0);
            if (status != StatusSuccess)
            {
                Array.Clear(output); // never a plaintext that was not authenticated
            }

            BcryptException.ThrowUnless(status == StatusSuccess && written == room, Api, status);
        }
    }

    public void Dispose() => _key.Dispose();
}
