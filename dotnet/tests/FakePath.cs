using Cngaes.Paths;
using Cngaes.Workload;

namespace Cngaes.Tests;

/// <summary>A path whose "cipher" adds one to every byte, until it is told to misbehave.</summary>
internal sealed class FakePath : IPath
{
    public string Name => "fake";

    public string? Unavailable { get; init; }

    public IReadOnlyList<Placement> Offers { get; } = [Placement.Into];

    public int Calls { get; private set; }

    public int Alive { get; private set; }

    /// <summary>From this call on the fault happens.</summary>
    public int FaultFrom { get; set; } = int.MaxValue;

    public Action<byte[]> Fault { get; set; } = _ => { };

    public IEngine Create(Case task, Material material)
    {
        Alive++;
        return new Engine(this);
    }

    private sealed class Engine(FakePath owner) : IEngine
    {
        public string Api => "fake";

        public void Run(byte[] input, byte[] output, byte[] tag)
        {
            if (++owner.Calls >= owner.FaultFrom)
            {
                owner.Fault(output);
                return;
            }

            for (int i = 0; i < output.Length; i++)
            {
                output[i] = (byte)(input[i] + 1);
            }
        }

        public void Dispose() => owner.Alive--;
    }
}
