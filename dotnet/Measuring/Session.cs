using System.Globalization;
using Cngaes.Paths;
using Cngaes.Workload;

namespace Cngaes.Measuring;

/// <summary>
/// Prepares, times and checks cells; the suite goes back and forth between them. Without `warmUp` the first values
/// measure the compiler, too.
/// </summary>
internal sealed class Session(IReadOnlyList<IPath> paths, bool warmUp = true) : IDisposable
{
    private const long MostBytes = 1L << 30;
    private readonly MaterialSource _source = new();
    private readonly OutputArrays _arrays = new();
    private readonly LinkedList<PreparedCell> _cells = new(); // the one used last comes first
    private PreparedCell? _current;

    /// <summary>Makes a cell the current one. The first time, that does it once and warms it up.</summary>
    public Prepared Prepare(Cell cell)
    {
        _current?.Release();
        _current = null;
        PreparedCell? known = _cells.FirstOrDefault(each => each.Cell == cell);
        if (known is not null)
        {
            _cells.Remove(known);
        }

        PreparedCell chosen = known ?? Make(cell);
        _cells.AddFirst(chosen);
        _current = chosen;
        MakeRoom();
        return chosen.Answer!;
    }

    /// <summary>Times the current cell.</summary>
    public Sample Run(long loops) => Current().Run(loops);

    /// <summary>Fingerprint of what the last run left, in every thread.</summary>
    public Fingerprint Verify() => Current().Verify();

    public void Dispose()
    {
        foreach (PreparedCell cell in _cells)
        {
            cell.Dispose();
        }

        _cells.Clear();
        _current = null;
    }

    private PreparedCell Current() => _current ?? throw new InvalidOperationException("run or verify before prepare");

    private PreparedCell Make(Cell cell)
    {
        IPath path = paths.FirstOrDefault(each => each.Name == cell.Path)
            ?? throw new FormatException(
                $"unknown path '{cell.Path}'; known: {string.Join(", ", paths.Select(each => each.Name))}");
        if (path.Unavailable is string why)
        {
            throw new UnsupportedException(why);
        }

        if (cell is { KeyPerCall: true, Case.Direction: Direction.Hash })
        {
            throw new UnsupportedException("SHA-256 has no key");
        }

        if (cell is { Placement: Placement.Typical, Case.Direction: Direction.Hash })
        {
            throw new UnsupportedException("a digest needs no large array: 'new' returns one");
        }

        Material material = _source.For(cell.Case);
        List<Operation> operations = [];
        for (int i = 0; i < cell.Threads; i++)
        {
            int thread = i;
            operations.Add(Operation.Create(
                () => path.Create(cell.Case, material), cell, material, () => _arrays.Get(cell.Case.OutputSize, thread)));
        }

        PreparedCell made = new(cell, material, operations);
        try
        {
            long first = made.Run(1).Nanoseconds;
            Fingerprint fingerprint = made.Verify();
            made.Remember();
            long calls = warmUp ? WarmUp.Do(made.Run) : 0;
            Dictionary<string, string> details = new(RuntimeFacts.All)
            {
                ["api"] = made.Api,
                ["warm_up_calls"] = calls.ToString(CultureInfo.InvariantCulture),
            };
            made.Answer = new Prepared(fingerprint, first, details);
            return made;
        }
        catch
        {
            made.Dispose();
            throw;
        }
    }

    // Ciphertexts of decryptions belong to their cells; old cells go when they are too many.
    private void MakeRoom()
    {
        while (_cells.Count > 1 && _cells.Sum(cell => cell.OwnBytes) > MostBytes)
        {
            _cells.Last!.Value.Dispose();
            _cells.RemoveLast();
        }
    }
}
