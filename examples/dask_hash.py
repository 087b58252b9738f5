"""Print the SHA-256 of files on a Dask cluster, as sha256sum does; files are found by fsspec.

python examples/dask_hash.py 'FOLDER/**'
"""

from __future__ import annotations

import argparse
import sys
from array import array
from itertools import accumulate

import fsspec
from distributed import Client

import cngaes

FILES_IN_A_TASK = 256


def hash_group(urls: list[str]) -> list[bytes | str]:
    """Hash some files in one packed call; for a file that cannot be read, why."""
    contents: list[bytes] = []
    results: list[bytes | str] = []
    for url in urls:
        try:
            with fsspec.open(url, "rb") as file:
                contents.append(file.read())
            results.append(b"")
        except OSError as error:
            results.append(str(error))
    offsets = array("q", accumulate(map(len, contents), initial=0))
    digests = cngaes.sha256_packed(b"".join(contents), offsets, threads=1)
    read = iter(digests[i : i + 32] for i in range(0, len(digests), 32))
    return [next(read) if result == b"" else result for result in results]


def main() -> int:
    """Hash; 1 if a file could not be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scheduler", help="its address; without one, two workers here")
    parser.add_argument("pattern")
    options = parser.parse_args()
    files = fsspec.open_files(options.pattern, "rb")
    urls = sorted(file.path for file in files)
    groups = [urls[i : i + FILES_IN_A_TASK] for i in range(0, len(urls), FILES_IN_A_TASK)]
    local = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    status = 0
    with Client(options.scheduler) if options.scheduler else Client(**local) as client:
        for group, results in zip(
            groups, client.gather(client.map(hash_group, groups)), strict=True
        ):
            for url, result in zip(group, results, strict=True):
                if isinstance(result, bytes):
                    print(f"{result.hex()}  {url}")
                else:
                    print(f"{url}: {result}", file=sys.stderr)
                    status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
