using System.Runtime.InteropServices;

namespace Cngaes.Measuring;

/// <summary>What the operating system counts for this process: page faults and context switches.</summary>
internal static unsafe partial class SystemCounters
{
    // struct rusage: two timevals of 16 bytes, then 14 longs (64-bit Linux and macOS).
    private const int UsageSlots = 18;
    private const int MinorFaults = 8;
    private const int MajorFaults = 9;
    private const int VoluntarySwitches = 16;
    private const int InvoluntarySwitches = 17;

    /// <summary>The counts up to now; switches are null where nobody counts them (Windows).</summary>
    public static (long Faults, long? Voluntary, long? Involuntary) Read()
    {
        if (OperatingSystem.IsWindows())
        {
            MemoryCounters counters = new() { Size = (uint)sizeof(MemoryCounters) };
            return K32GetProcessMemoryInfo(GetCurrentProcess(), &counters, counters.Size) != 0
                ? (counters.PageFaultCount, null, null)
                : throw new InvalidOperationException("GetProcessMemoryInfo failed");
        }

        long* usage = stackalloc long[UsageSlots];
        return getrusage(0, usage) == 0
            ? (usage[MinorFaults] + usage[MajorFaults], usage[VoluntarySwitches], usage[InvoluntarySwitches])
            : throw new InvalidOperationException("getrusage failed");
    }

    [LibraryImport("libc")]
    private static partial int getrusage(int who, long* usage);

    [LibraryImport("kernel32.dll")]
    private static partial nint GetCurrentProcess();

    [LibraryImport("kernel32.dll")]
    private static partial int K32GetProcessMemoryInfo(nint process, MemoryCounters* counters, uint size);

    [StructLayout(LayoutKind.Sequential)]
    private struct MemoryCounters
    {
        public uint Size;
        public uint PageFaultCount;
        private fixed ulong _sizes[8];
    }
}
