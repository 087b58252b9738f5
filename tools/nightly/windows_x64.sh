#!/usr/bin/env bash
# Budget: 4 minutes with downloads cached. Proves: the win_amd64 wheel, cross-built by mingw, works in
# python.org's CPython 3.11 for Windows under Wine: the test suite on the backends cpu, cng and
# cng-ctypes, `info`, `selftest` and a benchmark. Wine's bcrypt.dll is not Windows': it proves the
# bytes and nothing about CNG's speed. By hand: tools/nightly/windows_x64.sh [pytest arguments]
. "$(dirname "${BASH_SOURCE[0]}")/../ci/lib.sh"
. "$ROOT/tools/windows/lib.sh"
step_begin
want_python
want_apt x86_64-w64-mingw32-g++-posix:g++-mingw-w64-x86-64 /usr/lib/wine/wine64:wine64 ||
  skip_step "Windows x64: $MISSING"
want_sdk || skip_step "Windows x64: $MISSING"

out=$(mktemp -d)
trap 'stop_wine; rm -rf "$out"' EXIT
timed "cross-build the win_amd64 wheel" tools/windows/build_wheel.sh amd64 "$out"
timed "Windows Python and its packages" want_windows_python
timed "Wine prefix" start_wine
# A path of Unix is on drive Z there.
timed "pip install in Windows Python" windows_python -m pip install -q --no-index --no-deps \
  --force-reinstall "Z:$(ls "$out"/*.whl)"
windows_python -m cngaes info >"$out/info"
grep -E '^  (cng|cng-ctypes|wine_version)|^default_backend|^python' "$out/info" | sed 's/^/   /'
grep -q '^  cng: available' "$out/info" && grep -q '^  cng-ctypes: available' "$out/info"
timed "selftest" windows_python -m cngaes selftest

windows_tests() {
  windows_python -m pytest -q -ra -p no:cacheprovider "$@" | tee "$out/pytest.log"
}
# What fits the budget; `tools/nightly/windows_x64.sh tests` runs everything (a quarter of an hour).
select=(tests/test_cng.py tests/test_without_peers.py tests/test_known_answers.py
  tests/test_vectors_sha256.py tests/test_vectors_padding.py tests/test_objects.py
  --deselect tests/test_known_answers.py::test_half_a_gib_of_associated_data
  --deselect tests/test_known_answers.py::test_same_answer_in_twenty_processes)
[ $# = 0 ] || select=("$@")
timed "pytest on cpu, cng, cng-ctypes" windows_tests "${select[@]}" || die "tests in Windows Python"
tail -n 1 "$out/pytest.log" | sed 's/^/   /'
# Each reason once, with its number.
sed -nE 's/^SKIPPED \[[0-9]+\] [^ ]+: (.*)$/\1/p' "$out/pytest.log" | sort | uniq -c | sed 's/^/   skipped: /'
timed "bench --quick" windows_python -m cngaes bench --quick --rounds 1 --path cng-kernel cng \
  cng-ctypes kernel cpu -o "Z:$out/bench.json" --html "Z:$out/bench.html"
grep -q wine_version "$out/bench.json" || die "the result does not say that it was made under Wine"
