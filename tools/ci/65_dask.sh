#!/usr/bin/env bash
# Budget: 1.5 minutes. Proves: the examples for Dask encrypt a Parquet column and hash files with two real
# worker processes, read back what they wrote, and give the digests of sha256sum; a wrong key, a missing
# column and an unreadable file are told.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
step_begin
want_python

# Beside $PY's own packages, not among them: cngaes must not come to need any of these.
modules=$CACHE/dask-$(sha256sum tools/ci/requirements-dask.txt | cut -c1-16)
if [ ! -e "$modules/ready" ]; then
  rm -rf "$modules"
  timed "pip install dask" pip_install --target "$modules" --require-hashes --no-deps --only-binary :all: \
    -r tools/ci/requirements-dask.txt
  touch "$modules/ready"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run() { PYTHONPATH="${PYTHONPATH:+$PYTHONPATH:}$modules" "$PY" "$@"; }
# refused WORDS COMMAND...: it must fail, and say why.
refused() {
  local words=$1
  shift
  if run "$@" >"$work/refused" 2>&1; then die "not refused: $*"; fi
  grep -q -- "$words" "$work/refused" || { cat "$work/refused"; die "does not say '$words': $*"; }
}

head -c 32 /dev/urandom >"$work/key"
head -c 32 /dev/urandom >"$work/other-key"
run - "$work/in.parquet" <<'PYTHON'
import sys

import pyarrow as pa
import pyarrow.parquet as pq

rows = pa.array([b"row %d" % i * (i % 50) for i in range(20_000)])
pq.write_table(pa.table({"message": rows}), sys.argv[1], row_group_size=3000)
PYTHON
encrypt=examples/dask_encrypt.py
timed "dask_encrypt.py" run $encrypt --key-file "$work/key" "$work/in.parquet" message "$work/out" ||
  die "dask_encrypt.py"
[ "$(find "$work/out" -name '*.parquet' | wc -l)" = 7 ] || die "not 7 encrypted row groups"
timed "a wrong key" refused InvalidTag \
  $encrypt --check --key-file "$work/other-key" "$work/in.parquet" message "$work/out"
timed "a missing column" refused "no column 'nothing'" \
  $encrypt --key-file "$work/key" "$work/in.parquet" nothing "$work/nothing"
[ ! -e "$work/nothing" ] || die "something was written for a missing column"

mkdir "$work/files"
for i in $(seq 600); do printf 'file %s' "$i" >"$work/files/$i"; done
ln -s nowhere "$work/files/zzz"
code=0
run examples/dask_hash.py "$work/files/*" >"$work/digests" 2>"$work/errors" || code=$?
[ "$code" = 1 ] || { tail "$work/errors"; die "dask_hash.py ended with $code, not 1"; }
grep -q "zzz: " "$work/errors" || die "the unreadable file is not named"
[ "$(wc -l <"$work/digests")" = 600 ] || die "not 600 digests"
sha256sum --check --quiet "$work/digests" || die "digests differ from sha256sum's"
note "600 digests as sha256sum gives them, one unreadable file named"
