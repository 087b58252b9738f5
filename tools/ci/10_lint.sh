#!/usr/bin/env bash
# Budget: 4 minutes. Proves: formatting, types and static analysis are clean for Python and C++;
# no file is longer than 500 lines; sources are ASCII and name no path of one machine.
# Formatters and linters are pinned in requirements-lint.txt. By hand: tools/ci/10_lint.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
step_begin
want_build_tools
want_lint_tools

failed=0
check() { timed "$@" || failed=1; }

check "tree: lengths, ASCII, paths" "$PY" tools/ci/check_tree.py
check "documents: links, commands" "$PY" tools/ci/check_docs.py
check "ruff check" ruff check .
check "ruff format --check" ruff format --check .
check "mypy --strict" "$PY" -m mypy

# Without the audits that ask a server.
check "zizmor (workflows)" zizmor --offline --quiet .github/workflows

mapfile -t cpp_files < <(git ls-files -co --exclude-standard 'cpp/*.cpp' 'cpp/*.hpp' 'cpp/*.h')
check "clang-format (${#cpp_files[@]} files)" clang-format --dry-run -Werror "${cpp_files[@]}"

# The tests are left out (their failures are loud), and with them the core's second build, with hooks.
mapfile -t tidy_files < <(printf '%s\n' "${cpp_files[@]}" | grep -E '^cpp/(core|kernels|bindings|cng)/.*\.cpp$')
tidy() {
  cmake --fresh -S . -B build/ci/lint -G Ninja -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
    -DCNGAES_PYTHON=ON -DPython_EXECUTABLE="$(command -v "$PY")" \
    -Dpybind11_DIR="$("$PY" -m pybind11 --cmakedir)" || return
  # Only the files that the build for this machine compiles: arm64 kernels are not among them.
  "$PY" - <<'PYTHON' "${tidy_files[@]}" >build/ci/lint/files || return
import json, os, sys
known = {os.path.relpath(e["file"]) for e in json.load(open("build/ci/lint/compile_commands.json"))}
print("\n".join(f for f in sys.argv[1:] if f in known))
PYTHON
  # clang rejects a few GCC-only warning flags; that is no finding.
  xargs -P "$JOBS" -n 1 clang-tidy -p build/ci/lint --quiet --extra-arg=-Wno-unknown-warning-option \
    --extra-arg=-Wno-ignored-optimization-argument <build/ci/lint/files
}
check "clang-tidy (${#tidy_files[@]} files)" tidy

[ $failed = 0 ] || die "lint"
