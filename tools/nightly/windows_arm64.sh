#!/usr/bin/env bash
# Budget: 6 minutes warm, 15 cold (zig then builds its C++ library). Proves: the win_arm64 wheel,
# cross-built by zig, is ARM64 code that imports nothing but Windows and Python, and gives known
# answers on every backend in a Windows ARM64 CPython under Wine and qemu. That Python is named by
# CNGAES_WINARM_PYTHON (its setup.sh and winpy are used). Emulated: no speed means anything.
# By hand: CNGAES_WINARM_PYTHON=FOLDER tools/nightly/windows_arm64.sh
. "$(dirname "${BASH_SOURCE[0]}")/../ci/lib.sh"
. "$ROOT/tools/windows/lib.sh"
step_begin
want_python
want_sdk || skip_step "Windows ARM64: $MISSING"

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
timed "cross-build the win_arm64 wheel" tools/windows/build_wheel.sh arm64 "$out"
"$PY" tools/windows/check_pe.py "$out"/*.whl --machine arm64

[ -n "${CNGAES_WINARM_PYTHON:-}" ] || {
  skip_part "win_arm64 wheel not run: CNGAES_WINARM_PYTHON names no Windows ARM64 Python"
  exit 0
}
want_apt qemu-aarch64-static:qemu-user-static || {
  skip_part "win_arm64 wheel not run: $MISSING"
  exit 0
}
root=$WINDOWS/arm64
winpy() { (cd "$out" && "$CNGAES_WINARM_PYTHON/winpy" "$root" "$@"); }
if [ ! -e "$root/ready" ]; then
  timed "Windows ARM64 Python" "$CNGAES_WINARM_PYTHON/setup.sh" "$root"
  : >"$root/ready"
fi
"$PY" -m pip install -q --no-deps --no-compile --target "$out/site" --only-binary=:all: \
  --platform win_arm64 --python-version 3.11 --implementation cp --abi none --require-hashes \
  -r tools/windows/requirements-arm64.txt
"$PY" -m zipfile -e "$out"/*.whl "$out/site"
cp tests/test_without_peers.py "$out/test_arm64.py"
export PYTHONPATH='Z:\src\site' WINPY_ENV=PYTHONPATH
winpy -m cngaes info | tr -d '\r' | grep -E '^  (architecture|cng|cng-ctypes|wine_version)|^default' | sed 's/^/   /'
timed "selftest" winpy -m cngaes selftest
timed "known answers on cpu, cng, cng-ctypes" winpy -m pytest -q -p no:cacheprovider test_arm64.py
