namespace Cngaes.Paths;

/// <summary>A path cannot do this cell, or cannot be used here; the text says why.</summary>
internal sealed class UnsupportedException(string message) : Exception(message);
