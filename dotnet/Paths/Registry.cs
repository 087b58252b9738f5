using Cngaes.Paths.Bcrypt;
using Cngaes.Paths.Framework;
using Cngaes.Paths.Intrinsics;

namespace Cngaes.Paths;

/// <summary>The list of paths.</summary>
internal static class Registry
{
    public static IReadOnlyList<IPath> All { get; } =
        [new FrameworkPath(), new StreamPath(), new BcryptPath(), new IntrinsicsPath()];

    public static IPath Find(string name) =>
        All.FirstOrDefault(path => path.Name == name)
        ?? throw new FormatException($"unknown path '{name}'; known: {string.Join(", ", All.Select(path => path.Name))}");
}
