"""Print a .def file of what a DLL exports by name: dll_exports.py python311.dll."""

from __future__ import annotations

import struct
import sys
from pathlib import Path


def exports(image: bytes) -> list[str]:
    """Read the export table of a 64-bit PE image."""
    (pe,) = struct.unpack_from("<I", image, 0x3C)
    assert image[pe : pe + 4] == b"PE\0\0"
    sections, optional = struct.unpack_from("<H12xH", image, pe + 6)
    table = pe + 24 + optional

    def offset(address: int) -> int:
        for i in range(sections):
            size, start, raw_size, raw = struct.unpack_from("<4I", image, table + 40 * i + 8)
            if start <= address < start + max(size, raw_size):
                return int(address - start + raw)
        raise ValueError(f"address {address:#x} is in no section")

    (directory,) = struct.unpack_from("<I", image, pe + 24 + 112)
    count, names = struct.unpack_from("<I4xI", image, offset(directory) + 24)
    result = []
    for i in range(count):
        (name,) = struct.unpack_from("<I", image, offset(names) + 4 * i)
        start = offset(name)
        result.append(image[start : image.index(b"\0", start)].decode("ascii"))
    return result


def main(path: str) -> None:
    """Print the file."""
    names = exports(Path(path).read_bytes())
    print(f'LIBRARY "{Path(path).name}"', "EXPORTS", *(f"  {name}" for name in names), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1])
