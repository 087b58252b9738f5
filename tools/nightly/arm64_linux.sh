#!/usr/bin/env bash
# Budget: 4 minutes (6 with nothing cached). Proves: the wheel cross-built for Linux aarch64 holds the
# kernels arm64-ce and arm64-eor3, EOR3 is in its own file only, and pytest passes on it under qemu-user
# on three CPUs: `max` (EOR3), `cortex-a76` (no SHA3) and one whose AES, PMULL and SHA-2 are masked
# (generic). Of the suite: known answers and dispatch on `max`; on the others known answers.
# Left out are vectors and what tests Python objects, arguments, threads,
# memory and timing: the same code on every CPU, ten times slower emulated. `tools/nightly/arm64_linux.sh all` runs everything.
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
kernels() { # QEMU_CPU EXPECTED
  QEMU_CPU=$1 PYTHONPATH="$work/site" "$root/python" -c "
import cngaes
assert cngaes.__file__.startswith('$work'), cngaes.__file__
got = ','.join(sorted(cngaes.supported_kernels()['aes']))
assert got == '$2', got"
}
timed "kernels of max" kernels max arm64-ce,arm64-eor3,generic || die "dispatch"
timed "kernels of cortex-a76" kernels cortex-a76 arm64-ce,generic || die "dispatch"

failed=0
short=(tests/test_known_answers.py)
selected=("${short[@]}" tests/test_dispatch.py)
if [ "${1:-}" = all ]; then
  selected=(tests)
  short=(tests)
fi
suite() { # NAME ENVIRONMENT FILE...
  local name=$1 environment=$2
  shift 2
  timed "pytest: $name" env "$environment" PYTHONPATH="$work/site" "$root/python" -m pytest -q \
    -p no:cacheprovider --durations=8 --maxfail=20 "$@" || failed=1
}
suite "max (EOR3)" QEMU_CPU=max "${selected[@]}"
suite "cortex-a76 (no SHA3)" QEMU_CPU=cortex-a76 "${short[@]}"
suite "masked (generic)" CNGAES_CPU_MASK=arm-aes,arm-pmull,arm-sha2,arm-sha3 "${short[@]}"
[ $failed = 0 ] || die "the suite on ARM64"
