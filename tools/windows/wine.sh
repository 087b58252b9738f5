# Windows programs on Linux, by Debian 12's Wine (sourced, after tools/ci/lib.sh):
#
#   want_wine || skip_step "$MISSING"   # installs Debian's wine64
#   trap stop_wine EXIT
#   start_wine                          # a prefix that says Windows 10, and its server
#   in_wine PROGRAM.exe ARGUMENT...     # exit code is the program's; drive Z: is the root folder
#
# Whoever needs a prefix of its own sets WINEPREFIX before. One user at a time has a prefix: start_wine
# waits for it.
# shellcheck shell=bash
WINE=/usr/lib/wine/wine64
WINESERVER=/usr/lib/wine/wineserver64
# mscoree stays: .NET programs need it.
export WINEPREFIX=${WINEPREFIX:-$CACHE/windows/prefix} WINEDEBUG=${WINEDEBUG:--all}
export WINEDLLOVERRIDES="mshtml,winedbg.exe="

want_wine() { want_apt "$WINE:wine64"; }

# What starts Wine's services would keep our pipes open for ever, so that happens with none open, and
# without the lock.
start_wine() {
  mkdir -p "$WINEPREFIX"
  exec 8>"$WINEPREFIX.lock"
  flock 8
  WINE_STARTED=1
  setsid -w "$WINESERVER" -p </dev/null >/dev/null 2>&1 8>&- || true
  if [ ! -e "$WINEPREFIX/cngaes-ready" ]; then
    setsid -w "$WINE" wineboot -i </dev/null >/dev/null 2>&1 8>&- || return
    in_wine winecfg -v win10 || return  # a new prefix says Windows 7
    : >"$WINEPREFIX/cngaes-ready"
  else
    setsid -w "$WINE" wineboot </dev/null >/dev/null 2>&1 8>&- || return
  fi
}
# Whoever is ended while start_wine waits must leave the server of another to it.
WINE_STARTED=
stop_wine() {
  [ -z "$WINE_STARTED" ] || "$WINESERVER" -k || true
  WINE_STARTED=
  exec 8>&-
}

# Through a pipe, since Windows Python cannot write to a plain file there.
in_wine() { "$WINE" "$@" </dev/null 2>&1 8>&- | cat; }
