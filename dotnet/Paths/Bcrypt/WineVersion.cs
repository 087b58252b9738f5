using System.Runtime.InteropServices;

namespace Cngaes.Paths.Bcrypt;

/// <summary>Wine's ntdll exports wine_get_version; Windows' does not.</summary>
internal static unsafe class WineVersion
{
    /// <summary>`8.0`, or null on a real Windows and elsewhere.</summary>
    public static string? Text { get; } = Read();

    public static bool Found => Text is not null;

    private static string? Read()
    {
        if (!OperatingSystem.IsWindows()
            || !NativeLibrary.TryLoad("ntdll.dll", out nint library)
            || !NativeLibrary.TryGetExport(library, "wine_get_version", out nint address))
        {
            return null;
        }

        return Marshal.PtrToStringUTF8(((delegate* unmanaged[Cdecl]<nint>)address)());
    }
}
