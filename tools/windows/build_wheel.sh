#!/usr/bin/env bash
# Cross-builds a Windows wheel for CPython 3.11: build_wheel.sh amd64|arm64 FOLDER.
# amd64: by mingw g++; arm64: by zig. Needs what tools/nightly/windows_x64.sh and windows_arm64.sh
# install; downloads are pinned and kept in the cache of tools/ci/lib.sh.
. "$(dirname "${BASH_SOURCE[0]}")/../ci/lib.sh"
. "$ROOT/tools/windows/lib.sh"
architecture=$1
out=$(realpath -m "$2")
want_python
want_sdk || die "$MISSING"
venv=$WINDOWS/build-venv
if [ ! -e "$venv/ready" ]; then
  "$PY" -m venv "$venv"
  "$venv/bin/python" -m pip install -q "scikit-build-core>=1.1" "pybind11>=3.1" ninja cmake
  : >"$venv/ready"
fi
case $architecture in
  amd64)
    toolchain=mingw.cmake
    x86_64-w64-mingw32-dlltool -d "$WINSDK/python311.def" -D python311.dll \
      -l "$WINSDK/amd64/libpython311.a" ;;
  arm64)
    toolchain=zig.cmake
    want_zig || die "zig $ZIG_VERSION cannot be had"
    "$ZIG" dlltool -m arm64 -d "$WINSDK/python311.def" -D python311.dll \
      -l "$WINSDK/arm64/python311.lib" ;;
  *) die "unknown architecture $architecture" ;;
esac
# scikit-build-core takes the wheel's tag from the first two; python-hints would force the headers
# of the Python that runs it.
export _PYTHON_HOST_PLATFORM=win-$architecture SETUPTOOLS_EXT_SUFFIX=.cp311-win_$architecture.pyd
export CMAKE_ARGS="--toolchain $WIN_TOOLS/$toolchain -G Ninja" PATH="$venv/bin:$PATH"
export CMAKE_BUILD_PARALLEL_LEVEL=$JOBS
"$venv/bin/python" -m pip wheel -q --no-build-isolation --no-deps -w "$out" \
  --config-settings=cmake.python-hints=false \
  --config-settings=build-dir="${CNGAES_WIN_BUILD:-$ROOT/build/ci/win-$architecture}" "$ROOT"
