#!/usr/bin/env bash
# trace.sh evp|bcrypt PROGRAM: which calls each of .NET's operations makes in the library below it: OpenSSL's
# EVP functions on Linux, bcrypt.dll's in Wine (PROGRAM is then a win-x64 build, and Wine runs already).
# Prints them; exit status 1 if they are not those that tools/dotnet/trace_calls.py expects.
. "$(dirname "${BASH_SOURCE[0]}")/../ci/lib.sh"
tools=$ROOT/tools/dotnet
[ $# = 2 ] || die "usage: tools/dotnet/trace.sh evp|bcrypt PROGRAM"
case $1 in
  evp)
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    # It needs OpenSSL's libraries, so that what it does not have is found in those.
    gcc -shared -fPIC -O1 -Wall -Wextra -Werror -Wl,-soname,libssl.so.trace -o "$folder/libssl.so.trace" \
      "$tools/evp_trace.c" -Wl,--no-as-needed -l:libssl.so.3 -l:libcrypto.so.3
    DOTNET_OPENSSL_VERSION_OVERRIDE=trace LD_LIBRARY_PATH=$folder "$2" --trace 2>&1
    ;;
  bcrypt)
    . "$ROOT/tools/windows/wine.sh"
    # Wine 8 also writes two lines for every block of ECB.
    WINEDEBUG=+bcrypt "$WINE" "$2" --trace </dev/null 2>&1 | grep -aE '^MARK|trace:bcrypt:BCrypt'
    ;;
  *) die "usage: tools/dotnet/trace.sh evp|bcrypt PROGRAM" ;;
esac | "${PY:-python3}" "$tools/trace_calls.py" "$1"
