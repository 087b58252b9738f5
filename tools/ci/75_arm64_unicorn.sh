#!/usr/bin/env bash
# Budget: 3 minutes. Proves, on this x86 machine, of the ARM64 kernels built for Linux by GCC and as a
# Windows DLL by clang-cl: known answers; instructions per byte no more than the committed counts;
# the same trace of addresses and branches for different keys and data; nothing read or written beyond
# buffers that touch an unmapped page, at every length; x18 and the caller's registers survive; and that
# each of these checks catches a planted fault. By hand: tools/ci/75_arm64_unicorn.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
step_begin
want_python
want_apt aarch64-linux-gnu-g++:g++-aarch64-linux-gnu || skip_step "ARM64 kernels: $MISSING"
want_apt clang-cl-22:clang-22 lld-link-22:lld-22 || skip_part "the Windows DLL: $MISSING"
timed "pip install unicorn" pip_install "unicorn>=2.1" "pyelftools>=0.31" "lief>=0.15"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
tests() { "$PY" -m pytest -q -rs -p no:cacheprovider -m unicorn tests/arm64 | tee "$log"; }
timed "pytest -m unicorn" tests || die "ARM64 kernels"
# A library that was not built, or a compiler without committed counts.
while IFS= read -r line; do
  skip_part "ARM64 kernels: ${line#SKIPPED }"
done < <(grep '^SKIPPED' "$log")
