namespace Cngaes.Workload;

/// <summary>Bytes of a right output at even distances, and its tag: compared after every timed value.</summary>
internal sealed class Samples
{
    private const int Count = 32768; // one a page at 128 MiB
    private readonly int _stride;
    private readonly byte[] _bytes;
    private readonly byte[] _tag;
    private readonly int _size;

    public Samples(Output output)
    {
        _size = output.Body.Length;
        _stride = Math.Max(1, _size / Count);
        _bytes = new byte[(_size + _stride - 1) / _stride];
        for (int i = 0; i < _bytes.Length; i++)
        {
            _bytes[i] = output.Body[i * _stride];
        }

        _tag = [.. output.Tag];
    }

    /// <summary>Makes every compared byte wrong, so that an old result cannot pass for a new one.</summary>
    public void Poison(Output output)
    {
        for (int i = 0; i < _bytes.Length && i * _stride < output.Body.Length; i++)
        {
            output.Body[i * _stride] = (byte)~_bytes[i];
        }

        for (int i = 0; i < Math.Min(_tag.Length, output.Tag.Length); i++)
        {
            output.Tag[i] = (byte)~_tag[i];
        }
    }

    /// <summary>Throws <see cref="WrongOutputException"/> unless every compared byte and the tag are right.</summary>
    public void Check(Output output)
    {
        if (output.Body.Length != _size)
        {
            throw new WrongOutputException($"output of {output.Body.Length} bytes, expected {_size}");
        }

        for (int i = 0; i < _bytes.Length; i++)
        {
            if (output.Body[i * _stride] != _bytes[i])
            {
                throw new WrongOutputException($"wrong byte in the output at offset {i * _stride}");
            }
        }

        if (!output.Tag.AsSpan().SequenceEqual(_tag))
        {
            throw new WrongOutputException($"tag {Convert.ToHexStringLower(output.Tag)}, expected {Convert.ToHexStringLower(_tag)}");
        }
    }
}

/// <summary>A path did not do the work, or did it wrong.</summary>
internal sealed class WrongOutputException(string message) : Exception(message);
