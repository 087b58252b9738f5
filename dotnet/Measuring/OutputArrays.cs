namespace Cngaes.Measuring;

/// <summary>
/// Reused output arrays of exact sizes, which all cells share: one a thread. Their pages are touched when they
/// are made, so that no timed call pays for that. Of the large ones only one size is kept.
/// </summary>
internal sealed class OutputArrays
{
    private const byte Mark = 0xa5;
    private const int Large = 1 << 20;
    private readonly Dictionary<(int Size, int Thread), byte[]> _arrays = [];

    public byte[] Get(int size, int thread)
    {
        if (_arrays.TryGetValue((size, thread), out byte[]? known))
        {
            return known;
        }

        if (size >= Large)
        {
            foreach ((int Size, int Thread) other in _arrays.Keys.Where(key => key.Size >= Large && key.Size != size).ToList())
            {
                _arrays.Remove(other);
            }
        }

        byte[] made = new byte[size];
        Array.Fill(made, Mark);
        _arrays.Add((size, thread), made);
        return made;
    }
}
