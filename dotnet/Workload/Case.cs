using System.Globalization;
using System.Security.Cryptography;

namespace Cngaes.Workload;

internal enum Mode
{
    Gcm,
    Ctr,
    Cbc,
    Ecb,
    Sha256,
}

internal enum Direction
{
    Encrypt,
    Decrypt,
    Hash,
}

/// <summary>One task: `aes-256-gcm/encrypt/1MiB`. The size counts plaintext bytes.</summary>
internal sealed record Case(Mode Mode, int KeyBytes, Direction Direction, int Size)
{
    public const int TagSize = 16;
    public const int BlockSize = 16;
    private const int DigestSize = 32;
    private static readonly (string Suffix, int Factor)[] s_units =
        [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

    /// <summary>Bytes of the result, without a tag.</summary>
    public int OutputSize => Direction switch
    {
        Direction.Hash => DigestSize,
        Direction.Encrypt when Padding == PaddingMode.PKCS7 => Size + BlockSize - (Size % BlockSize),
        _ => Size,
    };

    /// <summary>CBC and ECB are padded when the plaintext is not whole blocks.</summary>
    public PaddingMode Padding =>
        Mode is Mode.Cbc or Mode.Ecb && Size % BlockSize != 0 ? PaddingMode.PKCS7 : PaddingMode.None;

    /// <summary>Whether the result has a tag behind it.</summary>
    public bool MakesTag => Mode == Mode.Gcm && Direction == Direction.Encrypt;

    /// <summary>Reads `algorithm/direction/size`, or throws a <see cref="FormatException"/> that says what is wrong.</summary>
    public static Case Parse(string name)
    {
        string[] parts = name.Split('/');
        if (parts.Length != 3)
        {
            throw new FormatException($"bad case '{name}': write algorithm/direction/size");
        }

        (Mode mode, int keyBytes) = ParseAlgorithm(parts[0]);
        Direction direction = parts[1] switch
        {
            "encrypt" when mode != Mode.Sha256 => Direction.Encrypt,
            "decrypt" when mode != Mode.Sha256 => Direction.Decrypt,
            "hash" when mode == Mode.Sha256 => Direction.Hash,
            _ => throw new FormatException($"bad direction '{parts[1]}' for {parts[0]}"),
        };
        return new Case(mode, keyBytes, direction, ParseSize(parts[2]));
    }

    private static (Mode Mode, int KeyBytes) ParseAlgorithm(string name)
    {
        if (name == "sha256")
        {
            return (Mode.Sha256, 0);
        }

        string[] parts = name.Split('-');
        int keyBytes = parts.Length == 3 && parts[0] == "aes"
            ? parts[1] switch { "128" => 16, "192" => 24, "256" => 32, _ => 0 }
            : 0;
        Mode? mode = parts[^1] switch
        {
            "gcm" => Mode.Gcm,
            "ctr" => Mode.Ctr,
            "cbc" => Mode.Cbc,
            "ecb" => Mode.Ecb,
            _ => null,
        };
        return keyBytes != 0 && mode is Mode known
            ? (known, keyBytes)
            : throw new FormatException($"unknown algorithm '{name}'");
    }

    /// <summary>Bytes of `16B`, `1KiB`, `128MiB`. An array of .NET has at most 2^31 - 57 bytes.</summary>
    public static int ParseSize(string text)
    {
        foreach ((string suffix, int factor) in s_units)
        {
            if (!text.EndsWith(suffix, StringComparison.Ordinal))
            {
                continue;
            }

            string digits = text[..^suffix.Length];
            if (digits.Length is 0 or > 10 || digits[0] == '0' || digits.Any(c => !char.IsAsciiDigit(c)))
            {
                break;
            }

            long size = long.Parse(digits, CultureInfo.InvariantCulture) * factor;
            return size <= Array.MaxLength
                ? (int)size
                : throw new NotSupportedException($"an array of .NET has at most {Array.MaxLength} bytes, not {size}");
        }

        throw new FormatException($"bad size '{text}': write a whole number and B, KiB, MiB or GiB");
    }
}
