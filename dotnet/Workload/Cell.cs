namespace Cngaes.Workload;

/// <summary>What happens to the output.</summary>
internal enum Placement
{
    /// <summary>A reused array.</summary>
    Into,

    /// <summary>A fresh array that .NET does not clear.</summary>
    New,

    /// <summary>Over the input.</summary>
    InPlace,

    /// <summary>A fresh array as people write it: `new byte[n]`, or the overload that returns one.</summary>
    Typical,
}

/// <summary>One way to do one case.</summary>
internal sealed record Cell(Case Case, string Path, Placement Placement, bool KeyPerCall, int Threads)
{
    public static Placement ParsePlacement(string name) => name switch
    {
        "into" => Placement.Into,
        "new" => Placement.New,
        "inplace" => Placement.InPlace,
        "typical" => Placement.Typical,
        _ => throw new NotSupportedException($".NET has no placement '{name}'"),
    };

    public static bool ParseKey(string name) => name switch
    {
        "reused" => false,
        "per-call" => true,
        _ => throw new FormatException($"unknown key '{name}': reused or per-call"),
    };
}
