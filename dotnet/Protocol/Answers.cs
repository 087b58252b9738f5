using System.Text;
using System.Text.Json;
using Cngaes.Measuring;
using Cngaes.Workload;

namespace Cngaes.Protocol;

/// <summary>Writes the answers, each one line of JSON.</summary>
internal static class Answers
{
    public static string Hello(string name, string version, string arch, IEnumerable<string> paths) => Line(json =>
    {
        json.WriteString("name", name);
        json.WriteString("version", version);
        json.WriteString("arch", arch);
        json.WriteStartArray("paths");
        foreach (string path in paths)
        {
            json.WriteStringValue(path);
        }

        json.WriteEndArray();
    });

    public static string Prepared(Prepared prepared) => Line(json =>
    {
        WriteFingerprint(json, prepared.Fingerprint);
        json.WriteNumber("ns", prepared.Nanoseconds);
        json.WriteStartObject("details");
        foreach ((string name, string value) in prepared.Details)
        {
            json.WriteString(name, value);
        }

        json.WriteEndObject();
    });

    public static string Verified(Fingerprint fingerprint) => Line(json => WriteFingerprint(json, fingerprint));

    public static string Timed(Sample sample) => Line(json =>
    {
        json.WriteNumber("ns", sample.Nanoseconds);
        json.WriteStartObject("extras");
        foreach ((string name, long value) in sample.Extras)
        {
            json.WriteNumber(name, value);
        }

        json.WriteEndObject();
    });

    public static string Unsupported(string why) => Line(json => json.WriteString("unsupported", why));

    public static string Error(string text) => Line(json => json.WriteString("error", text));

    private static void WriteFingerprint(Utf8JsonWriter json, Fingerprint fingerprint)
    {
        json.WriteStartObject("ok");
        json.WriteString("first8", fingerprint.First8);
        json.WriteString("last16", fingerprint.Last16);
        json.WriteString("sha256", fingerprint.Sha256);
        json.WriteEndObject();
    }

    private static string Line(Action<Utf8JsonWriter> write)
    {
        using MemoryStream stream = new();
        using (Utf8JsonWriter json = new(stream))
        {
            json.WriteStartObject();
            write(json);
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(stream.ToArray());
    }
}
