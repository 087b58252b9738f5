#!/usr/bin/env bash
# Budget: 4 minutes. Proves, of the .NET peer: its tests (known answers, protocol, errors); the same
# fingerprints as the suite's own libraries in every cell it offers, on this machine, as a win-x64 build
# under Wine and, for the instructions of ARM64, as a linux-arm64 build in an emulator; one quick round
# beside Python's paths, here and in Windows Python; and which calls .NET makes: one EVP_CipherUpdate
# or BCryptEncrypt over the whole message. Needs an SDK: CNGAES_DOTNET_SDK, or dotnet on PATH.
# By hand: tools/ci/62_dotnet.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$ROOT/tools/dotnet/lib.sh"
. "$ROOT/tools/windows/wine.sh"
. "$ROOT/tools/windows/lib.sh"
step_begin
want_dotnet || skip_step ".NET: $MISSING"
want_python
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

timed "dotnet test" dotnet test "$ROOT/dotnet/tests/cngaes-dotnet-tests.csproj" -c Release \
  --artifacts-path "$(dotnet_artifacts)" || die "the tests of the .NET peer"
timed "build" tools/dotnet/build.sh "$out/linux"
peer() { timed "$1: all cells against Python" "$PY" tools/dotnet/check_peer.py "${@:2}" --peer --warm-up no || die "$1"; }
peer "Linux" -- "$out/linux/cngaes-dotnet"
timed "the article's column" "$out/linux/cngaes-dotnet" --article --size 4MiB --rounds 1
timed "EVP calls of each operation" tools/dotnet/trace.sh evp "$out/linux/cngaes-dotnet"

# One round of the benchmark of this checkout, with the .NET peer among Python's paths; it says so, too.
round() { # PROGRAM PATHS PYTHON...
  local program=$1 paths=$2 start
  shift 2
  start='import sys; sys.path.insert(0, sys.argv.pop(1)); from cngaes_bench.cli import main'
  # shellcheck disable=SC2086
  CNGAES_PEER_DOTNET=$program "$@" -c "$start; sys.exit(main(sys.argv[1:]))" "$BENCH" --rounds 1 \
    --case aes-256-gcm/encrypt/1MiB aes-256-cbc/encrypt/1MiB --path $paths --md "$RESULT" || return
  for path in $paths; do
    grep -qE "^\| *$path/" "$out/round.md" || { echo "no row of $path"; return 1; }
  done
}
BENCH=$ROOT/bench RESULT=$out/round.md timed "a round beside Python's paths" \
  round "$out/linux/cngaes-dotnet" "cryptography dotnet dotnet-stream dotnet-intrinsics" "$PY" ||
  die "the peer in a round"

arm64() {
  local root=$CACHE/dotnet-arm64-root
  want_apt qemu-aarch64-static:qemu-user-static || { skip_part "ARM64: $MISSING"; return; }
  (want_dotnet arm64) || { skip_part "ARM64: $MISSING"; return; }
  [ -e "$root/lib/ld-linux-aarch64.so.1" ] ||
    timed "ARM64 libraries" tools/arm64/unpack_debian.sh "$root" libc6 libgcc-s1 libstdc++6 zlib1g libssl3 ||
    { skip_part "ARM64: Debian's packages could not be had"; return; }
  timed "build for linux-arm64" tools/dotnet/build.sh "$out/arm64" linux-arm64
  peer "ARM64" --paths dotnet-intrinsics --threads 1 --sizes 17B,128B,1000B,4095B -- \
    qemu-aarch64-static -L "$root" \
    -E "LD_LIBRARY_PATH=$root/lib/aarch64-linux-gnu:$root/usr/lib/aarch64-linux-gnu" "$out/arm64/cngaes-dotnet"
}

windows() {
  want_wine || { skip_part "Windows: $MISSING"; return; }
  timed "build for win-x64" tools/dotnet/build.sh "$out/windows" win-x64
  trap 'stop_wine; rm -rf "$out"' EXIT
  timed "Wine prefix" start_wine
  peer "Windows" --sizes 16B,17B,1000B,16KiB -- "$WINE" "$out/windows/cngaes-dotnet.exe"
  timed "BCrypt calls of each operation" tools/dotnet/trace.sh bcrypt "$out/windows/cngaes-dotnet.exe"
  windows_round
}

windows_round() {
  want_apt x86_64-w64-mingw32-g++-posix:g++-mingw-w64-x86-64 && want_host 3.11 && want_sdk 3.11 ||
    { skip_part "a round in Windows Python: $MISSING"; return; }
  timed "Windows Python and its packages" want_windows_python
  timed "cross-build the win_amd64 wheel" tools/windows/build_wheel.sh amd64 "$out"
  "$PY" -m zipfile -e "$(ls "$out"/*.whl)" "$out/site"
  rm -f "$out/round.md"
  PYTHONPATH=Z:$out/site BENCH=Z:$ROOT/bench RESULT=Z:$out/round.md timed "a round in Windows Python" \
    round "Z:$out/windows/cngaes-dotnet.exe" \
    "cng cng-ctypes dotnet dotnet-stream dotnet-bcrypt dotnet-intrinsics" windows_python ||
    die "the peer in a round in Windows Python"
}

[ "$(uname -sm)" = "Linux x86_64" ] || { skip_part "ARM64 and Windows: only on Linux x86-64"; exit 0; }
arm64
windows
