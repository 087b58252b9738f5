using Cngaes.Workload;

namespace Cngaes.Paths.Framework;

/// <summary>`dotnet`: the class library's one-shot calls, as C# programs use them.</summary>
internal sealed class FrameworkPath : IPath
{
    public string Name => "dotnet";

    public string? Unavailable => null;

    public IReadOnlyList<Placement> Offers { get; } = [Placement.Into, Placement.New, Placement.Typical];

    public IEngine Create(Case task, Material material) => task.Mode switch
    {
        Mode.Gcm => new GcmEngine(task.Direction, material),
        Mode.Cbc => new CbcEngine(task, material),
        Mode.Ecb => new EcbEngine(task, material),
        Mode.Sha256 => new HashDataEngine(),
        _ => throw new UnsupportedException("the class library of .NET has no CTR mode"),
    };
}
