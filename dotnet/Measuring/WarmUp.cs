using System.Runtime;

namespace Cngaes.Measuring;

/// <summary>
/// Tiered compilation: a method is compiled anew after 30 calls and 100 ms without new methods, in the
/// background. Calls are repeated until nothing was compiled for a while; long calls spend their time below .NET
/// or in methods that are optimised at once, and need no more than one.
/// </summary>
internal static class WarmUp
{
    private const int LeastCalls = 100;
    private static readonly TimeSpan s_quiet = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan s_most = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_step = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan s_longCall = TimeSpan.FromMilliseconds(10);

    /// <summary>Runs until warm; gives the number of calls.</summary>
    public static long Do(Func<long, Sample> run)
    {
        (long calls, long loops) = (0, 1);
        (TimeSpan spent, TimeSpan quiet) = (TimeSpan.Zero, TimeSpan.Zero);
        long methods = JitInfo.GetCompiledMethodCount();
        while (spent < s_most && (quiet < s_quiet || calls < LeastCalls))
        {
            TimeSpan took = TimeSpan.FromMicroseconds(run(loops).Nanoseconds / 1000.0);
            calls += loops;
            if (took / loops > s_longCall)
            {
                break;
            }

            spent += took;
            long now = JitInfo.GetCompiledMethodCount();
            quiet = now == methods ? quiet + took : TimeSpan.Zero;
            methods = now;
            if (took < s_step)
            {
                loops *= 2;
            }
        }

        return calls;
    }
}
