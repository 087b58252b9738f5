#!/usr/bin/env bash
# Builds the extension in place (src/cngaes/_core*.so) for work on the sources:
#   tools/dev_build.sh [python]    then    PYTHONPATH=src:bench python -m pytest
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}
build=${CNGAES_DEV_BUILD:-build/dev}
pybind11_dir=$("$python" -m pybind11 --cmakedir)
cmake -S . -B "$build" -G Ninja -DCNGAES_PYTHON=ON -DCNGAES_WERROR=ON \
  -DPython_EXECUTABLE="$("$python" -c 'import sys; print(sys.executable)')" \
  -Dpybind11_DIR="$pybind11_dir" >/dev/null
cmake --build "$build" --target _core
# By rename, so that a process that has the old one mapped is not disturbed.
for library in "$build"/cpp/bindings/_core*.so; do
  name=$(basename "$library")
  cp "$library" "src/cngaes/.$name.new"
  mv "src/cngaes/.$name.new" "src/cngaes/$name"
done
