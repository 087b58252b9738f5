using Cngaes.Paths;
using Cngaes.Workload;

namespace Cngaes.Commands;

/// <summary>
/// Does every operation once between two marks, for a tracer of the library below: what is called, how often and
/// with which buffers. Marks go to standard error, where tracers write, and name the arrays' addresses.
/// </summary>
internal sealed unsafe class Trace(IReadOnlyList<IPath> paths, int size, TextWriter marks)
{
    private static readonly string[] s_tasks =
    [
        "aes-256-gcm/encrypt", "aes-256-gcm/decrypt", "aes-128-cbc/encrypt", "aes-256-cbc/encrypt",
        "aes-256-cbc/decrypt", "aes-256-ecb/encrypt", "aes-256-ecb/decrypt", "sha256/hash",
    ];

    public void Run()
    {
        MaterialSource source = new();
        foreach (string name in s_tasks)
        {
            Case task = Case.Parse($"{name}/{size}B");
            Material material = source.For(task);
            foreach (IPath path in paths.Where(path => path.Unavailable is null))
            {
                Do(path, task, name, material);
            }
        }
    }

    private void Do(IPath path, Case task, string name, Material material)
    {
        byte[] output = new byte[task.OutputSize];
        byte[] tag = [.. material.Tag];
        try
        {
            // What is done once in a process (loading, opening a provider) is done before the first mark.
            using IEngine first = path.Create(task, material);
            first.Run(material.Data, output, tag);
        }
        catch (UnsupportedException)
        {
            return;
        }

        fixed (byte* from = material.Data, to = output)
        {
            string operation = $"{path.Name}/{name}";
            Mark($"begin {operation}/create");
            using IEngine engine = path.Create(task, material);
            Mark($"end {operation}/create");
            Mark($"begin {operation}/run bytes={material.Data.Length} input={(nuint)from:x} output={(nuint)to:x}");
            engine.Run(material.Data, output, tag);
            Mark($"end {operation}/run");
        }
    }

    private void Mark(string text)
    {
        marks.Write($"MARK {text}\n");
        marks.Flush();
    }
}
