using Cngaes.Workload;

namespace Cngaes.Measuring;

/// <summary>What `prepare` answers: the fingerprint of one whole output, what that call took, how it is made.</summary>
internal sealed record Prepared(Fingerprint Fingerprint, long Nanoseconds, IReadOnlyDictionary<string, string> Details);

/// <summary>A cell that can be timed: its operations, one a thread, and what its output must be.</summary>
internal sealed class PreparedCell(Cell cell, Material material, IReadOnlyList<Operation> operations) : IDisposable
{
    private Samples? _samples;
    private bool _comparable;

    public Cell Cell => cell;

    public string Api => operations[0].Api;

    /// <summary>Bytes of input that only cells of this case hold.</summary>
    public long OwnBytes => cell.Case.Direction == Direction.Decrypt ? material.Data.Length : 0;

    public Prepared? Answer { get; set; }

    /// <summary>Takes samples of the output that is there now; from here on every value is compared with them.</summary>
    public void Remember() => _samples = new Samples(operations[0].Output);

    public Sample Run(long loops)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(loops, 1);
        Release();
        foreach (Operation operation in operations)
        {
            operation.Restore();
            if (cell.Placement == Placement.Into)
            {
                _samples?.Poison(operation.Output);
            }
        }

        Counters start = Counters.Read();
        long nanoseconds = ParallelRun.Time(operations, loops);
        IReadOnlyList<KeyValuePair<string, long>> extras = Counters.Read().Since(start);
        _comparable = loops == 1 || operations.All(operation => operation.Repeats);
        if (_comparable)
        {
            foreach (Operation operation in operations)
            {
                _samples?.Check(operation.Output);
            }
        }

        return new Sample(nanoseconds, extras);
    }

    public Fingerprint Verify()
    {
        if (!_comparable)
        {
            Run(1); // the last run went on from its own output, or has let it go
        }

        List<Fingerprint> found = [.. operations.Select(operation => Fingerprint.Of(operation.Output)).Distinct()];
        return found.Count == 1 ? found[0] : throw new WrongOutputException("the threads' outputs differ");
    }

    /// <summary>
    /// Lets the outputs go, made wrong before: the collector may hand the memory of a fresh array out again, and
    /// a right old result must not pass for a new one.
    /// </summary>
    public void Release()
    {
        foreach (Operation operation in operations)
        {
            if (operation.Output.Body.Length != 0)
            {
                _samples?.Poison(operation.Output);
            }

            operation.Release();
        }

        _comparable = false;
    }

    public void Dispose()
    {
        foreach (Operation operation in operations)
        {
            operation.Dispose();
        }
    }
}
