using System.Diagnostics;
using System.Runtime.ExceptionServices;

namespace Cngaes.Measuring;

/// <summary>Runs one operation a thread and times from the common start to the last one's end.</summary>
internal static class ParallelRun
{
    public static long Time(IReadOnlyList<Operation> operations, long loops)
    {
        if (operations.Count == 1)
        {
            long alone = Stopwatch.GetTimestamp();
            operations[0].Run(loops);
            return Nanoseconds(Stopwatch.GetTimestamp() - alone);
        }

        using Barrier barrier = new(operations.Count + 1);
        Exception?[] failures = new Exception?[operations.Count];
        Thread[] threads = [.. operations.Select((operation, index) => new Thread(() =>
        {
            barrier.SignalAndWait();
            try
            {
                operation.Run(loops);
            }
            catch (Exception error)
            {
                failures[index] = error;
            }
        }))];
        foreach (Thread thread in threads)
        {
            thread.Start();
        }

        barrier.SignalAndWait();
        long start = Stopwatch.GetTimestamp();
        foreach (Thread thread in threads)
        {
            thread.Join();
        }

        long elapsed = Stopwatch.GetTimestamp() - start;
        if (failures.FirstOrDefault(failure => failure is not null) is { } first)
        {
            ExceptionDispatchInfo.Throw(first);
        }

        return Nanoseconds(elapsed);
    }

    private static long Nanoseconds(long ticks) =>
        (long)((Int128)ticks * 1_000_000_000 / Stopwatch.Frequency);
}
