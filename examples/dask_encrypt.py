"""Encrypt a column of a Parquet file on a Dask cluster, a row group at a time, and read it back.

    python examples/dask_encrypt.py --key-file KEY IN.parquet COLUMN OUT_FOLDER

With --check it only reads back and compares what is in OUT_FOLDER.

The key never travels in a task: workers read it themselves from a file that only they can read.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client

import cngaes

NONCE = 12


def open_key(key_file: str) -> cngaes.AESGCM:
    """Read the key on the worker: 16, 24 or 32 bytes."""
    return cngaes.AESGCM(Path(key_file).read_bytes())


def packed(column: pa.ChunkedArray) -> tuple[memoryview, memoryview, int]:
    """Give data, offsets and length of a column as the packed calls take them, without a copy."""
    array = column.cast(pa.large_binary()).combine_chunks()
    _, offsets, data = array.buffers()
    view = memoryview(offsets).cast("q")[array.offset : array.offset + len(array) + 1]
    return memoryview(data or b""), view, len(array)


def encrypt_row_group(url: str, group: int, column: str, out: str, key_file: str) -> int:
    """Encrypt one row group; the number of rows. The row group's number is bound to the data."""
    with fsspec.open(url, "rb") as file:
        table = pq.ParquetFile(file).read_row_group(group, columns=[column])
    data, offsets, count = packed(table[column])
    nonces = os.urandom(NONCE * count)
    with open_key(key_file) as aead:
        sealed, sealed_offsets = aead.encrypt_packed(
            nonces, data, offsets, f"{column}/{group}".encode(), threads=1
        )
    sealed_array = pa.Array.from_buffers(
        pa.large_binary(), count, [None, pa.py_buffer(sealed_offsets), pa.py_buffer(sealed)]
    )
    nonce_array = pa.Array.from_buffers(pa.binary(NONCE), count, [None, pa.py_buffer(nonces)])
    with fsspec.open(f"{out}/{group:06}.parquet", "wb") as file:
        pq.write_table(pa.table({"nonce": nonce_array, column: sealed_array}), file)
    return count


def decrypt_row_group(out: str, group: int, column: str, key_file: str) -> pa.Array:
    """Decrypt what encrypt_row_group() wrote. Raises cngaes.InvalidTag if it is anything else."""
    with fsspec.open(f"{out}/{group:06}.parquet", "rb") as file:
        table = pq.read_table(file)
    data, offsets, count = packed(table[column])
    nonces = table["nonce"].combine_chunks()
    raw = memoryview(nonces.buffers()[1])[NONCE * nonces.offset :][: NONCE * count]
    with open_key(key_file) as aead:
        plain, plain_offsets = aead.decrypt_packed(
            raw, data, offsets, f"{column}/{group}".encode(), threads=1
        )
    return pa.Array.from_buffers(
        pa.large_binary(), count, [None, pa.py_buffer(plain_offsets), pa.py_buffer(plain)]
    )


def main() -> int:
    """Run both directions and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--key-file", required=True)
    parser.add_argument("--scheduler", help="its address; without one, two workers here")
    parser.add_argument("--check", action="store_true", help="encrypt nothing, only read back")
    parser.add_argument("source")
    parser.add_argument("column")
    parser.add_argument("out")
    options = parser.parse_args()
    with fsspec.open(options.source, "rb") as file:
        parquet = pq.ParquetFile(file)
        groups = range(parquet.num_row_groups)
        if options.column not in parquet.schema_arrow.names:
            parser.error(f"no column {options.column!r} in {options.source}")
        expected = parquet.read(columns=[options.column])[options.column]
    os.makedirs(options.out, exist_ok=True)  # noqa: PTH103 - as given
    local = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with Client(options.scheduler) if options.scheduler else Client(**local) as client:
        print(f"{len(client.scheduler_info()['workers'])} workers")
        column, out, key_file = options.column, options.out, options.key_file
        if not options.check:
            done = client.gather(
                [
                    client.submit(
                        encrypt_row_group, options.source, g, column, out, key_file, pure=False
                    )
                    for g in groups
                ]
            )
            print(f"{sum(done)} rows in {len(done)} row groups encrypted")
        parts = client.gather(
            [client.submit(decrypt_row_group, out, g, column, key_file, pure=False) for g in groups]
        )
    same = pa.chunked_array(parts).equals(expected.cast(pa.large_binary()))
    print(f"read back: {'equal' if same else 'DIFFERENT'}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
