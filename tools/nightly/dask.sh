#!/usr/bin/env bash
# Budget: 2 minutes. Proves: the examples for Dask encrypt a Parquet column and hash files with two real
# worker processes, read back what they wrote, and give the digests of sha256sum.
# By hand: tools/nightly/dask.sh
. "$(dirname "${BASH_SOURCE[0]}")/../ci/lib.sh"
step_begin
want_python

# Beside $PY's own packages, not among them: cngaes must not come to need any of these.
modules=$CACHE/dask-$(sha256sum tools/ci/requirements-dask.txt | cut -c1-16)
if [ ! -e "$modules/ready" ]; then
  rm -rf "$modules"
  timed "pip install dask" pip_install --target "$modules" --no-deps -r tools/ci/requirements-dask.txt
  touch "$modules/ready"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run() { PYTHONPATH="${PYTHONPATH:+$PYTHONPATH:}$modules" "$PY" "$@"; }

head -c 32 /dev/urandom >"$work/key"
run - "$work/in.parquet" <<'PYTHON'
import sys

import pyarrow as pa
import pyarrow.parquet as pq

rows = pa.array([b"row %d" % i * (i % 50) for i in range(20_000)])
pq.write_table(pa.table({"message": rows}), sys.argv[1], row_group_size=3000)
PYTHON
timed "dask_encrypt.py" run examples/dask_encrypt.py --key-file "$work/key" "$work/in.parquet" message "$work/out" ||
  die "dask_encrypt.py"
[ "$(find "$work/out" -name '*.parquet' | wc -l)" = 7 ] || die "not 7 encrypted row groups"

mkdir "$work/files"
for i in $(seq 600); do printf 'file %s' "$i" >"$work/files/$i"; done
timed "dask_hash.py" run examples/dask_hash.py "$work/files/*" || die "dask_hash.py"
run examples/dask_hash.py "$work/files/*" >"$work/digests" 2>/dev/null
[ "$(wc -l <"$work/digests")" = 600 ] || die "not 600 digests"
sha256sum --check --quiet "$work/digests" || die "digests differ from sha256sum's"
