using Cngaes.Intrinsics;
using Cngaes.Workload;

namespace Cngaes.Paths.Intrinsics;

/// <summary>`dotnet-intrinsics`: AES-GCM, CTR and SHA-256 written in C# over System.Runtime.Intrinsics.</summary>
internal sealed class IntrinsicsPath : IPath
{
    public string Name => "dotnet-intrinsics";

    public string? Unavailable =>
        X86Unit.IsSupported || ArmUnit.IsSupported
            ? null
            : ".NET reports neither AES-NI with PCLMULQDQ nor Arm AES with PMULL on this CPU";

    public IReadOnlyList<Placement> Offers { get; } = [Placement.Into];

    public IEngine Create(Case task, Material material) => task.Mode switch
    {
        Mode.Sha256 when ArmSha256.IsSupported => new IntrinsicsHashEngine(),
        Mode.Sha256 => throw new UnsupportedException(
            "the class library of .NET 10 has SHA-256 instructions for Arm only, and they are not on this CPU"),
        _ when X86Unit.IsSupported => CreateCipher<X86Unit>(task, material),
        _ => CreateCipher<ArmUnit>(task, material),
    };

    internal static IEngine CreateCipher<TUnit>(Case task, Material material)
        where TUnit : struct, ICryptoUnit => task.Mode switch
    {
        Mode.Gcm => new IntrinsicsGcmEngine<TUnit>(task.Direction, material),
        Mode.Ctr => new IntrinsicsCtrEngine<TUnit>(material),
        _ => throw new UnsupportedException("written for GCM, CTR and SHA-256 only"),
    };
}
