#!/usr/bin/env bash
# Budget: 1 minute. Proves: the files in .github/workflows/ are sound (actionlint), each of their steps
# is a command that runs by hand, and cibuildwheel makes from pyproject.toml the wheels that are
# promised: CPython 3.11 to 3.14 and 3.14t for Windows, manylinux and musllinux, and macOS.
# By hand: tools/ci/15_workflows.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
step_begin
ACTIONLINT=v1.7.12

failed=0
if command -v go >/dev/null 2>&1; then
  [ -x "$CACHE/actionlint-$ACTIONLINT/actionlint" ] || # Go's checksum database vouches for the source
    timed "go install actionlint@$ACTIONLINT" env GOBIN="$CACHE/actionlint-$ACTIONLINT" GOFLAGS=-trimpath \
      go install "github.com/rhysd/actionlint/cmd/actionlint@$ACTIONLINT"
  timed "actionlint" "$CACHE/actionlint-$ACTIONLINT/actionlint" -no-color || failed=1
else
  skip_part "actionlint: Go is not installed"
fi

# The version that the workflow installs, in an environment of its own.
pin=$(grep -oE 'cibuildwheel==[0-9.]+' .github/workflows/wheels.yml | head -n 1)
venv=$CACHE/${pin/==/-}
if [ ! -e "$venv/ready" ]; then
  timed "python -m venv" "${PYTHON:-python3}" -m venv "$venv"
  timed "pip install $pin" "$venv/bin/python" -m pip install -q "$pin"
  : >"$venv/ready"
fi
timed "wheels as promised, steps that run by hand" "$venv/bin/python" tools/ci/check_workflows.py || failed=1
[ $failed = 0 ] || die "workflows"
