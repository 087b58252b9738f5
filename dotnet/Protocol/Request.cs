using System.Text.Json;
using Cngaes.Workload;

namespace Cngaes.Protocol;

/// <summary>One line from the suite: exactly one of the five words, and what belongs to it.</summary>
internal abstract record Request
{
    public sealed record Hello : Request;

    public sealed record Prepare(Cell Cell) : Request;

    public sealed record Run(long Loops) : Request;

    public sealed record Verify : Request;

    public sealed record Quit : Request;

    /// <summary>Throws <see cref="FormatException"/> or <see cref="JsonException"/> if the line says nothing known.</summary>
    public static Request Parse(string line)
    {
        using JsonDocument document = JsonDocument.Parse(line);
        JsonElement root = document.RootElement;
        if (root.ValueKind != JsonValueKind.Object || root.EnumerateObject().Count() != 1)
        {
            throw new FormatException("a request is an object with one word: hello, prepare, run, verify or quit");
        }

        JsonProperty word = root.EnumerateObject().Single();
        return word.Name switch
        {
            "hello" => new Hello(),
            "prepare" => new Prepare(ParseCell(word.Value)),
            "run" => new Run(ParseLoops(word.Value)),
            "verify" => new Verify(),
            "quit" => new Quit(),
            _ => throw new FormatException($"unknown request '{word.Name}'"),
        };
    }

    private static long ParseLoops(JsonElement value) =>
        value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out long loops) && loops >= 1
            ? loops
            : throw new FormatException($"loops is a whole number from 1 on, not {value}");

    private static Cell ParseCell(JsonElement value)
    {
        if (value.ValueKind != JsonValueKind.Object)
        {
            throw new FormatException("prepare takes an object with case, path, placement, key and threads");
        }

        int threads = 1;
        if (value.TryGetProperty("threads", out JsonElement number)
            && !(number.ValueKind == JsonValueKind.Number && number.TryGetInt32(out threads) && threads is >= 1 and <= 1024))
        {
            throw new FormatException($"threads is a number from 1 to 1024, not {number}");
        }

        return new Cell(
            Case.Parse(Text(value, "case")),
            Text(value, "path"),
            Cell.ParsePlacement(Text(value, "placement")),
            value.TryGetProperty("key", out _) && Cell.ParseKey(Text(value, "key")),
            threads);
    }

    private static string Text(JsonElement parent, string name) =>
        parent.TryGetProperty(name, out JsonElement value) && value.ValueKind == JsonValueKind.String
            ? value.GetString()!
            : throw new FormatException($"prepare needs the text '{name}'");
}
