#!/usr/bin/env bash
# Budget: 5 minutes. Proves: core and kernels build without Python, with warnings as errors, by GCC
# and by clang, and the C++ tests pass with each, the constant-time test under Valgrind; and once more
# under ASan and UBSan.
# By hand: tools/ci/20_ctest.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
step_begin
want_build_tools

failed=0
# ctest_with NAME COMPILER TARGET FLAGS [OPTIMISATION]
ctest_with() {
  local dir=build/ci/ctest-$1 without=()
  # Valgrind runs no sanitized program, and only Valgrind can tell whether time is constant.
  [ "$1" = sanitizers ] && without=(-E constant_time)
  timed "$1: build" build_tests "$dir" "${@:2}" || { failed=1; return; }
  run_ctest "$1: ctest" "$dir" "${without[@]}" || failed=1
}
build_tests() {
  cmake -S . -B "$1" -G Ninja -DCNGAES_PYTHON=OFF -DCNGAES_TESTS=ON -DCMAKE_CXX_COMPILER="$2" \
    -DCNGAES_WERROR=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS="$WARNINGS $4" \
    -DCMAKE_CXX_FLAGS_RELEASE="${5:--O3 -DNDEBUG}" &&
    cmake --build "$1" -j "$JOBS" --target "$3"
}

want_apt valgrind:valgrind || true # without it the test says that it was skipped
# "all" has the core without test hooks too; the others build what the tests need.
ctest_with gcc g++ all ""
if want_apt clang++-19:clang-19 \
  /usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.asan-x86_64.a:libclang-rt-19-dev; then
  ctest_with clang-19 clang++-19 cpp/tests/all -Wshorten-64-to-32
  # Sanitizers see what a right result hides: reads past a buffer, misaligned words, shifts too far.
  # By clang at -O1, and without the checks that ASan or a crash makes anyway: the unrolled kernels
  # take GCC ten times as long.
  ctest_with sanitizers clang++-19 cpp/tests/all "-fsanitize=address,undefined \
    -fno-sanitize=null,pointer-overflow,object-size -fno-sanitize-recover=all" \
    "-O1 -g -fno-omit-frame-pointer"
else
  skip_part "clang and the sanitizers: $MISSING"
fi

[ $failed = 0 ] || die "C++ tests"
