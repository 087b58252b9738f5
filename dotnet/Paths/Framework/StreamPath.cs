using System.Security.Cryptography;
using Cngaes.Workload;

namespace Cngaes.Paths.Framework;

/// <summary>
/// `dotnet-stream`: the objects that take data in pieces, given all of it at once. TransformBlock does without
/// the copy that EncryptCbc makes first.
/// </summary>
internal sealed class StreamPath : IPath
{
    public string Name => "dotnet-stream";

    public string? Unavailable => null;

    public IReadOnlyList<Placement> Offers { get; } = [Placement.Into];

    public IEngine Create(Case task, Material material) => task.Mode switch
    {
        Mode.Cbc or Mode.Ecb when task.Padding != PaddingMode.None =>
            throw new UnsupportedException("TransformBlock does whole blocks"),
        Mode.Cbc => new TransformEngine(task, material, CipherMode.CBC),
        Mode.Ecb => new TransformEngine(task, material, CipherMode.ECB),
        Mode.Sha256 => new IncrementalHashEngine(),
        Mode.Gcm => throw new UnsupportedException("AesGcm takes whole messages only"),
        _ => throw new UnsupportedException("the class library of .NET has no CTR mode"),
    };
}
