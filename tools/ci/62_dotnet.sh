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

# One round of the benchmark, with the peer found where tools/peers.sh puts it.
quick_round() { # COMMAND...
  "$@" -m cngaes bench --quick --rounds 1 --runs 1 --case aes-256-gcm/encrypt/1MiB sha256/hash/1MiB \
    --path cpu dotnet dotnet-intrinsics -o "$out/$RANDOM.json"
}
CNGAES_PEER_DOTNET=$out/linux/cngaes-dotnet timed "a round beside Python's paths" quick_round "$PY"

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
  peer "Windows" --sizes 16B,17B,1000B,1MiB -- "$WINE" "$out/windows/cngaes-dotnet.exe"
  timed "BCrypt calls of each operation" tools/dotnet/trace.sh bcrypt "$out/windows/cngaes-dotnet.exe"
}

[ "$(uname -sm)" = "Linux x86_64" ] || { skip_part "ARM64 and Windows: only on Linux x86-64"; exit 0; }
arm64
windows
