namespace Cngaes.Workload;

/// <summary>A result as it lies in memory: the body, and a tag or nothing.</summary>
internal readonly record struct Output(byte[] Body, byte[] Tag);
