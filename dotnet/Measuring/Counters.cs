using System.Runtime;

namespace Cngaes.Measuring;

/// <summary>Everything that is counted beside a timed value, up to one moment.</summary>
internal sealed class Counters
{
    private const int NanosecondsPerTick = 100;
    private readonly List<KeyValuePair<string, long>> _counts;

    private Counters(List<KeyValuePair<string, long>> counts) => _counts = counts;

    public static Counters Read()
    {
        // The precise count of allocated bytes stops all threads for a moment, so it comes first.
        long allocated = GC.GetTotalAllocatedBytes(precise: true);
        (long faults, long? voluntary, long? involuntary) = SystemCounters.Read();
        List<KeyValuePair<string, long>> counts = [new("page_faults", faults)];
        if (voluntary is long ownWill && involuntary is long forced)
        {
            counts.Add(new("voluntary_switches", ownWill));
            counts.Add(new("involuntary_switches", forced));
        }

        counts.Add(new("gc_count", GC.CollectionCount(0))); // a collection of an older generation is one of this, too
        counts.Add(new("gc_gen1", GC.CollectionCount(1)));
        counts.Add(new("gc_gen2", GC.CollectionCount(2)));
        counts.Add(new("gc_pause_ns", GC.GetTotalPauseDuration().Ticks * NanosecondsPerTick));
        counts.Add(new("alloc_bytes", allocated));
        counts.Add(new("jit_methods", JitInfo.GetCompiledMethodCount()));
        counts.Add(new("cpu_ns", Environment.CpuUsage.TotalTime.Ticks * NanosecondsPerTick));
        return new Counters(counts);
    }

    /// <summary>What was counted from `start` on.</summary>
    public IReadOnlyList<KeyValuePair<string, long>> Since(Counters start) =>
        [.. _counts.Zip(start._counts, (now, then) => KeyValuePair.Create(now.Key, now.Value - then.Value))];
}
