using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text.Json;
using Cngaes.Measuring;
using Cngaes.Paths;
using Cngaes.Paths.Bcrypt;
using Cngaes.Workload;

namespace Cngaes.Protocol;

/// <summary>Answers requests, a line each, until "quit" or the end of the input.</summary>
internal sealed class PeerServer(IReadOnlyList<IPath> paths, TextReader input, TextWriter output, bool warmUp = true)
    : IDisposable
{
    private readonly Session _session = new(paths, warmUp);

    public void Serve()
    {
        while (input.ReadLine() is string line)
        {
            if (string.IsNullOrWhiteSpace(line))
            {
                continue;
            }

            string? answer = Answer(line);
            if (answer is null)
            {
                return;
            }

            output.Write(answer + "\n");
            output.Flush();
        }
    }

    public void Dispose() => _session.Dispose();

    /// <summary>The answer to one line, or null for "quit". Never throws: every failure is an answer.</summary>
    internal string? Answer(string line)
    {
        try
        {
            return Request.Parse(line) switch
            {
                Request.Hello => Hello(),
                Request.Prepare prepare => Answers.Prepared(_session.Prepare(prepare.Cell)),
                Request.Run run => Answers.Timed(_session.Run(run.Loops)),
                Request.Verify => Answers.Verified(_session.Verify()),
                _ => null,
            };
        }
        catch (UnsupportedException error)
        {
            return Answers.Unsupported(error.Message);
        }
        catch (NotSupportedException error)
        {
            return Answers.Unsupported(error.Message);
        }
        catch (Exception error) when (IsNotSupportedByCng(error))
        {
            return Answers.Unsupported("the bcrypt.dll of this system does not have it");
        }
        catch (JsonException error)
        {
            return Answers.Error($"not a line of JSON: {error.Message}");
        }
        catch (WrongOutputException error)
        {
            return Answers.Error($"wrong output: {error.Message}");
        }
        catch (Exception error)
        {
            return Answers.Error($"{error.GetType().Name}: {error.Message}");
        }
    }

    // STATUS_NOT_SUPPORTED by itself, and as the class library passes it on. Wine 8 gives it for AES-192-GCM.
    private static bool IsNotSupportedByCng(Exception error) => error switch
    {
        BcryptException bcrypt => bcrypt.Status == unchecked((int)0xc00000bb),
        CryptographicException library => library.HResult == unchecked((int)0xc10000bb),
        _ => false,
    };

    private string Hello()
    {
        IEnumerable<string> offers = paths
            .Where(path => path.Unavailable is null)
            .SelectMany(path => path.Offers.Select(offer => $"{path.Name}/{offer.ToString().ToLowerInvariant()}"));
        return Answers.Hello("dotnet", RuntimeInformation.FrameworkDescription, Architecture(), offers);
    }

    private static string Architecture() => RuntimeInformation.ProcessArchitecture switch
    {
        System.Runtime.InteropServices.Architecture.X64 => "x86_64",
        System.Runtime.InteropServices.Architecture.Arm64 => "aarch64",
        System.Runtime.InteropServices.Architecture other => other.ToString().ToLowerInvariant(),
    };
}
