using Cngaes.Intrinsics;
using Cngaes.Workload;

namespace Cngaes.Paths.Intrinsics;

internal sealed class IntrinsicsCtrEngine<TUnit>(Material material) : IEngine
    where TUnit : struct, ICryptoUnit
{
    private readonly AesCtr<TUnit> _ctr = new(material.Key);

    public string Api => TUnit.Name;

    public void Run(byte[] input, byte[] output, byte[] tag) => _ctr.Apply(material.Iv, input, output);

    public void Dispose() => _ctr.Dispose();
}
