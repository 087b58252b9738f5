using System.Text;
using System.Text.Json;
using Cngaes.Measuring;
using Cngaes.Paths;
using Cngaes.Workload;

namespace Cngaes.Tests;

/// <summary>Every path that this machine has: known answers, and the fingerprints that the suite stores.</summary>
public class PathTests
{
    [Theory]
    [MemberData(nameof(Vectors.Modes), MemberType = typeof(Vectors))]
    public void Modes_are_as_in_SP_800_38A(string algorithm, string key, string iv, string cipher)
    {
        (byte[] plain, byte[] expected) = (Vectors.Bytes(Vectors.Plain), Vectors.Bytes(cipher));
        Assert.NotEqual(0, OnEveryPath(algorithm, key, iv, plain, expected, "encrypt"));
        Assert.NotEqual(0, OnEveryPath(algorithm, key, iv, expected, plain, "decrypt"));
    }

    [Theory]
    [MemberData(nameof(Vectors.Gcm), MemberType = typeof(Vectors))]
    public void Gcm_without_associated_data_is_as_specified(
        string key, string nonce, string aad, string plain, string cipher, string tag)
    {
        if (aad.Length != 0 || plain.Length == 0)
        {
            return; // the suite's cases have a message and no associated data; IntrinsicsTests does the rest
        }

        string name = $"aes-{key.Length * 4}-gcm/encrypt/{plain.Length / 2}B";
        Material material = new(Vectors.Bytes(key), [], Vectors.Bytes(nonce), Vectors.Bytes(plain), new byte[16]);
        foreach (IPath path in Available())
        {
            byte[] output = new byte[plain.Length / 2];
            byte[] made = new byte[16];
            if (Run(path, Case.Parse(name), material, output, made))
            {
                Assert.Equal(Vectors.Bytes(cipher), output);
                Assert.Equal(Vectors.Bytes(tag), made);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Vectors.Sha256), MemberType = typeof(Vectors))]
    public void Sha256_is_as_in_FIPS_180_4(string message, string digest)
    {
        byte[] data = Encoding.ASCII.GetBytes(message);
        int paths = 0;
        foreach (IPath path in Available())
        {
            byte[] output = new byte[32];
            if (Run(path, Case.Parse($"sha256/hash/{data.Length}B"), new Material([], [], [], data, []), output, []))
            {
                paths++;
                Assert.Equal(Vectors.Bytes(digest), output);
            }
        }

        Assert.True(paths >= 2);
    }

    [Fact]
    public void Every_path_gives_the_stored_fingerprints()
    {
        using JsonDocument stored = JsonDocument.Parse(File.ReadAllText("fingerprints.json"));
        using Session session = new(Registry.All, warmUp: false);
        Dictionary<string, int> found = [];
        foreach (JsonProperty entry in stored.RootElement.GetProperty("cases").EnumerateObject())
        {
            if (!entry.Name.EndsWith("/1MiB", StringComparison.Ordinal))
            {
                continue;
            }

            string[] words = ["first8", "last16", "sha256"];
            string[] expected = [.. words.Select(word => entry.Value.GetProperty(word).GetString()!)];
            foreach (IPath path in Available())
            {
                try
                {
                    Fingerprint made = session.Prepare(
                        new Cell(Case.Parse(entry.Name), path.Name, Placement.Into, KeyPerCall: false, Threads: 1)).Fingerprint;
                    Assert.Equal(new Fingerprint(expected[0], expected[1], expected[2]), made);
                    found[path.Name] = found.GetValueOrDefault(path.Name) + 1;
                }
                catch (UnsupportedException)
                {
                }
            }
        }

        Assert.True(found["dotnet"] >= 7 && found["dotnet-stream"] >= 4 && found["dotnet-intrinsics"] >= 4);
    }

    [Fact]
    public void Placements_keys_and_threads_give_equal_outputs()
    {
        using Session session = new(Registry.All, warmUp: false);
        foreach (IPath path in Available())
        {
            foreach (string name in new[] { "aes-256-gcm/encrypt", "aes-128-cbc/decrypt", "aes-192-ctr/decrypt", "sha256/hash" })
            {
                List<Fingerprint> found = [];
                foreach (Placement placement in Enum.GetValues<Placement>())
                {
                    foreach (bool perCall in new[] { false, true })
                    {
                        foreach (int threads in new[] { 1, 2 })
                        {
                            try
                            {
                                Cell cell = new(Case.Parse($"{name}/1008B"), path.Name, placement, perCall, threads);
                                found.Add(session.Prepare(cell).Fingerprint);
                                Sample sample = session.Run(3);
                                Assert.True(sample.Nanoseconds > 0);
                                found.Add(session.Verify());
                            }
                            catch (UnsupportedException)
                            {
                            }
                        }
                    }
                }

                Assert.True(found.Distinct().Count() <= 1, $"{path.Name} {name}");
            }
        }
    }

    private static IEnumerable<IPath> Available() => Registry.All.Where(path => path.Unavailable is null);

    private static int OnEveryPath(string algorithm, string key, string iv, byte[] input, byte[] expected, string direction)
    {
        Material material = new(Vectors.Bytes(key), Vectors.Bytes(iv), [], input, []);
        if (iv.Length == 0)
        {
            material = material with { Iv = new byte[16] };
        }

        int paths = 0;
        foreach (IPath path in Available())
        {
            byte[] output = new byte[input.Length];
            if (Run(path, Case.Parse($"{algorithm}/{direction}/{input.Length}B"), material, output, []))
            {
                paths++;
                Assert.Equal(expected, output);
            }
        }

        return paths;
    }

    private static bool Run(IPath path, Case task, Material material, byte[] output, byte[] tag)
    {
        try
        {
            using IEngine engine = path.Create(task, material);
            engine.Run(material.Data, output, tag);
            return true;
        }
        catch (UnsupportedException)
        {
            return false;
        }
    }
}
