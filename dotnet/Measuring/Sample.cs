namespace Cngaes.Measuring;

/// <summary>One timed value: nanoseconds of all loops together, and what was counted meanwhile.</summary>
internal sealed record Sample(long Nanoseconds, IReadOnlyList<KeyValuePair<string, long>> Extras);
