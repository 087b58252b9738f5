namespace Cngaes.Paths.Bcrypt;

/// <summary>A function of bcrypt.dll failed.</summary>
internal sealed class BcryptException(string function, int status)
    : Exception($"{function} answered {status:x8}")
{
    public int Status => status;

    public static void ThrowUnless(bool success, string function, int status)
    {
        if (!success)
        {
            throw new BcryptException(function, status);
        }
    }

    public static void Check(string function, int status) =>
        ThrowUnless(status == NativeMethods.StatusSuccess, function, status);
}
