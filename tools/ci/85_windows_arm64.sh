#!/usr/bin/env bash
# Budget: 6 minutes warm, 15 cold (zig then builds its C++ library). Proves: the win_arm64 wheel,
# cross-built by zig, is ARM64 code with the instructions of every kernel and imports nothing but Windows
# and Python; in a Windows ARM64 CPython under Wine and qemu it gives known answers on cpu, cng and
# cng-ctypes, with the CPU's AES and SHA instructions present and masked; `info`, `selftest` and `bench`
# run there, and so does the console program. That Python is named by CNGAES_WINARM_PYTHON (its setup.sh
# and winpy are used). All of it is emulated: no speed means anything.
# By hand: CNGAES_WINARM_PYTHON=FOLDER tools/ci/85_windows_arm64.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$ROOT/tools/windows/lib.sh"
step_begin
timed "build tools" want_host 3.11 || skip_step "Windows ARM64: $MISSING"

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
timed "cross-build the win_arm64 wheel" tools/windows/build_wheel.sh arm64 "$out"
"$PY" tools/windows/check_pe.py "$out"/*.whl --machine arm64
want_zig
timed "cross-build the console program" "$PY" -m cmake --build build/ci/win-arm64 -j "$JOBS" \
  --target cngaes_selftest
cp build/ci/win-arm64/cngaes_selftest.exe "$out/"

[ -n "${CNGAES_WINARM_PYTHON:-}" ] || {
  skip_part "win_arm64 wheel not run: CNGAES_WINARM_PYTHON names no Windows ARM64 Python"
  exit 0
}
want_apt qemu-aarch64-static:qemu-user-static || {
  skip_part "win_arm64 wheel not run: $MISSING"
  exit 0
}
root=$WINDOWS/arm64
if ! is_current "$root.stamp" "$CNGAES_WINARM_PYTHON/SHA256SUMS"; then
  rm -rf "$root"
  (cd "$CNGAES_WINARM_PYTHON" && sha256sum -c --quiet SHA256SUMS) || die "the Windows ARM64 Python is damaged"
  timed "Windows ARM64 Python" "$CNGAES_WINARM_PYTHON/setup.sh" "$root"
  # For cryptography's wheel, see bcryptprimitives.c.
  "$ZIG" cc -target aarch64-windows-gnu -O2 -shared -nostdlib -Wl,-e,DllMainCRTStartup -s \
    -o "$root/sys/home/wp/drive_c/python/bcryptprimitives.dll" "$WIN_TOOLS/bcryptprimitives.c" -ladvapi32
  set_current "$root.stamp" "$CNGAES_WINARM_PYTHON/SHA256SUMS"
fi
timed "packages for it" want_packages "$WINDOWS/site-arm64" win_arm64 "$WIN_TOOLS/requirements-arm64.txt"
# Whoever looks from there sees this folder only, as Z:\src.
cp -r "$WINDOWS/site-arm64" "$out/site"
"$PY" -m zipfile -e "$out"/*.whl "$out/site"
cp -r tests pyproject.toml "$out/"
export PYTHONPATH='Z:\src\site' WINPY_ENV=PYTHONPATH
winpy() { (cd "$out" && "$CNGAES_WINARM_PYTHON/winpy" "$root" "$@" | tr -d '\r'); }

program() {
  (cd "$out" && WINPY_EXE='Z:\src\cngaes_selftest.exe' "$CNGAES_WINARM_PYTHON/winpy" "$root") >"$out/program"
  grep -q '^backend cng: ecb, cbc, ctr, gcm, sha256, hmac passed' "$out/program"
}
timed "console program" program || { cat "$out/program"; die "console program"; }
tr -d '\r' <"$out/program" | sed 's/^/   /'
winpy -m cngaes info >"$out/info"
grep -E '^  (architecture|cng|cng-ctypes|wine_version|aes|sha256):|^default|^emulation|^cpu_features' "$out/info" | sed 's/^/   /'
grep -q '^  aes: arm64-ce' "$out/info" || die "arm64-ce is not the first kernel"
grep -q '^emulation: arm64 code on an' "$out/info" || die "info does not say that this is emulated"
timed "selftest" winpy -m cngaes selftest

windows_tests() { winpy -m pytest -q -ra --durations=5 -p no:cacheprovider -p no:faulthandler "$@" | tee "$out/pytest.log"; }
# Emulation is slow: of the suite, the known answers of every mode on every backend, and what only
# Windows has.
timed "pytest on cpu, cng, cng-ctypes" windows_tests tests/test_without_peers.py tests/test_cng.py ||
  die "tests in Windows ARM64 Python"
"$PY" tools/windows/check_skips.py "$out/pytest.log"
# The same CPU without what IsProcessorFeaturePresent(30) tells.
export NOCPUINFO=1
winpy -m cngaes info >"$out/masked"
grep -q '^  aes: generic$' "$out/masked" && grep -q '^default_backend: cng$' "$out/masked" ||
  { cat "$out/masked"; die "the masked CPU has another kernel than generic"; }
timed "known answers, instructions masked" windows_tests tests/test_without_peers.py
unset NOCPUINFO
# Without hashlib's path: this Python was built without OpenSSL.
timed "bench --quick" winpy -m cngaes bench --quick --path cpu cng cng-ctypes kernel cng-kernel \
  --size 1MiB --rounds 1 --min-time 1 -o bench.json --md bench.md
head -n 1 "$out/bench.md" | tee "$out/title" | sed 's/^/   /'
grep -q "not Windows' own CNG, EMULATED" "$out/title" || die "the title does not say that this is emulated"
