#!/usr/bin/env bash
# Budget: 5 minutes (8 with nothing cached). Proves: the wheel cross-built for Linux aarch64 holds the
# kernels arm64-ce and arm64-eor3, EOR3 is in its own file only, `info` and a forced kernel tell the
# truth, and pytest passes on it under qemu-user on three CPUs: `max` (EOR3), `cortex-a76` (no SHA3) and
# one whose AES, PMULL and SHA-2 are masked (generic), each with the kernel that it chooses.
# Emulated Python is ten to twenty times slower, so of the suite run the tests of kernels, modes,
# dispatch and vectors, with series of lengths thinned to one in twenty (CNGAES_TEST_SCALE); what tests
# Python objects, threads and memory is the same code on every CPU. All of it, minutes for each CPU:
# tools/nightly/arm64_linux.sh all
. "$(dirname "${BASH_SOURCE[0]}")/../ci/lib.sh"
step_begin
want_apt qemu-aarch64-static:qemu-user-static aarch64-linux-gnu-g++:g++-aarch64-linux-gnu \
  python3.11:python3.11 || skip_step "ARM64 Linux: $MISSING"

host=$CACHE/arm64-host/bin/python
root=$CACHE/arm64-root
if [ ! -x "$host" ]; then
  timed "host venv, Python 3.11" python3.11 -m venv "$CACHE/arm64-host" || die "no Python 3.11 with venv"
fi
timed "pip install build tools" "$host" -m pip install -q "scikit-build-core>=1.1" "pybind11>=3.1" \
  "cmake>=3.24" "ninja>=1.11"
# Made anew when the script that makes it changes.
stamp=$(sha256sum <tools/arm64/make_root.sh)
if [ "$(cat "$root/stamp" 2>/dev/null)" != "$stamp" ]; then
  timed "aarch64 CPython 3.11 and packages" tools/arm64/make_root.sh "$root" "$host"
  echo "$stamp" >"$root/stamp"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Nothing is emulated here. FindPython takes the target's headers, and the module's suffix must be told.
cross_wheel() {
  PATH="$(dirname "$host"):$PATH" _PYTHON_HOST_PLATFORM=linux-aarch64 CMAKE_GENERATOR=Ninja \
    CMAKE_BUILD_PARALLEL_LEVEL=$JOBS \
    CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE=$ROOT/tools/toolchains/aarch64-linux.cmake -DCNGAES_WERROR=ON \
      -DCMAKE_CXX_FLAGS=-isystem\ $root/sys/usr/include -DPython_INCLUDE_DIR=$root/sys/usr/include/python3.11 \
      -DPYTHON_MODULE_EXTENSION=.cpython-311-aarch64-linux-gnu.so" \
    "$host" -m pip wheel -q --no-build-isolation --no-deps -w "$work" \
    --config-settings=build-dir="$ROOT/build/ci/arm64-wheel" "$ROOT" &&
    "$host" -m pip install -q --no-deps --target "$work/site" --platform linux_aarch64 \
      --python-version 3.11 --implementation cp --abi cp311 --only-binary=:all: "$work"/*.whl
}
timed "cross wheel" cross_wheel

timed "EOR3 in its own file only" "$host" tools/arm64/instructions.py build/ci/arm64-wheel
python() { PYTHONPATH="$work/site" "$root/python" "$@"; }
kernels() { # EXPECTED
  python -c "
import cngaes
assert cngaes.__file__.startswith('$work'), cngaes.__file__
got = ','.join(cngaes.supported_kernels()['aes'])
assert got == '$1', got
assert cngaes.build_info()['instructions']['EOR3'] > 100"
}
forced() { # a kernel that this CPU cannot run is refused, never replaced
  CNGAES_KERNEL=aes=arm64-eor3 python -c "
import cngaes
try:
    cngaes.AESGCM(bytes(32))
except cngaes.UnsupportedBackend as error:
    assert 'arm64-eor3' in str(error), error
else:
    raise AssertionError('a kernel without its instructions was accepted')"
}
masked=CNGAES_CPU_MASK=arm-aes,arm-pmull,arm-sha2,arm-sha3
said() (
  export "$masked"
  python -m cngaes info --json | python -c "
import json, sys
info = json.load(sys.stdin)
assert info['supported_kernels'] == {'aes': ['generic'], 'sha256': ['generic']}, info
assert not {'arm-aes', 'arm-pmull', 'arm-sha2', 'arm-sha3'} & set(info['cpu_features']), info"
)
export QEMU_CPU=max
timed "kernels of max" kernels arm64-eor3,arm64-ce,generic || die "dispatch"
timed "info when masked" said || die "info"
export QEMU_CPU=cortex-a76
timed "kernels of cortex-a76" kernels arm64-ce,generic || die "dispatch"
timed "arm64-eor3 forced on cortex-a76 raises" forced || die "a forced kernel"

cd tests
full=(test_known_answers.py test_cross.py test_cross_counters.py test_vectors_*.py test_dispatch.py
  test_instructions.py test_without_peers.py)
short=(test_known_answers.py test_cross.py test_vectors_aes.py test_vectors_sha256.py
  test_without_peers.py)
export CNGAES_TEST_SCALE=5
if [ "${1:-}" = all ]; then
  full=(test_*.py) short=(test_*.py) CNGAES_TEST_SCALE=100
fi
# Each CPU tests its own choice; the other kernels are another CPU's. Timing means nothing here.
suite() { # NAME ENVIRONMENT KEYWORDS FILE...
  local name=$1 environment=$2 keywords=$3
  shift 3
  timed "pytest: $name" env "$environment" PYTHONPATH="$work/site" "$root/python" -m pytest -q \
    -p no:cacheprovider -p no:hypothesispytest -m "not large and not unicorn" --durations=8 --maxfail=20 \
    -k "not test_import_is_quick and $keywords" "$@"
}
# Two at a time, for two CPUs.
suite "max (EOR3)" QEMU_CPU=max "not arm64-ce and not generic" "${full[@]}" &
first=$!
failed=0
suite "cortex-a76 (no SHA3)" QEMU_CPU=cortex-a76 "not generic" "${short[@]}" || failed=1
suite "masked (generic)" "$masked" "not nothing" "${short[@]}" || failed=1
wait $first || failed=1
[ $failed = 0 ] || die "the suite on ARM64"
