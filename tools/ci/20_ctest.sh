#!/usr/bin/env bash
# Budget: 4 minutes. Proves: core and kernels build without Python, with warnings as errors, by GCC
# and by clang, and the C++ tests pass with each; the same again under ASan and UBSan.
# By hand: tools/ci/20_ctest.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
step_begin

failed=0
# ctest_with NAME COMPILER BUILD_TYPE EXTRA_FLAGS
ctest_with() {
  local dir=build/ci/ctest-$1
  timed "$1: build" build_tests "$dir" "$2" "$3" "$4" || { failed=1; return; }
  timed "$1: ctest" ctest --test-dir "$dir" --output-on-failure -j "$JOBS" || failed=1
  ctest --test-dir "$dir" -N | sed -n 's/^Total Tests: /   tests: /p'
}
build_tests() {
  cmake -S . -B "$1" -G Ninja -DCNGAES_PYTHON=OFF -DCNGAES_TESTS=ON -DCMAKE_BUILD_TYPE="$3" \
    -DCMAKE_CXX_COMPILER="$2" -DCNGAES_WERROR=ON -DCMAKE_CXX_FLAGS="$WARNINGS $4" &&
    cmake --build "$1" -j "$JOBS"
}

ctest_with gcc g++ Release ""
if want_apt clang++-19:clang-19; then
  ctest_with clang-19 clang++-19 Release "-Wshorten-64-to-32"
else
  skip_part "clang: $MISSING"
fi
# Sanitizers see what a right result hides: reads past a buffer, misaligned words, shifts too far.
ctest_with sanitizers g++ RelWithDebInfo \
  "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"

[ $failed = 0 ] || die "C++ tests"
