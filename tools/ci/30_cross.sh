#!/usr/bin/env bash
# Budget: 6 minutes. Proves: core, kernels and C++ tests compile and link, warnings as errors, for
# Windows x64 (mingw: long has 32 bits), ARM64 Linux, 32-bit x86 and big-endian s390x; the C++ tests
# pass natively with -m32, under Wine, and under qemu-user on s390x and on two ARM64 CPU models.
# By hand: tools/ci/30_cross.sh [aarch64|i686|mingw|s390x]...
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$ROOT/tools/windows/wine.sh"
step_begin
want_build_tools

failed=0
# cross NAME TOOLCHAIN_FILE NAME=VALUE...: each NAME=VALUE is an environment to test in.
cross() {
  local name=$1 file=$2 dir=build/ci/cross-$1 environment
  shift 2
  timed "$name: build" build_cross "$dir" "tools/toolchains/$file" || { failed=1; return; }
  # Native or emulated: see test_pool.cpp.
  local -x CNGAES_TEST_NO_FORK=1
  [ "$name" != i686 ] || unset CNGAES_TEST_NO_FORK
  for environment in "$@"; do
    # The constant-time test needs Valgrind, which runs native programs only: 20_ctest.sh has it.
    run_ctest "$name: ctest ($environment)" "$dir" "$environment" -E constant_time || failed=1
  done
}
build_cross() {
  # By CXXFLAGS, because -DCMAKE_CXX_FLAGS would replace what the toolchain file sets.
  CXXFLAGS=$WARNINGS cmake --fresh -S . -B "$1" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/$2" \
    -DCNGAES_PYTHON=OFF -DCNGAES_TESTS=ON -DCMAKE_BUILD_TYPE=Release \
    -DCNGAES_WERROR=ON &&
    cmake --build "$1" -j "$JOBS" --target cpp/tests/all
}

targets=("$@")
[ $# = 0 ] && targets=(mingw aarch64 i686 s390x)
for target in "${targets[@]}"; do
  case $target in
    mingw)
      if want_apt x86_64-w64-mingw32-g++-posix:g++-mingw-w64-x86-64-posix "$WINE:wine64"; then
        trap stop_wine EXIT
        timed "Wine prefix" start_wine
        cross mingw x86_64-windows-mingw.cmake CNGAES_TEST_SCALE=100
        stop_wine
        trap - EXIT
      else
        skip_part "Windows x64: $MISSING"
      fi ;;
    aarch64)
      if want_apt aarch64-linux-gnu-g++:g++-aarch64-linux-gnu qemu-aarch64-static:qemu-user-static; then
        cross aarch64 aarch64-linux.cmake QEMU_CPU=max QEMU_CPU=cortex-a76 CNGAES_CPU_MASK=arm-aes,arm-sha2
      else
        skip_part "ARM64 Linux: $MISSING"
      fi ;;
    i686)
      # The package of -m32's libraries has no command: asked for by one of its files.
      if want_apt /usr/lib/gcc/x86_64-linux-gnu/12/32/libstdc++.a:g++-12-multilib; then
        cross i686 i686-linux.cmake CNGAES_TEST_SCALE=100
      else
        skip_part "32-bit x86: $MISSING"
      fi ;;
    s390x)
      if want_apt s390x-linux-gnu-g++:g++-s390x-linux-gnu qemu-s390x-static:qemu-user-static; then
        cross s390x s390x-linux.cmake QEMU_CPU=max
      else
        skip_part "big-endian s390x: $MISSING"
      fi ;;
    *) die "unknown target $target" ;;
  esac
done
[ $failed = 0 ] || die "cross builds"
