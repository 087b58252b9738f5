#!/usr/bin/env bash
# build.sh FOLDER [RID]: builds the .NET peer; FOLDER/cngaes-dotnet starts it (win-x64: cngaes-dotnet.exe).
# Without RID it runs with the .NET it was built with, wherever that is; a RID (win-x64, linux-arm64)
# makes a build for that system with the runtime in it. Exit status 77, with the reason, without an SDK:
# docs/dotnet.md says how it is found.
. "$(dirname "${BASH_SOURCE[0]}")/../ci/lib.sh"
. "$ROOT/tools/dotnet/lib.sh"
[ $# = 1 ] || [ $# = 2 ] || die "usage: tools/dotnet/build.sh FOLDER [RID]"
folder=$(realpath -m "$1") rid=${2:-}
extra=()
[ "$rid" = linux-arm64 ] && extra=(arm64)
want_dotnet "${extra[@]}" || { echo "$MISSING" >&2; exit "$SKIP_CODE"; }
if [ -n "$rid" ]; then
  publish_dotnet "$folder" "$rid"
else
  publish_dotnet "$folder/app"
  # The host looks for the runtime in a few places only: tell it where this one is.
  root=${DOTNET_ROOT:-$(dirname "$(realpath "$(command -v dotnet)")")}
  printf '#!/bin/sh\nDOTNET_ROOT=%q exec %q "$@"\n' "$root" "$folder/app/cngaes-dotnet" >"$folder/cngaes-dotnet"
  chmod +x "$folder/cngaes-dotnet"
fi
