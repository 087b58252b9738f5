using System.Runtime;
using System.Runtime.InteropServices;
using Cngaes.Paths.Bcrypt;

namespace Cngaes.Measuring;

/// <summary>What runs this program, for every result.</summary>
internal static class RuntimeFacts
{
    public static IReadOnlyDictionary<string, string> All { get; } = Describe();

    private static Dictionary<string, string> Describe()
    {
        Dictionary<string, string> found = new()
        {
            ["runtime"] = RuntimeInformation.FrameworkDescription,
            ["process_arch"] = RuntimeInformation.ProcessArchitecture.ToString(),
            ["os_arch"] = RuntimeInformation.OSArchitecture.ToString(),
            ["gc"] = GCSettings.IsServerGC ? "server" : "workstation",
            ["gc_latency"] = GCSettings.LatencyMode.ToString(),
        };
        if (WineVersion.Text is string wine)
        {
            found["wine_version"] = wine;
        }

        return found;
    }
}
