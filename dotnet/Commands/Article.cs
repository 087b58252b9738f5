using System.Globalization;
using Cngaes.Measuring;
using Cngaes.Paths;
using Cngaes.Workload;

namespace Cngaes.Commands;

/// <summary>The article's four tasks in this process alone: its ".NET" column.</summary>
internal sealed class Article(IReadOnlyList<IPath> paths, int size, int rounds, TextWriter output)
{
    // The first 8 bytes of the output as published, and MB/s of .NET 9 on the article's Snapdragon X Elite.
    private static readonly (string Title, string Algorithm, string First8, double Published)[] s_rows =
    [
        ("AES-128-CBC", "aes-128-cbc/encrypt", "e8fae9c6dff5ee70", 2188.1),
        ("AES-256-CBC", "aes-256-cbc/encrypt", "ca81bae42aba59bf", 1544.1),
        ("AES-256-GCM", "aes-256-gcm/encrypt", "46ec5fe89cf24a1b", 6143.2),
        ("SHA-256", "sha256/hash", "91e648e63213b952", 2197.9),
    ];

    private const int ArticleSize = 128 << 20;

    /// <summary>Prints the table; false if an output is wrong.</summary>
    public bool Run()
    {
        string here = RunningVersion();
        Print($"{size >> 20} MiB, {rounds} rounds, reused arrays; MB/s = 10^6 bytes a second");
        Print(string.Join(", ", RuntimeFacts.All.Select(pair => $"{pair.Key} {pair.Value}")));
        Print($"{"",-12} {here + " best",14} {"median",9} {"faults",7} {".NET 9 publ.*",14}  first 8 bytes");
        bool right = true;
        foreach ((string title, string algorithm, string first8, double published) in s_rows)
        {
            using Session session = new(paths);
            Case task = Case.Parse($"{algorithm}/{size}B");
            Prepared prepared = session.Prepare(new Cell(task, "dotnet", Placement.Into, KeyPerCall: false, Threads: 1));
            List<Sample> samples = [.. Enumerable.Range(0, rounds).Select(_ => session.Run(1))];
            bool known = task.Direction != Direction.Hash || size == ArticleSize;
            bool same = prepared.Fingerprint.First8 == first8 && session.Verify() == prepared.Fingerprint;
            right &= same || !known;
            List<double> speeds = [.. samples.Select(sample => size * 1e3 / sample.Nanoseconds).Order()];
            long faults = samples.Min(sample => sample.Extras.First(extra => extra.Key == "page_faults").Value);
            string verdict = known ? same ? "as published" : $"DIFFERENT, published {first8}" : "of another size";
            Print($"{title,-12} {Number(speeds[^1]),14} {Number(speeds[speeds.Count / 2]),9} {faults,7} "
                + $"{Number(published),14}  {prepared.Fingerprint.First8} {verdict}");
        }

        Print("* another machine: Snapdragon X Elite (X1E80100), Windows 11 on ARM64, best of 9. It says nothing about this one.");
        return right;
    }

    private static string RunningVersion() => $".NET {Environment.Version.Major}";

    private static string Number(double value) => value.ToString("F1", CultureInfo.InvariantCulture);

    private void Print(string line) => output.Write(line + "\n");
}
