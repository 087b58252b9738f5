# Measures this Windows machine: builds and installs cngaes into a fresh virtual environment, runs the
# known answers, then the article's benchmark twice, and packs everything into one zip. Where .NET's SDK
# is installed, the C# peer takes part.
#   powershell -ExecutionPolicy Bypass -File tools\windows\measure.ps1 [-Python py] [-Wheel FILE] [-Out FOLDER]
# Needs a CPython of the machine's own architecture (on a Snapdragon: ARM64) and, without -Wheel, the
# C++ tools of Visual Studio 2022. About ten minutes; close other programs and plug the machine in.
param(
    [string]$Python = "python",
    [string]$Wheel = "",
    [string]$Out = "cngaes-results"
)
$ErrorActionPreference = "Stop"
$root = (Resolve-Path (Join-Path $PSScriptRoot "..\..")).Path
New-Item -ItemType Directory -Force -Path $Out | Out-Null
$Out = (Resolve-Path $Out).Path

function Run {
    & $args[0] @($args | Select-Object -Skip 1)
    if ($LASTEXITCODE -ne 0) { throw "failed with $LASTEXITCODE`: $args" }
}

$venv = Join-Path ([IO.Path]::GetTempPath()) ("cngaes-" + [Guid]::NewGuid())
Run $Python -m venv $venv
$py = Join-Path $venv "Scripts\python.exe"
if ($Wheel) { $source = (Resolve-Path $Wheel).Path } else { $source = $root }
Run $py -m pip install --quiet "$source[bench]"
$peers = @()
if (Get-Command dotnet -ErrorAction SilentlyContinue) {
    $env:CNGAES_PEERS = Join-Path $venv "peers"
    & dotnet publish (Join-Path $root "dotnet\cngaes-dotnet.csproj") -c Release -o "$env:CNGAES_PEERS\dotnet"
    if ($LASTEXITCODE -eq 0) { $peers = @("--peers", "dotnet") } else { Write-Warning "measured without .NET" }
}
Push-Location $Out
try {
    Run $py -m cngaes info | Tee-Object -FilePath info.txt
    Run $py -m cngaes selftest | Tee-Object -FilePath selftest.txt
    Run $py -m cngaes bench --article --runs 2 --force @peers -o bench.json --html bench.html --md bench.md
} finally {
    Pop-Location
}
Compress-Archive -Force -Path (Join-Path $Out "*") -DestinationPath "$Out.zip"
Remove-Item -Recurse -Force $venv
Write-Output "Results: $Out.zip"
