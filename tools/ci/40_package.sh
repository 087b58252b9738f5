#!/usr/bin/env bash
# Budget: 3 minutes. Proves: the sdist is complete (the wheel is built from it); the wheel is at most
# 1.5 MB and holds only the two packages and a valid CycloneDX bill of materials; it has the same
# bytes as the one that the README's test command built from the checkout, in another folder; only
# files in cpp/kernels/ get ISA flags; the extension exports the C ABI and nothing else; in a fresh
# virtual environment it imports within 30 ms of bare Python, needs nothing outside the standard
# library, and every kernel gives its known answers.
# By hand: tools/ci/40_package.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
step_begin
want_python
timed "pip install build" pip_install -r tools/ci/requirements-package.txt

dist=$(mktemp -d)
trap 'rm -rf "$dist"' EXIT
timed "build sdist" "$PY" -m build -q --sdist --outdir "$dist" .
# A build folder of our own, to read its compile_commands.json afterwards.
timed "build wheel from the sdist" "$PY" -m pip wheel -q --no-deps --no-cache-dir -w "$dist" "$dist"/*.tar.gz \
  --config-settings=build-dir="$dist/build" \
  --config-settings=cmake.define.CMAKE_EXPORT_COMPILE_COMMANDS=ON
"$PY" tools/ci/check_wheel.py "$dist"/*.whl --sdist "$dist"/*.tar.gz \
  --compile-commands "$dist/build/compile_commands.json" \
  --installed "$("$PY" -c 'import importlib.metadata as m; print(m.distribution("cngaes")._path)')"

# README: run time needs nothing, so no index is asked.
timed "fresh venv" "${PYTHON:-python3}" -m venv "$dist/venv"
timed "install the wheel" "$dist/venv/bin/python" -m pip install -q --no-index "$dist"/*.whl
cd "$dist"
venv/bin/python "$ROOT/tools/ci/check_import.py"
timed "selftest of the installed wheel" venv/bin/python -m cngaes selftest
