#!/usr/bin/env bash
# Budget: 3 minutes (5 with nothing cached). Proves: the inner loops of the ARM64 kernels are, in
# llvm-mca's models of Oryon and Neoverse V2, no slower than the committed table
# (tools/arm64/model.json: predicted, never measured), which docs/arm64.md repeats; every ARM64 file
# compiles under MSVC's rules for NEON types; core and kernels compile for macOS, and the scanner reads
# those objects. The figures are one compiler's and one model's: with other versions there is nothing to
# compare, and the step says so as a skip. By hand: tools/ci/76_arm64_model.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. tools/windows/lib.sh
step_begin
want_python
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What the check cannot compare (another version of a compiler or of the model) is said and counted.
model() { "$PY" tools/arm64/model.py check | tee "$work/model.log"; }
if want_apt llvm-mca-22:llvm-22 aarch64-linux-gnu-g++:g++-aarch64-linux-gnu clang++-22:clang-22; then
  timed "llvm-mca: no loop worse than committed" model || failed=1
  while IFS= read -r line; do
    skip_part "models: ${line#SKIPPED: }"
  done < <(grep '^SKIPPED' "$work/model.log")
else
  skip_part "models: $MISSING"
fi
timed "tables of docs/arm64.md" "$PY" tools/arm64/table.py check || failed=1

msvc_rules() {
  local name
  for name in aes_ce sha256_ce aes_eor3; do # aes_eor3 is empty there, as in MSVC
    aarch64-linux-gnu-g++ -std=c++20 -O1 -Icpp/include -march=armv8-a+crypto -DCNGAES_MSVC_NEON=1 \
      -include tools/arm64/msvc_rules.h -c "cpp/kernels/arm64/$name.cpp" -o "$work/$name.o" || return
  done
}
# What the rules forbid must not compile: an operator on vectors, a brace list, an integer for vmull_p64.
msvc_rules_bite() {
  local line
  while read -r line; do
    printf '%s\n' "$line" >"$work/bad.cpp"
    if aarch64-linux-gnu-g++ -std=c++20 -march=armv8-a+crypto -DCNGAES_MSVC_NEON=1 \
      -include tools/arm64/msvc_rules.h -c "$work/bad.cpp" -o "$work/bad.o" 2>/dev/null; then
      echo "compiled: $line"
      return 1
    fi
  done <<'CODE'
uint8x16_t f(uint8x16_t a, uint8x16_t b) { return a ^ b; }
uint32x4_t f() { return uint32x4_t{0, 0, 0, 1}; }
void f(uint8x16_t); void f(uint8x16_t) {} void f(uint32x4_t) {}
poly128_t f(uint8x16_t);
uint8x16_t f(poly64_t a) { return vreinterpretq_u8_p128(vmull_p64(a, a)); }
CODE
}
timed "MSVC's type rules" msvc_rules || failed=1
timed "MSVC's type rules bite" msvc_rules_bite || failed=1

mach_o() {
  "$PY" - "$work"/aes_eor3.cpp.aarch64-macos.o AESE PMULL EOR3 "$work"/aes_vaes512.cpp.x86_64-macos.o "VAESENC zmm" <<'CODE'
import sys
sys.path.insert(0, "src/cngaes")
from instructions import instructions_in
found = {}
for word in sys.argv[1:]:
    if word.endswith(".o"):
        found = instructions_in(word)
        print(word, found)
    else:
        assert found[word] > 0, word
CODE
}
macos() { # TARGET FILE...
  local target=$1
  shift
  printf '%s\n' "$@" | xargs -P "$JOBS" -I {} bash -c "$(declare -f macos_file); macos_file $target {} '$work'"
}
macos_file() { # TARGET FILE FOLDER; without optimisation: what compiles is the question
  local flags=()
  case $2 in
    # The target's own CPU, which zig's <arm_neon.h> asks for; only one file may use EOR3.
    *arm64/aes_eor3.cpp) flags=(-mcpu=apple_m1) ;;
    *kernels/arm64/*) flags=(-mcpu=apple_m1 -U__ARM_FEATURE_SHA3) ;;
    *x86/aes_aesni.cpp) flags=(-mssse3 -msse4.1 -maes -mpclmul) ;;
    *x86/aes_vaes256.cpp) flags=(-mavx2 -maes -mpclmul -mvaes -mvpclmulqdq) ;;
    *x86/aes_vaes512.cpp) flags=(-mavx2 -maes -mpclmul -mvaes -mvpclmulqdq -mevex512 -mavx512f -mavx512vl -mavx512bw -mavx512dq) ;;
    *x86/sha256_shani_avx512.cpp) flags=(-mssse3 -msse4.1 -mavx -mavx2 -mevex512 -mavx512f -mavx512vl -mavx512bw -mavx512dq) ;;
    *x86/sha256_shani.cpp) flags=(-mssse3 -msse4.1 -msha) ;;
  esac
  "$ZIG" c++ -target "$1" -std=c++20 -O0 -Wall -Wextra -Werror -Icpp/include "${flags[@]}" \
    -c "$2" -o "$3/$(basename "$2").$1.o" || { echo "$1: $2"; return 255; }
}
if timed "zig" want_zig; then
  export ZIG ZIG_LOCAL_CACHE_DIR="$ZIG_GLOBAL_CACHE_DIR"
  timed "macOS arm64 compile" macos aarch64-macos cpp/core/*.cpp cpp/kernels/generic/*.cpp cpp/kernels/arm64/*.cpp || failed=1
  timed "macOS x86_64 compile" macos x86_64-macos cpp/core/*.cpp cpp/kernels/generic/*.cpp cpp/kernels/x86/*.cpp || failed=1
  # The objects are Mach-O, which the scanner behind build_info() must read, too.
  timed "instructions in the macOS objects" mach_o || failed=1
else
  failed=1
fi
[ $failed = 0 ] || die "ARM64 model and compile checks"
