#!/usr/bin/env bash
# Budget: 2 minutes (4 with nothing cached). Proves: the HTML report of a quick benchmark is at most 1 MB,
# opens from disk in Chromium within a second, asks the network for nothing, leaves nothing on the
# console, breaks no rule of axe in light and dark, wide and narrow, can be used by keyboard and prints on
# white paper. Screenshots and a PDF stay in build/report to be looked at.
# By hand: tools/ci/55_report_browser.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
step_begin
want_python
want_apt chromium:chromium node:nodejs npm:npm || skip_step "$MISSING"

out=$ROOT/build/report
rm -rf "$out" && mkdir -p "$out"
cd "$out" # away from the sources: the installed package is meant
timed "bench --quick" "$PY" -m cngaes bench --quick -o out.json
timed "report" "$PY" -m cngaes report out.json -o report.html --md report.md --csv report.csv
size=$(stat -c %s report.html)
note "report.html: $size bytes"
[ "$size" -le 1000000 ] || die "the report is larger than 1 MB"

# Playwright's driver and axe, pinned with checksums by the lock file; the browser is Debian's.
lock=$(sha256sum "$ROOT/tools/ci/report/package-lock.json" | cut -c1-16)
modules=$CACHE/report-$lock
if [ ! -e "$modules/ready" ]; then
  rm -rf "$modules" && mkdir -p "$modules"
  cp "$ROOT"/tools/ci/report/package{,-lock}.json "$modules/"
  timed "npm ci" npm ci --prefix "$modules" --ignore-scripts --no-audit --no-fund
  touch "$modules/ready"
fi
cp "$ROOT/tools/ci/report/check_report.mjs" "$modules/"
CHROMIUM=$(command -v chromium) timeout 900 node "$modules/check_report.mjs" "$out/report.html" "$out" 2>&1 ||
  die "the report in Chromium"
