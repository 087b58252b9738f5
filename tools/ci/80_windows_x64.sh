#!/usr/bin/env bash
# Budget: 4 minutes with downloads cached. Proves: the win_amd64 wheel, cross-built by mingw, works in
# python.org's CPython 3.11 for Windows under Wine: the tests on the backends cpu, cng and cng-ctypes
# against cryptography and pycryptodomex, `info`, `selftest`, a benchmark, the console program.
# Wine's bcrypt.dll is not Windows': it proves the bytes and nothing about CNG's speed.
# The whole suite: tools/nightly/windows_x64_whole.sh; CPython 3.12 and 3.13: windows_pythons.sh there.
# By hand: tools/ci/80_windows_x64.sh [pytest arguments]
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$ROOT/tools/windows/wine.sh"
. "$ROOT/tools/windows/lib.sh"
step_begin
want_apt x86_64-w64-mingw32-g++-posix:g++-mingw-w64-x86-64-posix "$WINE:wine64" ||
  skip_step "Windows x64: $MISSING"
timed "build tools" want_host 3.11 || skip_step "Windows x64: $MISSING"

out=$(mktemp -d)
trap 'stop_wine; rm -rf "$out"' EXIT
timed "cross-build the win_amd64 wheel" tools/windows/build_wheel.sh amd64 "$out"
"$PY" tools/windows/check_pe.py "$out"/*.whl --machine amd64
timed "cross-build the console program" "$PY" -m cmake --build build/ci/win-amd64 -j "$JOBS" \
  --target cngaes_selftest
timed "Windows Python and its packages" want_windows_python
timed "Wine prefix" start_wine

in_wine build/ci/win-amd64/cngaes_selftest.exe >"$out/program" || { cat "$out/program"; die "console program"; }
sed 's/^/   /' "$out/program"
grep -q '^backend cng: ecb, cbc, ctr, gcm, sha256, hmac passed' "$out/program" || die "no CNG in the program"
# A path of Unix is on drive Z there.
timed "pip install in Windows Python" windows_python -m pip install -q --no-index --no-deps \
  --force-reinstall "Z:$(ls "$out"/*.whl)"
windows_python -m cngaes info >"$out/info"
grep -E '^  (cng|cng-ctypes|wine_version)|^default_backend|^emulation|^python' "$out/info" | sed 's/^/   /'
grep -q '^  cng: available' "$out/info" && grep -q '^  cng-ctypes: available' "$out/info" ||
  die "backends are missing"
timed "selftest" windows_python -m cngaes selftest

windows_tests() {
  windows_python -m pytest -q -ra --durations=10 -p no:cacheprovider "$@" | tee "$out/pytest.log"
}
# What fits the budget: every mode, error and limit on every backend.
select=(tests/test_cng.py tests/test_without_peers.py tests/test_known_answers.py tests/test_dispatch.py
  tests/test_objects.py tests/test_vectors_aes.py tests/test_vectors_gcm.py tests/test_vectors_padding.py
  tests/test_bad_arguments.py tests/test_c_abi.py tests/test_split.py::test_exit_in_the_middle
  --deselect tests/test_known_answers.py::test_half_a_gib_of_associated_data
  --deselect tests/test_known_answers.py::test_same_answer_in_twenty_processes)
[ $# = 0 ] || select=("$@")
timed "pytest on cpu, cng, cng-ctypes" windows_tests "${select[@]}" || die "tests in Windows Python"
"$PY" tools/windows/check_skips.py "$out/pytest.log"
timed "bench --quick" windows_python -m cngaes bench --quick -o "Z:$out/bench.json" --md "Z:$out/bench.md"
grep -q wine_version "$out/bench.json" || die "the result does not say that it was made under Wine"
head -n 1 "$out/bench.md" | tee "$out/title" | sed 's/^/   /'
grep -q "not Windows' own CNG" "$out/title" || die "the title does not say that it was made under Wine"
timed "bench: our side of a CNG call" windows_python -m cngaes bench --case aes-256-gcm/encrypt/16B \
  --path cng cng-kernel cng-noop cng-noop-kernel --placement into --rounds 5 -o "Z:$out/call.json" --md "Z:$out/call.md"
grep -E '^\| cng.*/into' "$out/call.md" | cut -d'|' -f2-4 | sed 's/^/   fastest and median ns:/'
