using Cngaes.Paths;
using Cngaes.Workload;

namespace Cngaes.Measuring;

/// <summary>One call, ready to be repeated, in one thread: a subclass for each placement.</summary>
internal abstract class Operation : IDisposable
{
    private readonly Func<IEngine> _make;
    private readonly bool _keyPerCall;
    private IEngine? _engine;

    protected Operation(Func<IEngine> make, Cell cell, Material material)
    {
        (_make, _keyPerCall, Cell, Material) = (make, cell.KeyPerCall, cell, material);
        Tag = cell.Case.MakesTag ? new byte[Case.TagSize] : material.Tag;
        using IEngine probe = make();
        (Api, EngineRepeats) = (probe.Api, probe.Repeats);
    }

    public string Api { get; }

    /// <summary>Whether every call gives the bytes of the case, not only the first one of a run.</summary>
    public virtual bool Repeats => EngineRepeats || _keyPerCall;

    /// <summary>What the last call gave.</summary>
    public abstract Output Output { get; }

    protected bool EngineRepeats { get; }

    protected Cell Cell { get; }

    protected Material Material { get; }

    protected byte[] Tag { get; }

    /// <summary>`array` gives the reused array of this thread.</summary>
    public static Operation Create(Func<IEngine> make, Cell cell, Material material, Func<byte[]> array) =>
        cell.Placement switch
        {
            Placement.Into => new IntoOperation(make, cell, material, array),
            Placement.InPlace => new InPlaceOperation(make, cell, material, array),
            Placement.New => new FreshOperation(make, cell, material, typical: false),
            _ => new FreshOperation(make, cell, material, typical: true),
        };

    /// <summary>What happens before each run, outside the clock.</summary>
    public virtual void Restore()
    {
        if (!EngineRepeats)
        {
            _engine?.Dispose();
            _engine = null;
        }

        if (!_keyPerCall)
        {
            _engine ??= _make();
        }
    }

    /// <summary>Lets the array go: another cell is next.</summary>
    public abstract void Release();

    /// <summary>The timed loop.</summary>
    public void Run(long loops)
    {
        if (_keyPerCall)
        {
            for (; loops > 0; loops--)
            {
                using IEngine engine = _make();
                Call(engine);
            }
        }
        else
        {
            IEngine engine = _engine ?? throw new InvalidOperationException("run before restore");
            for (; loops > 0; loops--)
            {
                Call(engine);
            }
        }
    }

    public void Dispose() => _engine?.Dispose();

    protected abstract void Call(IEngine engine);

    protected Output OutputOf(byte[] body) => new(body, Cell.Case.MakesTag ? Tag : []);
}
