#!/usr/bin/env bash
# Budget: 3 minutes. Proves: sixteen threads on shared and own objects, while kernels are forced and
# the pool is stopped under them, get right results and show ThreadSanitizer no race; nor does the
# pool by itself. All C++ tests, and the threads for a minute: tools/nightly/builds.sh threads.
# By hand: tools/ci/25_races.sh [SECONDS]
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
step_begin
want_build_tools
want_clang tsan || skip_step "ThreadSanitizer: $MISSING"

dir=build/ci/races
build() {
  cmake -S . -B "$dir" -G Ninja -DCNGAES_PYTHON=OFF -DCNGAES_TESTS=ON -DCNGAES_WERROR=ON \
    -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=-fsanitize=thread \
    -DCMAKE_CXX_FLAGS_RELEASE="-O1 -g1 -DNDEBUG" &&
    cmake --build "$dir" -j "$JOBS" --target test_storm test_pool
}
timed "ThreadSanitizer: build" build || die "build"
# ThreadSanitizer follows no fork with threads: other builds test the pool there.
export CNGAES_TEST_NO_FORK=1 CNGAES_STORM_SECONDS=${1:-5} TSAN_OPTIONS=halt_on_error=1
failed=0
for name in storm pool; do
  timed "ThreadSanitizer: $name" "$dir/cpp/tests/test_$name" || failed=1
done
# The race that the storm plants when it is asked to has to be seen.
planted() { ! CNGAES_STORM_RACE=1 "$dir/cpp/tests/test_storm"; }
timed "ThreadSanitizer: planted race is found" planted || failed=1
[ $failed = 0 ] || die "races"
