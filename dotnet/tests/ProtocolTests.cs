using System.Security.Cryptography;
using System.Text.Json;
using Cngaes.Paths;
using Cngaes.Paths.Bcrypt;
using Cngaes.Protocol;
using Cngaes.Workload;

namespace Cngaes.Tests;

public class ProtocolTests
{
    private const string Prepare =
        """{"prepare":{"case":"aes-128-ctr/encrypt/100B","path":"fake","placement":"PLACEMENT","key":"reused","threads":1}}""";

    [Fact]
    public void Hello_names_only_paths_that_can_be_used()
    {
        using PeerServer server = Server(Registry.All);
        JsonElement hello = Ask(server, """{"hello":1}""");
        Assert.Equal("dotnet", hello.GetProperty("name").GetString());
        Assert.StartsWith(".NET ", hello.GetProperty("version").GetString(), StringComparison.Ordinal);
        Assert.Contains(hello.GetProperty("arch").GetString(), new[] { "x86_64", "aarch64" });
        string[] paths = [.. hello.GetProperty("paths").EnumerateArray().Select(path => path.GetString()!)];
        Assert.Contains("dotnet/into", paths);
        Assert.Contains("dotnet/new", paths);
        Assert.Equal(OperatingSystem.IsWindows(), paths.Contains("dotnet-bcrypt/into"));
    }

    [Fact]
    public void A_whole_conversation()
    {
        using PeerServer server = Server(Registry.All);
        string cell = """{"prepare":{"case":"sha256/hash/1MiB","path":"dotnet","placement":"into","key":"reused","threads":1}}""";
        JsonElement prepared = Ask(server, cell);
        Assert.Equal("d8a8d8862255e3f1", prepared.GetProperty("ok").GetProperty("first8").GetString());
        Assert.True(prepared.GetProperty("ns").GetInt64() > 0);
        Assert.Equal("SHA256.HashData", prepared.GetProperty("details").GetProperty("api").GetString());
        JsonElement timed = Ask(server, """{"run":2}""");
        Assert.True(timed.GetProperty("ns").GetInt64() > 0);
        foreach (string extra in new[] { "page_faults", "cpu_ns", "gc_count", "gc_gen2", "alloc_bytes", "gc_pause_ns", "jit_methods" })
        {
            Assert.True(timed.GetProperty("extras").GetProperty(extra).GetInt64() >= 0, extra);
        }

        JsonElement verified = Ask(server, """{"verify":1}""");
        Assert.Equal(prepared.GetProperty("ok").GetRawText(), verified.GetProperty("ok").GetRawText());
        Assert.Null(server.Answer("""{"quit":1}"""));
    }

    [Theory]
    [InlineData("rubbish", "not a line of JSON")]
    [InlineData("{\"hello\":1", "not a line of JSON")]
    [InlineData("[]", "an object with one word")]
    [InlineData("{}", "an object with one word")]
    [InlineData("{\"hello\":1,\"run\":1}", "an object with one word")]
    [InlineData("{\"dance\":1}", "unknown request 'dance'")]
    [InlineData("{\"run\":1}", "before prepare")]
    [InlineData("{\"verify\":1}", "before prepare")]
    [InlineData("{\"run\":0}", "from 1 on, not 0")]
    [InlineData("{\"run\":1.5}", "from 1 on, not 1.5")]
    [InlineData("{\"run\":\"1\"}", "from 1 on, not 1")]
    [InlineData("{\"prepare\":7}", "prepare takes an object")]
    [InlineData("{\"prepare\":{}}", "prepare needs the text 'case'")]
    [InlineData("{\"prepare\":{\"case\":\"x\"}}", "bad case 'x'")]
    public void Bad_requests_are_answered_with_an_error(string line, string words)
    {
        using PeerServer server = Server(Registry.All);
        Assert.Contains(words, Ask(server, line).GetProperty("error").GetString(), StringComparison.Ordinal);
        Assert.True(Ask(server, """{"hello":1}""").TryGetProperty("paths", out _));
    }

    [Theory]
    [InlineData("\"fake\"", "\"nobody\"", "unknown path 'nobody'")]
    [InlineData("\"reused\"", "\"lost\"", "unknown key 'lost'")]
    [InlineData("\"threads\":1", "\"threads\":0", "threads is a number from 1 to 1024, not 0")]
    [InlineData("\"threads\":1", "\"threads\":\"x\"", "threads is a number from 1 to 1024, not x")]
    public void Bad_cells_are_answered_with_an_error(string good, string bad, string words)
    {
        using PeerServer server = Server([new FakePath()]);
        string line = Prepare.Replace(good, bad, StringComparison.Ordinal).Replace("PLACEMENT", "into", StringComparison.Ordinal);
        Assert.Contains(words, Ask(server, line).GetProperty("error").GetString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("aes-256-ctr/encrypt/1KiB", "dotnet", "into", "no CTR mode")]
    [InlineData("aes-256-gcm/encrypt/1KiB", "dotnet-stream", "into", "whole messages only")]
    [InlineData("aes-256-cbc/encrypt/1KiB", "dotnet-intrinsics", "into", "GCM, CTR and SHA-256 only")]
    [InlineData("aes-256-gcm/decrypt/1KiB", "dotnet", "inplace", "fresh ciphertext")]
    [InlineData("aes-256-cbc/encrypt/1000B", "dotnet", "typical-1", "no placement 'typical-1'")]
    [InlineData("aes-256-cbc/encrypt/1000B", "dotnet", "inplace", "padding changes the length")]
    [InlineData("aes-256-cbc/encrypt/1000B", "dotnet-stream", "into", "whole blocks")]
    [InlineData("sha256/hash/1KiB", "dotnet", "inplace", "does not replace its input")]
    [InlineData("aes-256-gcm/encrypt/4GiB", "dotnet", "into", "at most 2147483591 bytes")]
    public void What_a_path_cannot_do_is_unsupported_with_a_reason(string task, string path, string placement, string words)
    {
        using PeerServer server = Server(Registry.All);
        string line = JsonSerializer.Serialize(new
        {
            prepare = new { @case = task, path, placement, key = "reused", threads = 1 },
        });
        Assert.Contains(words, Ask(server, line).GetProperty("unsupported").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_path_that_cannot_be_used_here_says_why()
    {
        using PeerServer server = Server([new FakePath { Unavailable = "not here" }]);
        Assert.Equal("not here", Ask(server, Cell("into")).GetProperty("unsupported").GetString());
        Assert.Empty(Ask(server, """{"hello":1}""").GetProperty("paths").EnumerateArray());
    }

    [Theory]
    [InlineData("into")]
    [InlineData("new")]
    [InlineData("inplace")]
    [InlineData("typical")]
    public void Work_that_is_not_done_is_seen(string placement)
    {
        // Nothing is written: a reused or recycled array must not pass with what it held before.
        FakePath path = new();
        using PeerServer server = Server([path]);
        Ask(server, Cell(placement)).GetProperty("ok");
        Ask(server, """{"run":1}""").GetProperty("ns");
        path.FaultFrom = 0;
        Assert.Contains("wrong output", Ask(server, """{"run":1}""").GetProperty("error").GetString(), StringComparison.Ordinal);
        path.FaultFrom = int.MaxValue;
        Ask(server, """{"run":1}""").GetProperty("ns");
    }

    [Fact]
    public void An_exception_inside_a_path_is_an_answer()
    {
        FakePath path = new() { FaultFrom = 0, Fault = _ => throw new InvalidOperationException("broken") };
        using PeerServer server = Server([path]);
        Assert.Equal("InvalidOperationException: broken", Ask(server, Cell("into")).GetProperty("error").GetString());
        Assert.Contains("before prepare", Ask(server, """{"run":1}""").GetProperty("error").GetString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0xc00000bb, "unsupported")]
    [InlineData(0xc000000d, "error")]
    public void What_bcrypt_does_not_support_is_unsupported(uint status, string word)
    {
        Exception own = new BcryptException("BCryptEncrypt", (int)status);
        Exception library = new CryptographicException(unchecked((int)(status | 0x01000000)));
        foreach (Exception thrown in new[] { own, library })
        {
            FakePath path = new() { FaultFrom = 0, Fault = _ => throw thrown };
            using PeerServer server = Server([path]);
            Assert.True(Ask(server, Cell("into")).TryGetProperty(word, out _));
        }
    }

    [Fact]
    public void An_exception_in_a_thread_is_an_answer()
    {
        FakePath path = new();
        using PeerServer server = Server([path]);
        Ask(server, Cell("into").Replace("\"threads\":1", "\"threads\":3", StringComparison.Ordinal)).GetProperty("ok");
        path.FaultFrom = path.Calls + 2;
        path.Fault = _ => throw new InvalidOperationException("broken");
        Assert.Equal("InvalidOperationException: broken", Ask(server, """{"run":1}""").GetProperty("error").GetString());
    }

    [Fact]
    public void Going_back_to_a_cell_does_not_do_it_again()
    {
        FakePath path = new();
        using PeerServer server = Server([path]);
        string first = server.Answer(Cell("into"))!;
        Ask(server, Cell("new")).GetProperty("ok");
        int calls = path.Calls;
        Assert.Equal(first, server.Answer(Cell("into")));
        Assert.Equal(calls, path.Calls);
        Ask(server, """{"verify":1}""").GetProperty("ok");
    }

    [Fact]
    public void Key_objects_are_disposed()
    {
        FakePath path = new();
        using (PeerServer server = Server([path]))
        {
            Ask(server, Cell("into")).GetProperty("ok");
            Ask(server, Cell("into").Replace("reused", "per-call", StringComparison.Ordinal)).GetProperty("ok");
            Assert.Equal(1, path.Alive);
        }

        Assert.Equal(0, path.Alive);
    }

    [Theory]
    [InlineData("{\"quit\":1}\n{\"hello\":1}\n")]
    [InlineData("")]
    [InlineData("\n  \n")]
    public void Quit_and_the_end_of_the_input_end_the_server(string text)
    {
        using StringReader input = new(text);
        using StringWriter output = new();
        using PeerServer server = new(Registry.All, input, output);
        server.Serve();
        Assert.Equal("", output.ToString());
    }

    [Fact]
    public void Answers_are_lines_of_their_own()
    {
        using StringReader input = new("{\"hello\":1}\n\n{\"run\":1}\n");
        using StringWriter output = new();
        using PeerServer server = new(Registry.All, input, output);
        server.Serve();
        string[] lines = output.ToString().Split('\n');
        Assert.Equal(3, lines.Length);
        Assert.Equal("", lines[2]);
    }

    private static string Cell(string placement) => Prepare.Replace("PLACEMENT", placement, StringComparison.Ordinal);

    private static PeerServer Server(IReadOnlyList<IPath> paths) => new(paths, TextReader.Null, TextWriter.Null);

    private static JsonElement Ask(PeerServer server, string line)
    {
        using JsonDocument document = JsonDocument.Parse(server.Answer(line) ?? "null");
        return document.RootElement.Clone();
    }
}
