using Cngaes.Measuring;
using Cngaes.Paths;
using Cngaes.Workload;

namespace Cngaes.Tests;

public class WorkloadTests
{
    [Fact]
    public void The_generator_is_the_articles()
    {
        byte[] block = Xorshift.Block(Xorshift.ArticleSeed);
        Assert.Equal("01ee89f3591788003aabbb080bdf6b2e", Convert.ToHexStringLower(block.AsSpan(0, 16)));
        Assert.Equal("59d553df428097680e5a1ab801dda802", Convert.ToHexStringLower(block.AsSpan(block.Length - 16)));
    }

    [Theory]
    [InlineData("aes-256-gcm/encrypt/128MiB", 134217728)]
    [InlineData("aes-128-cbc/decrypt/1KiB", 1024)]
    [InlineData("sha256/hash/1000B", 1000)]
    public void Cases_are_read(string name, int size) => Assert.Equal(size, Case.Parse(name).Size);

    [Theory]
    [InlineData("aes-256-gcm/encrypt", "write algorithm/direction/size")]
    [InlineData("aes-257-gcm/encrypt/1KiB", "unknown algorithm 'aes-257-gcm'")]
    [InlineData("aes-256-xts/encrypt/1KiB", "unknown algorithm 'aes-256-xts'")]
    [InlineData("aes-256-gcm/hash/1KiB", "bad direction 'hash'")]
    [InlineData("sha256/encrypt/1KiB", "bad direction 'encrypt'")]
    [InlineData("aes-256-gcm/encrypt/0B", "bad size '0B'")]
    [InlineData("aes-256-gcm/encrypt/-1B", "bad size '-1B'")]
    [InlineData("aes-256-gcm/encrypt/KiB", "bad size 'KiB'")]
    [InlineData("aes-256-gcm/encrypt/99999999999B", "bad size")]
    [InlineData("aes-256-gcm/encrypt/1MB", "bad size '1MB'")]
    public void Bad_cases_are_named(string name, string words) =>
        Assert.Contains(words, Assert.Throws<FormatException>(() => Case.Parse(name)).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("aes-256-cbc/encrypt/17B", 32)]
    [InlineData("aes-256-cbc/decrypt/17B", 17)]
    [InlineData("aes-256-ecb/encrypt/16B", 16)]
    [InlineData("aes-256-gcm/encrypt/17B", 17)]
    [InlineData("sha256/hash/17B", 32)]
    public void Outputs_have_sizes(string name, int size) => Assert.Equal(size, Case.Parse(name).OutputSize);

    [Fact]
    public void The_letters_of_the_Perl_text_are_its_case()
    {
        using Session session = new(Registry.All, warmUp: false);
        Cell cell = new(Case.Parse("aes-256-ecb/encrypt/52B"), "dotnet", Placement.Into, KeyPerCall: false, Threads: 1);
        Assert.Equal("2caa03ffbc3f459f", session.Prepare(cell).Fingerprint.First8);
        cell = cell with { Case = Case.Parse("aes-256-ecb/decrypt/52B") };
        Assert.Equal(Convert.ToHexStringLower("abcdefgh"u8), session.Prepare(cell).Fingerprint.First8);
    }

    [Fact]
    public void What_does_not_fit_an_array_is_not_supported() =>
        Assert.Throws<NotSupportedException>(() => Case.Parse("aes-256-gcm/encrypt/2GiB"));

    [Fact]
    public void Short_outputs_have_short_fingerprints()
    {
        Fingerprint fingerprint = Fingerprint.Of(new Output([1, 2, 3], [4, 5]));
        Assert.Equal("0102030405", fingerprint.First8);
        Assert.Equal("0102030405", fingerprint.Last16);
    }

    [Fact]
    public void Samples_see_one_wrong_byte_and_a_wrong_tag()
    {
        Output right = new(Xorshift.Block(1, 100), Xorshift.Block(2, 16));
        Samples samples = new(right);
        samples.Check(right);
        foreach (byte[] part in new[] { right.Body, right.Tag })
        {
            for (int i = 0; i < part.Length; i++)
            {
                part[i] ^= 1;
                Assert.Throws<WrongOutputException>(() => samples.Check(right));
                part[i] ^= 1;
            }
        }

        samples.Poison(right);
        Assert.Throws<WrongOutputException>(() => samples.Check(right));
    }
}
