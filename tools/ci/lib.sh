# Shared by the steps in tools/ci/ (sourced, not run). A step looks like this:
#
#   #!/usr/bin/env bash
#   # Budget: N minutes. Proves: ...
#   . "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
#   step_begin
#   ...
#
# Exit codes of a step: 0 passed, 77 skipped as a whole, anything else failed.
# A part that cannot run calls skip_part; its line starts with "SKIPPED:" and .ci/run counts it.
# shellcheck shell=bash
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
CACHE=${XDG_CACHE_HOME:-$(echo ~)/.cache}/cngaes-ci  # ~ works without HOME, too
JOBS=${CNGAES_CI_JOBS:-2}
SKIP_CODE=77
# -Wconversion is left out: byte arithmetic promotes to int, and each of the hundreds of casts it
# asks for would hide the few that matter. clang's -Wshorten-64-to-32 catches those.
WARNINGS="-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wundef"
export PIP_PROGRESS_BAR=off PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CACHE_DIR="$CACHE/pip" PIP_NO_INPUT=1
export DEBIAN_FRONTEND=noninteractive
mkdir -p "$CACHE"
cd "$ROOT"

note() { printf '   %s\n' "$*"; }
die() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# Prints the step's own header: the comment block under its first line.
step_begin() {
  sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}/   /p}' "$0"
}

# skip_step REASON: the whole step cannot run.
skip_step() {
  skip_part "$@"
  exit "$SKIP_CODE"
}

# skip_part REASON: one part of the step cannot run, the rest goes on.
skip_part() {
  printf 'SKIPPED: %s\n' "$*"
  if [ -n "${CNGAES_CI_SKIPS:-}" ]; then
    printf '%s: %s\n' "$(basename "$0")" "$*" >>"$CNGAES_CI_SKIPS"
  fi
}

# timed NAME COMMAND...: runs it, says how long it took; its output is shown only if it fails.
timed() {
  local name=$1 log start rc=0
  shift
  log=$(mktemp)
  start=$EPOCHREALTIME
  "$@" >"$log" 2>&1 </dev/null || rc=$?
  printf '   %-44s %6.1f s  %s\n' "$name" "$(elapsed "$start")" "$([ $rc = 0 ] && echo ok || echo FAILED)"
  if [ $rc != 0 ]; then
    printf '   ---- %s\n' "$*"
    tail -n "${CNGAES_CI_LOG_LINES:-150}" "$log"
    printf '   ----\n'
  fi
  rm -f "$log"
  return $rc
}

# run_ctest NAME BUILD_DIR [ENVIRONMENT=VALUE] [CTEST_OPTION...]: the C++ tests of a build folder. What
# a test program itself skips is said and counted.
run_ctest() {
  local name=$1 dir=$2 rc=0
  shift 2
  local environment=()
  [[ ${1:-} == *=* ]] && environment=("$1") && shift
  timed "$name" env "${environment[@]}" ctest --test-dir "$dir" --output-on-failure -j "$JOBS" "$@" || rc=$?
  while IFS= read -r line; do
    skip_part "$name: ${line#SKIPPED: }"
  done < <(grep -h '^SKIPPED' "$dir/Testing/Temporary/LastTest.log")
  return $rc
}

elapsed() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'; }

# want_apt COMMAND:PACKAGE...: installs the packages of commands that are missing. False, with the
# reason in $MISSING, when that is not possible.
want_apt() {
  local pair packages=() sudo=()
  for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || [ -e "${pair%%:*}" ] || packages+=("${pair##*:}")
  done
  [ ${#packages[@]} = 0 ] && return 0
  MISSING="${packages[*]} not installed"
  command -v apt-get >/dev/null 2>&1 || { MISSING+=" and this system has no apt-get"; return 1; }
  if [ "$(id -u)" != 0 ]; then
    sudo=(sudo -n)
    sudo -n true 2>/dev/null || { MISSING+=" and installing needs root"; return 1; }
  fi
  timed "apt-get install ${packages[*]}" apt_install || { MISSING="apt-get could not install ${packages[*]}"; return 1; }
}
apt_install() {
  # Uses the caller's $packages and $sudo. The lists are fetched only when the first try fails. Another
  # step may be installing: apt-get waits for dpkg, and flock also guards the lists and the downloads.
  local apt=(flock "$CACHE/apt.lock" "${sudo[@]}" apt-get -o DPkg::Lock::Timeout=300)
  "${apt[@]}" install -y --no-install-recommends "${packages[@]}" && return 0
  "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${packages[@]}"
}

# CMake, ninja and a compiler; without them the step is skipped. What was compiled before is taken from
# the cache, where there is ccache: the builds of 20_ctest and 30_cross are most of a run's CPU time.
want_build_tools() {
  want_apt cmake:cmake ninja:ninja-build g++:g++ || skip_step "$MISSING"
  if want_apt ccache:ccache; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_DIR=$CACHE/ccache CCACHE_MAXSIZE=2G CCACHE_BASEDIR=$ROOT
  fi
}

# want_clang RUNTIME [COMMAND:PACKAGE]...: clang 19 with a runtime of compiler-rt (asan, tsan, fuzzer).
want_clang() {
  want_apt clang++-19:clang-19 \
    "/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.$1-x86_64.a:libclang-rt-19-dev" "${@:2}"
}

# pip_install ARGUMENT...: into $PY, one step at a time.
pip_install() { flock "$CACHE/pip.lock" "$PY" -m pip install -q "$@"; }

# Sets PY to a Python that has cngaes[test] and the pinned lint tools: the one .ci/run made, or a
# virtual environment kept in the cache when the step is run by hand.
want_python() {
  PY=${CNGAES_CI_PYTHON:-$CACHE/venv/bin/python}
  if [ -z "${CNGAES_CI_PYTHON:-}" ]; then
    [ -x "$PY" ] || timed "python -m venv" python3 -m venv "$CACHE/venv"
    timed "pip install .[test]" pip_install "${ROOT}[test]"
  fi
}
want_lint_tools() {
  want_python
  timed "pip install lint tools" pip_install -r tools/ci/requirements-lint.txt
  PATH="$(dirname "$PY"):$PATH"
}
