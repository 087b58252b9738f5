using Cngaes.Paths;
using Cngaes.Workload;

namespace Cngaes.Measuring;

/// <summary>Into one reused array.</summary>
internal sealed class IntoOperation(Func<IEngine> make, Cell cell, Material material, Func<byte[]> array)
    : Operation(make, cell, material)
{
    private byte[] _output = [];

    public override Output Output => OutputOf(_output);

    public override void Restore()
    {
        base.Restore();
        _output = array();
    }

    public override void Release() => _output = [];

    protected override void Call(IEngine engine) => engine.Run(Material.Data, _output, Tag);
}

/// <summary>Over the input, which is put back before every run.</summary>
internal sealed class InPlaceOperation : Operation
{
    private readonly Func<byte[]> _array;
    private byte[] _data = [];

    public InPlaceOperation(Func<IEngine> make, Cell cell, Material material, Func<byte[]> array)
        : base(make, cell, material)
    {
        if (cell.Case.Direction == Direction.Hash)
        {
            throw new UnsupportedException("a hash does not replace its input");
        }

        if (cell.Case is { Mode: Mode.Gcm, Direction: Direction.Decrypt })
        {
            throw new UnsupportedException("decrypting GCM in place needs fresh ciphertext for every call");
        }

        if (cell.Case.OutputSize != material.Data.Length)
        {
            throw new UnsupportedException("padding changes the length: an array cannot hold both");
        }

        _array = array;
    }

    public override bool Repeats => false;

    public override Output Output => OutputOf(_data);

    public override void Restore()
    {
        base.Restore();
        _data = _array();
        Material.Data.CopyTo(_data, 0);
    }

    public override void Release() => _data = [];

    protected override void Call(IEngine engine) => engine.Run(_data, _data, Tag);
}

/// <summary>Into an array made in every call. The one before it is garbage from then on.</summary>
internal sealed class FreshOperation(Func<IEngine> make, Cell cell, Material material, bool typical)
    : Operation(make, cell, material)
{
    private byte[] _output = [];

    public override Output Output => OutputOf(_output);

    public override void Restore()
    {
        base.Restore();
        _output = [];
    }

    public override void Release() => _output = [];

    protected override void Call(IEngine engine)
    {
        if (typical)
        {
            _output = engine.RunTypical(Material.Data, Cell.Case.OutputSize, Tag);
        }
        else
        {
            byte[] output = GC.AllocateUninitializedArray<byte>(Cell.Case.OutputSize);
            engine.Run(Material.Data, output, Tag);
            _output = output;
        }
    }
}
