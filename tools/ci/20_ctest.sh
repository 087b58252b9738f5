#!/usr/bin/env bash
# Budget: 6 minutes. Proves: core and kernels build without Python, with warnings as errors, by GCC
# and by clang, and the C++ tests pass with each, among them those of constant time (under Valgrind,
# by single steps, by measurement); and once more under ASan and UBSan, where libFuzzer then looks for
# 30 seconds for calls whose result differs from the reference's.
# By hand: tools/ci/20_ctest.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
step_begin
want_build_tools

failed=0
# ctest_with NAME COMPILER TARGET FLAGS [OPTIMISATION [CMAKE_OPTION...]]
ctest_with() {
  local dir=build/ci/ctest-$1 without=()
  # Valgrind runs no sanitized program, and only Valgrind can tell whether time is constant.
  [ "$1" = sanitizers ] && without=(-E constant_time)
  # Two minutes, spent on what GCC made: wheels for Linux are built by it.
  [ "$1" = clang-19 ] && without=(-E "timing|single_step")
  timed "$1: build" build_tests "$dir" "${@:2}" || { failed=1; return; }
  run_ctest "$1: ctest" "$dir" "${without[@]}" || failed=1
}
build_tests() {
  cmake -S . -B "$1" -G Ninja -DCNGAES_PYTHON=OFF -DCNGAES_TESTS=ON -DCMAKE_CXX_COMPILER="$2" \
    -DCNGAES_WERROR=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS="$WARNINGS $4" \
    -DCMAKE_CXX_FLAGS_RELEASE="${5:--O3 -DNDEBUG}" "${@:6}" &&
    cmake --build "$1" -j "$JOBS" --target "$3"
}

# From the corpus of the repository, each time with another seed.
fuzz() {
  local dir=build/ci/ctest-sanitizers
  rm -rf "$dir/corpus" && "${PYTHON:-python3}" tools/fuzz_corpus.py unpack "$dir/corpus" &&
    cmake --build "$dir" --target fuzz_core &&
    "$dir/cpp/fuzz/fuzz_core" -max_total_time=30 -max_len=512 -timeout=60 -print_final_stats=1 \
      -artifact_prefix="$dir/" "$dir/corpus"
}

want_apt valgrind:valgrind || true # without it the test says that it was skipped
# "all" has the core without test hooks too; the others build what the tests need.
ctest_with gcc g++ all ""
if want_clang asan; then
  ctest_with clang-19 clang++-19 cpp/tests/all -Wshorten-64-to-32
  # Sanitizers see what a right result hides: reads past a buffer, misaligned words, shifts too far.
  # By clang at -O1, and without the checks that ASan or a crash makes anyway: the unrolled kernels
  # take GCC ten times as long.
  ctest_with sanitizers clang++-19 cpp/tests/all "-fsanitize=address,undefined \
    -fno-sanitize=null,pointer-overflow,object-size -fno-sanitize-recover=all" \
    "-O1 -g -fno-omit-frame-pointer" -DCNGAES_FUZZ=ON
  timed "fuzz: 30 s" fuzz || failed=1
else
  skip_part "clang and the sanitizers: $MISSING"
fi

[ $failed = 0 ] || die "C++ tests"
