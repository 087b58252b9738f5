using Cngaes.Commands;
using Cngaes.Paths;
using Cngaes.Workload;

namespace Cngaes.Tests;

public class ProgramTests
{
    [Fact]
    public void The_article_is_printed_with_its_prefixes_checked()
    {
        using StringWriter output = new();
        Assert.True(new Article(Registry.All, 1 << 20, 2, output).Run());
        string text = output.ToString();
        Assert.Contains($".NET {Environment.Version.Major} best", text, StringComparison.Ordinal);
        Assert.Contains(".NET 9 publ.*", text, StringComparison.Ordinal);
        Assert.Equal(3, text.Split("as published").Length - 1);
        Assert.Contains("d8a8d8862255e3f1 of another size", text, StringComparison.Ordinal);
        Assert.Contains("6143.2", text, StringComparison.Ordinal);
    }

    [Fact]
    public void A_wrong_output_is_not_called_the_articles()
    {
        using StringWriter output = new();
        Assert.False(new Article([new Impostor()], 1 << 20, 1, output).Run());
        Assert.Contains("DIFFERENT, published e8fae9c6dff5ee70", output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void Every_operation_is_traced_between_marks()
    {
        using StringWriter marks = new();
        new Trace(Registry.All, 1 << 20, marks).Run();
        string[] lines = marks.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.All(lines, line => Assert.StartsWith("MARK ", line, StringComparison.Ordinal));
        Assert.Contains(lines, line => line.StartsWith("MARK begin dotnet/aes-256-gcm/encrypt/run bytes=1048576 ", StringComparison.Ordinal));
        Assert.Equal(lines.Count(line => line.Contains(" begin ", StringComparison.Ordinal)),
            lines.Count(line => line.Contains(" end ", StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData("--dance")]
    [InlineData("--peer", "--warm-up", "perhaps")]
    [InlineData("--article", "--size")]
    [InlineData("--article", "--size", "1B")]
    [InlineData("--article", "--size", "4GiB")]
    [InlineData("--article", "--rounds", "0")]
    [InlineData("--article", "--colour", "red")]
    public void Bad_arguments_end_with_2(params string[] arguments) => Assert.Equal(2, Program.Main(arguments));

    /// <summary>Calls itself dotnet and encrypts nothing.</summary>
    private sealed class Impostor : IPath
    {
        public string Name => "dotnet";

        public string? Unavailable => null;

        public IReadOnlyList<Placement> Offers { get; } = [];

        public IEngine Create(Case task, Material material) => new Engine();

        private sealed class Engine : IEngine
        {
            public string Api => "none";

            public void Run(byte[] input, byte[] output, byte[] tag)
            {
                input.AsSpan(0, output.Length).CopyTo(output);
                Array.Clear(tag);
            }

            public void Dispose()
            {
            }
        }
    }
}
