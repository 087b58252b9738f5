#!/usr/bin/env bash
# Cross-builds a Windows wheel on Linux: build_wheel.sh amd64|arm64 FOLDER [3.11|3.12|3.13].
# amd64: by mingw g++ (Debian's g++-mingw-w64-x86-64-posix); arm64: by zig. Needs that CPython on this
# machine, for its headers. Downloads are pinned and kept in the cache of tools/ci/lib.sh.
. "$(dirname "${BASH_SOURCE[0]}")/../ci/lib.sh"
. "$ROOT/tools/windows/lib.sh"
architecture=$1
out=$(realpath -m "$2")
version=${3:-3.11}
want_host "$version" || die "$MISSING"
want_sdk "$version" || die "the SDK for CPython $version cannot be made"
tag=$WINSDK_PYTHON
case $architecture in
  amd64)
    toolchain=mingw.cmake
    x86_64-w64-mingw32-dlltool -d "$WINSDK/python$tag.def" -D "python$tag.dll" \
      -l "$WINSDK/amd64/libpython$tag.a" ;;
  arm64)
    toolchain=zig.cmake
    want_zig || die "zig $ZIG_VERSION cannot be had"
    "$ZIG" dlltool -m arm64 -d "$WINSDK/python$tag.def" -D "python$tag.dll" \
      -l "$WINSDK/arm64/python$tag.lib" ;;
  *) die "unknown architecture $architecture" ;;
esac
# Two steps that build at the same time would share the folder.
build=${CNGAES_WIN_BUILD:-$ROOT/build/ci/win-$architecture}
mkdir -p "$build"
exec 9>"$build.lock"
flock 9
# scikit-build-core takes the wheel's tag from the first two; python-hints would force the headers
# of the Python that runs it.
export _PYTHON_HOST_PLATFORM=win-$architecture SETUPTOOLS_EXT_SUFFIX=.cp$tag-win_$architecture.pyd
export CMAKE_ARGS="--toolchain $WIN_TOOLS/$toolchain -G Ninja" PATH="$(dirname "$PY"):$PATH"
export CMAKE_BUILD_PARALLEL_LEVEL=$JOBS
"$PY" -m pip wheel -q --no-build-isolation --no-deps -w "$out" \
  --config-settings=cmake.python-hints=false \
  --config-settings=build-dir="$build" "$ROOT"
