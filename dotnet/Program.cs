using System.Globalization;
using System.Text;
using Cngaes.Commands;
using Cngaes.Paths;
using Cngaes.Protocol;
using Cngaes.Workload;

namespace Cngaes;

/// <summary>The command line: a peer of the benchmark suite, or one of two things that run alone.</summary>
internal static class Program
{
    private const int UsageError = 2;
    private const string Usage = """
        usage: cngaes-dotnet [--peer] [--warm-up yes|no]    answer the suite's requests on standard input
               cngaes-dotnet --article [--size N] [--rounds N]   the article's four tasks, here alone
               cngaes-dotnet --trace [--size N]             every operation once, between marks for a tracer
        """;

    private static readonly UTF8Encoding s_utf8 = new(encoderShouldEmitUTF8Identifier: false);

    internal static int Main(string[] arguments)
    {
        try
        {
            return Dispatch(arguments);
        }
        catch (Exception error) when (error is FormatException or OverflowException or NotSupportedException)
        {
            Console.Error.WriteLine($"cngaes-dotnet: {error.Message}\n{Usage}");
            return UsageError;
        }
    }

    private static int Dispatch(string[] arguments)
    {
        string command = arguments.Length == 0 ? "--peer" : arguments[0];
        Dictionary<string, string> options = Options(arguments.Skip(1).ToArray());
        using TextWriter output = new StreamWriter(Console.OpenStandardOutput(), s_utf8);
        switch (command)
        {
            case "--peer":
                Allow(options, "--warm-up");
                using (TextReader input = new StreamReader(Console.OpenStandardInput(), s_utf8))
                using (PeerServer server = new(Registry.All, input, output, WarmUp(options)))
                {
                    server.Serve();
                }

                return 0;
            case "--article":
                Allow(options, "--size", "--rounds");
                return new Article(Registry.All, Size(options, "128MiB"), Rounds(options), output).Run() ? 0 : 1;
            case "--trace":
                Allow(options, "--size");
                using (TextWriter marks = new StreamWriter(Console.OpenStandardError(), s_utf8))
                {
                    new Trace(Registry.All, Size(options, "1MiB"), marks).Run();
                }

                return 0;
            case "--help":
                output.WriteLine(Usage);
                return 0;
            default:
                throw new FormatException($"unknown command '{command}'");
        }
    }

    private static Dictionary<string, string> Options(string[] arguments)
    {
        if (arguments.Length % 2 != 0)
        {
            throw new FormatException($"'{arguments[^1]}' needs a value");
        }

        return arguments.Chunk(2).ToDictionary(pair => pair[0], pair => pair[1]);
    }

    private static void Allow(Dictionary<string, string> options, params string[] known)
    {
        if (options.Keys.FirstOrDefault(name => !known.Contains(name)) is string other)
        {
            throw new FormatException($"unknown option '{other}'");
        }
    }

    private static int Size(Dictionary<string, string> options, string usual)
    {
        int size = Case.ParseSize(options.GetValueOrDefault("--size", usual));
        return size % Xorshift.BlockSize == 0
            ? size
            : throw new FormatException($"the size is whole MiB, not {size} bytes");
    }

    private static bool WarmUp(Dictionary<string, string> options) =>
        options.GetValueOrDefault("--warm-up", "yes") switch
        {
            "yes" => true,
            "no" => false,
            string other => throw new FormatException($"--warm-up is yes or no, not '{other}'"),
        };

    private static int Rounds(Dictionary<string, string> options)
    {
        string text = options.GetValueOrDefault("--rounds", "9");
        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int rounds) && rounds > 0
            ? rounds
            : throw new FormatException($"rounds is a number from 1 on, not '{text}'");
    }
}
