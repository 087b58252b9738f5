using Cngaes.Workload;

namespace Cngaes.Paths;

/// <summary>A key (or hash) object of one library for one mode and direction: does whole messages.</summary>
internal interface IEngine : IDisposable
{
    /// <summary>What is called, for the report: `AesGcm.Encrypt`.</summary>
    string Api { get; }

    /// <summary>False when an object's second message continues the first, as in a chain.</summary>
    bool Repeats => true;

    /// <summary>One message from array to array of exact sizes; `tag` is written or checked by GCM only.</summary>
    void Run(byte[] input, byte[] output, byte[] tag);

    /// <summary>The same into fresh memory, the way people write it.</summary>
    byte[] RunTypical(byte[] input, int outputSize, byte[] tag)
    {
        byte[] output = new byte[outputSize];
        Run(input, output, tag);
        return output;
    }
}

/// <summary>One way to reach AES and SHA-256 from .NET.</summary>
internal interface IPath
{
    string Name { get; }

    /// <summary>Why the path cannot be used on this machine; null if it can.</summary>
    string? Unavailable { get; }

    /// <summary>Placements that are measured without being asked for.</summary>
    IReadOnlyList<Placement> Offers { get; }

    /// <summary>Makes the key object; throws <see cref="UnsupportedException"/> if there is none for this task.</summary>
    IEngine Create(Case task, Material material);
}
