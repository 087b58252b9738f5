using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Security.Cryptography;

namespace Cngaes.Intrinsics;

/// <summary>Vectors that depend on a key, outside of what the collector may copy, wiped at the end.</summary>
internal sealed unsafe class SecretVectors(int count) : IDisposable
{
    private const nuint Alignment = 64;
    private Vector128<byte>* _at = Allocate(count);

    public Vector128<byte>* At => _at;

    public void Dispose()
    {
        if (_at is not null)
        {
            CryptographicOperations.ZeroMemory(new Span<byte>(_at, Bytes(count)));
            NativeMemory.AlignedFree(_at);
            _at = null;
        }
    }

    private static Vector128<byte>* Allocate(int count)
    {
        void* memory = NativeMemory.AlignedAlloc((nuint)Bytes(count), Alignment);
        NativeMemory.Clear(memory, (nuint)Bytes(count));
        return (Vector128<byte>*)memory;
    }

    private static int Bytes(int count) => count * Unsafe.SizeOf<Vector128<byte>>();
}
