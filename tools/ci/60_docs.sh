#!/usr/bin/env bash
# Budget: 1 minute. Proves: every Python example in README.md and docs/ runs on the installed package.
# By hand: tools/ci/60_docs.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
step_begin
want_python
"$PY" tools/ci/check_docs.py --run
