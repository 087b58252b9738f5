#!/usr/bin/env bash
# Budget: 3 minutes. Proves: `python -m cngaes bench --quick` runs from the installed wheel, checks the
# outputs of every path against each other, and writes JSON that pyperf reads, Markdown, CSV and an
# HTML report that loads nothing from elsewhere; that `explain` takes the file apart. Its speeds prove
# nothing on a shared machine.
# By hand: tools/ci/50_bench.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
step_begin
want_python

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
timed "bench --quick" "$PY" -m cngaes bench --quick -o "$out/out.json" --md "$out/out.md" \
  --csv "$out/out.csv" --html "$out/out.html"
timed "explain" bash -c '"$0" -m cngaes explain "$1" > "$2"' "$PY" "$out/out.json" "$out/explain.md"
timed "pyperf stats" "$PY" -m pyperf stats "$out/out.json"
timed "pyperf compare_to" "$PY" -m pyperf compare_to --table "$out/out.json" "$out/out.json"
"$PY" "$ROOT/tools/ci/check_bench.py" "$out"
