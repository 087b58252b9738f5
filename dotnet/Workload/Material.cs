using System.Security.Cryptography;

namespace Cngaes.Workload;

/// <summary>Everything a case needs. Data and tag of a decryption are what the encryption gave.</summary>
internal sealed record Material(byte[] Key, byte[] Iv, byte[] Nonce, byte[] Data, byte[] Tag);

/// <summary>
/// Makes the suite's inputs, told apart by the size: whole MiB repeat the article's block, with keys and IVs that
/// count up; 52 bytes of AES-256-ECB are the Perl text's letters under its key; any other size is cut from a second
/// block, which begins with key, IV and nonce.
/// </summary>
internal sealed class MaterialSource
{
    private const int DataAt = 64;
    private const int IvAt = 32;
    private const int NonceAt = 48;
    private const int IvSize = 16;
    private const int NonceSize = 12;
    private static readonly Case s_letters = new(Mode.Ecb, 32, Direction.Encrypt, 52);
    private readonly Dictionary<Case, WeakReference<Material>> _materials = [];
    private readonly WeakReference<byte[]> _plain = new([]);

    /// <summary>Key, IV, nonce and input of a case, shared as long as somebody holds it.</summary>
    public Material For(Case task)
    {
        if (_materials.TryGetValue(task, out WeakReference<Material>? known) && known.TryGetTarget(out Material? alive))
        {
            return alive;
        }

        Material material = Make(task);
        _materials[task] = new WeakReference<Material>(material);
        return material;
    }

    private Material Make(Case task)
    {
        byte[] key, iv, nonce;
        if (task.Size % Xorshift.BlockSize == 0)
        {
            (key, iv, nonce) = (Counting(task.KeyBytes), Counting(IvSize), Counting(NonceSize));
        }
        else
        {
            byte[] head = Xorshift.Block(Xorshift.RandomSeed, DataAt);
            key = head[..task.KeyBytes];
            iv = head[IvAt..(IvAt + IvSize)];
            nonce = head[NonceAt..(NonceAt + NonceSize)];
        }

        byte[] plain;
        if (task with { Direction = Direction.Encrypt } == s_letters)
        {
            key = "0123456789abcdef0123456789abcdef"u8.ToArray();
            plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"u8.ToArray();
        }
        else
        {
            plain = Plaintext(task.Size);
        }

        byte[] tag = new byte[Case.TagSize];
        if (task.Direction != Direction.Decrypt)
        {
            return new Material(key, iv, nonce, plain, tag);
        }

        Case encryption = task with { Direction = Direction.Encrypt };
        byte[] data = new byte[encryption.OutputSize];
        Encrypt(encryption, key, iv, nonce, plain, data, tag);
        return new Material(key, iv, nonce, data, tag);
    }

    private static void Encrypt(Case task, byte[] key, byte[] iv, byte[] nonce, byte[] plain, byte[] data, byte[] tag)
    {
        if (task.Mode == Mode.Gcm)
        {
            using AesGcm gcm = new(key, tag.Length);
            gcm.Encrypt(nonce, plain, data, tag);
            return;
        }

        using Aes aes = Aes.Create();
        aes.Key = key;
        switch (task.Mode)
        {
            case Mode.Cbc:
                aes.EncryptCbc(plain, iv, data, task.Padding);
                break;
            case Mode.Ecb:
                aes.EncryptEcb(plain, data, task.Padding);
                break;
            case Mode.Ctr:
                CounterReference.Apply(aes, iv, plain, data);
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(task), task.Mode, "has no encryption");
        }
    }

    private byte[] Plaintext(int size)
    {
        if (_plain.TryGetTarget(out byte[]? known) && known.Length == size)
        {
            return known;
        }

        bool article = size % Xorshift.BlockSize == 0;
        ReadOnlySpan<byte> block = Xorshift.Block(article ? Xorshift.ArticleSeed : Xorshift.RandomSeed);
        byte[] plain = new byte[size];
        Span<byte> rest = plain;
        for (ReadOnlySpan<byte> piece = block[(article ? 0 : DataAt)..]; !rest.IsEmpty; piece = block)
        {
            int length = Math.Min(piece.Length, rest.Length);
            piece[..length].CopyTo(rest);
            rest = rest[length..];
        }

        _plain.SetTarget(plain);
        return plain;
    }

    private static byte[] Counting(int length) => [.. Enumerable.Range(0, length).Select(i => (byte)i)];
}
