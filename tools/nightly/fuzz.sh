#!/usr/bin/env bash
# Budget: 25 minutes. Proves: ten minutes of libFuzzer with ASan and UBSan from the repository's corpus,
# and thousands of calls chosen by hypothesis, find no call whose result differs from the reference's
# or from cryptography's. Not a step of CI, which has 30 s of the first and some of the second.
# By hand: tools/nightly/fuzz.sh [SECONDS | RUNS runs]
#
# "10000000 runs" counts executions, and leaves the sanitizers out: the buffers' canaries remain.
# New inputs stay in build/nightly/fuzz/corpus; tools/fuzz_corpus.py packs them.
. "$(dirname "${BASH_SOURCE[0]}")/../ci/lib.sh"
step_begin
want_build_tools
want_clang fuzzer || skip_step "libFuzzer: $MISSING"

amount=(-max_total_time="${1:-600}")
sanitizers="-fsanitize=address,undefined -fno-sanitize=null,pointer-overflow,object-size \
-fno-sanitize-recover=all"
if [ "${2:-}" = runs ]; then
  amount=(-runs="$1")
  sanitizers=
fi
dir=build/nightly/fuzz${2:+-$2}
cmake -S . -B "$dir" -G Ninja -DCNGAES_TESTS=ON -DCNGAES_FUZZ=ON -DCMAKE_CXX_COMPILER=clang++-19 \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS="$sanitizers" -DCMAKE_CXX_FLAGS_RELEASE="-O2 -g1 -DNDEBUG"
cmake --build "$dir" -j "$JOBS" --target fuzz_core
"${PYTHON:-python3}" tools/fuzz_corpus.py unpack "$dir/corpus"
"$dir/cpp/fuzz/fuzz_core" "${amount[@]}" -max_len=512 -timeout=60 -print_final_stats=1 \
  -artifact_prefix="$dir/" "$dir/corpus"

want_python
CNGAES_FUZZ_EXAMPLES=${CNGAES_FUZZ_EXAMPLES:-3000} "$PY" -m pytest -q -p no:cacheprovider tests/test_fuzz.py
