#!/usr/bin/env bash
# Budget: 5 minutes (8 with nothing cached). Proves: the wheel cross-built for Linux aarch64 holds the
# kernels arm64-ce and arm64-eor3, EOR3 is in its own file only, `info` and a forced kernel tell the
# truth, and pytest passes on it under qemu-user on three CPUs: `max` (EOR3), `cortex-a76` (no SHA3) and
# one whose AES, PMULL and SHA-2 are masked (generic), each with the kernel that it chooses.
# Emulated Python is ten to twenty times slower, so of the suite run the tests of kernels, modes and
# vectors, with series of lengths thinned to one in twenty (CNGAES_TEST_SCALE). Left out: what starts a
# process for each case, and Monte Carlo tests when masked (s390x and x86 run them on the same generic
# code); what tests Python objects, threads and memory is the same code on every CPU. Every test:
# tools/ci/70_linux_arm64.sh all; thinned series: CNGAES_TEST_SCALE=5 before it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. tools/windows/lib.sh
step_begin
want_apt qemu-aarch64-static:qemu-user-static aarch64-linux-gnu-g++:g++-aarch64-linux-gnu ||
  skip_step "ARM64 Linux: $MISSING"
timed "host CPython 3.11 with pinned build tools" want_host 3.11 || skip_step "ARM64 Linux: $MISSING"
host=$PY root=$CACHE/arm64-root
# Made anew when the scripts that make it change.
make_root() {
  is_current "$root/stamp" tools/arm64/make_root.sh tools/arm64/unpack_debian.sh && return
  tools/arm64/make_root.sh "$root" "$host" &&
    set_current "$root/stamp" tools/arm64/make_root.sh tools/arm64/unpack_debian.sh
}
timed "aarch64 CPython 3.11 and packages" make_root || die "no CPython for aarch64"

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
found = cngaes.build_info()['instructions']
assert min(found[name] for name in ('AESE', 'AESD', 'PMULL', 'SHA256H')) > 30, found
assert found['EOR3'] > 100, found"
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
files=(test_known_answers.py test_cross.py test_vectors_aes.py test_vectors_sha256.py
  test_without_peers.py)
more=(test_instructions.py) # on one CPU
quick="not twenty_processes" without_loops="not monte_carlo"
scale=5
if [ "${1:-}" = all ]; then
  files=(test_*.py) more=() quick="not nothing" without_loops=$quick scale=100
fi
export CNGAES_TEST_SCALE=${CNGAES_TEST_SCALE:-$scale}
# Each CPU tests its own choice; the other kernels are another CPU's. SHA-256 is by arm64-ce on both.
# Timing means nothing here.
hashes="sha256 or hash or hmac or around_a_block"
suite() { # NAME ENVIRONMENT KEYWORDS FILE...
  local name=$1 environment=$2 keywords=$3
  shift 3
  timed "pytest: $name" env "$environment" PYTHONPATH="$work/site" "$root/python" -m pytest -q \
    -p no:cacheprovider -p no:hypothesispytest -m "not large and not unicorn" --durations=8 --maxfail=20 \
    -k "not test_import_is_quick and $quick and $keywords" "$@"
}
# Two at a time, for two CPUs.
suite "max (EOR3)" QEMU_CPU=max "not generic and (not arm64-ce or $hashes)" "${files[@]}" "${more[@]}" &
first=$!
failed=0
suite "cortex-a76 (no SHA3)" QEMU_CPU=cortex-a76 "not generic" "${files[@]}" || failed=1
suite "masked (generic)" "$masked" "$without_loops" "${files[@]}" || failed=1
wait $first || failed=1
[ $failed = 0 ] || die "the suite on ARM64"
