#!/usr/bin/env bash
# Budget: 8 minutes. Proves: win_amd64 wheels for CPython 3.12 and 3.13 give their known answers on every
# backend in python.org's Pythons under Wine. By hand: tools/nightly/windows_pythons.sh
. "$(dirname "${BASH_SOURCE[0]}")/../ci/lib.sh"
. "$ROOT/tools/windows/wine.sh"
. "$ROOT/tools/windows/lib.sh"
step_begin
want_apt x86_64-w64-mingw32-g++-posix:g++-mingw-w64-x86-64-posix "$WINE:wine64" ||
  skip_step "Windows x64: $MISSING"
out=$(mktemp -d)
trap 'stop_wine; rm -rf "$out"' EXIT
timed "Wine prefix" start_wine
python_of() { PYTHONPATH="Z:$out/site-$1" in_wine "$WINDOWS/python-$1/python.exe" "${@:2}"; }
for version in 3.12 3.13; do
  if ! timed "build tools for CPython $version" want_host "$version"; then
    skip_part "wheel for CPython $version: $MISSING"
    continue
  fi
  timed "cross-build the wheel for CPython $version" tools/windows/build_wheel.sh amd64 "$out" "$version"
  timed "CPython $version for Windows" want_embed "$version"
  "$PY" -m pip install -q --no-deps --no-index --target "$out/site-$version" --platform win_amd64 \
    --python-version "$version" --implementation cp --only-binary=:all: "$out"/*-cp"${version/./}"-*.whl
  timed "selftest in it" python_of "$version" -m cngaes selftest
  python_of "$version" -c "
import cngaes, sys
for backend in 'cpu', 'cng', 'cng-ctypes':
    key = cngaes.AESGCM(bytes(32), backend=backend)
    assert key.decrypt(bytes(12), key.encrypt(bytes(12), b'data')) == b'data'
    assert cngaes.sha256_digest(b'abc', backend=backend).hex().startswith('ba7816bf')
print('  ', sys.version, cngaes.available_backends())" || die "wheel for CPython $version"
done
