#!/usr/bin/env bash
# Budget: 40 minutes. Proves: the C++ tests pass at -O0, -O2, -O3 and with LTO, by GCC and by clang, so
# that no result rests on what one optimiser happens to do; and ThreadSanitizer sees no race in the
# C++ tests and in sixteen threads for a minute. CI has -O3 of both and five seconds of the threads.
# By hand: tools/nightly/builds.sh [gcc-O0|gcc-O2|gcc-lto|clang-O0|clang-O2|clang-lto|threads]...
. "$(dirname "${BASH_SOURCE[0]}")/../ci/lib.sh"
step_begin
want_build_tools
want_clang tsan lld-19:lld-19 || skip_step "clang: $MISSING"

failed=0
build() { # DIR COMPILER FLAGS [CMAKE_OPTION...]
  cmake -S . -B "$1" -G Ninja -DCNGAES_TESTS=ON -DCNGAES_WERROR=ON -DCMAKE_CXX_COMPILER="$2" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="$3" "${@:4}" &&
    cmake --build "$1" -j "$JOBS" --target cpp/tests/all
}
# Time is not constant without optimisation, nor is it promised then.
test_build() { # NAME COMPILER FLAGS [CMAKE_OPTION...]
  local dir=build/nightly/$1 without=()
  [[ $1 == *-O0 ]] && without=(-E "timing|single_step|constant_time")
  timed "$1: build" build "$dir" "${@:2}" || { failed=1; return; }
  run_ctest "$1: ctest" "$dir" "${without[@]}" || failed=1
}

wanted=("$@")
[ $# = 0 ] && wanted=(gcc-O0 gcc-O2 gcc-lto clang-O0 clang-O2 clang-lto threads)
for name in "${wanted[@]}"; do
  compiler=g++
  [[ $name == clang-* ]] && compiler=clang++-19
  case $name in
    # Assertions of the standard library, too.
    *-O0) test_build "$name" "$compiler" "-O0 -g1 -D_GLIBCXX_ASSERTIONS" ;;
    *-O2) test_build "$name" "$compiler" "-O2 -DNDEBUG" ;;
    gcc-lto) test_build "$name" g++ "-O3 -DNDEBUG -flto=auto" ;;
    clang-lto) test_build "$name" clang++-19 "-O3 -DNDEBUG -flto" -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld-19 \
      -DCMAKE_AR="$(command -v llvm-ar-19)" -DCMAKE_RANLIB="$(command -v llvm-ranlib-19)" ;;
    threads)
      dir=build/nightly/threads
      timed "threads: build" build "$dir" clang++-19 "-O1 -g1 -DNDEBUG" -DCMAKE_CXX_FLAGS=-fsanitize=thread ||
        { failed=1; continue; }
      # What test_changing_input tests is a race; a fork with threads is not followed.
      CNGAES_TEST_NO_FORK=1 CNGAES_STORM_SECONDS=60 CNGAES_TEST_SCALE=20 run_ctest "threads: ctest" "$dir" -E changing_input || failed=1 ;;
    *) die "unknown build $name" ;;
  esac
done
[ $failed = 0 ] || die "builds"
