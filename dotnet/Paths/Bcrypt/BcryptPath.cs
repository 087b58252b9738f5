using System.Security.Cryptography;
using Cngaes.Workload;

namespace Cngaes.Paths.Bcrypt;

/// <summary>`dotnet-bcrypt`: bcrypt.dll called by P/Invoke on pinned arrays, without the class library.</summary>
internal sealed class BcryptPath : IPath
{
    public string Name => "dotnet-bcrypt";

    public string? Unavailable => OperatingSystem.IsWindows() ? null : "bcrypt.dll is a part of Windows";

    public IReadOnlyList<Placement> Offers { get; } = [Placement.Into];

    public IEngine Create(Case task, Material material) => task.Mode switch
    {
        _ when task.Padding != PaddingMode.None => throw new UnsupportedException("written for whole blocks"),
        Mode.Gcm => new BcryptGcmEngine(task.Direction, material),
        Mode.Cbc => new BcryptBlockEngine(task.Direction, material.Key, "ChainingModeCBC", material.Iv),
        Mode.Ecb => new BcryptBlockEngine(task.Direction, material.Key, "ChainingModeECB", []),
        Mode.Sha256 => new BcryptHashEngine(),
        _ => throw new UnsupportedException("CNG has no CTR mode"),
    };
}
