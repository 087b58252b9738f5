# Where the .NET SDK is (sourced, after tools/ci/lib.sh):
#
#   want_dotnet || skip_step "$MISSING"     # `dotnet` is on PATH now
#   want_dotnet arm64 ...                   # with what a build for Linux on ARM64 needs
#
# CNGAES_DOTNET_SDK names a folder: an SDK, or an install.sh beside the archive of one, which unpacks it
# into the folder it is given and prints the environment. Without it, `dotnet` on PATH is taken.
# shellcheck shell=bash
DOTNET_TOOLS=$ROOT/tools/dotnet
DOTNET_MAJOR=10

want_dotnet() {
  local given=${CNGAES_DOTNET_SDK:-} text
  if [ -n "$given" ] && [ -e "$given/install.sh" ]; then
    # dotnet itself ends without OpenSSL's libraries.
    [ "$(uname -s)" != Linux ] || want_apt /usr/lib/x86_64-linux-gnu/libssl.so.3:libssl3 xz:xz-utils || return
    text=$(sh "$given/install.sh" "$CACHE/dotnet-sdk" "$@") ||
      { MISSING="the .NET SDK in $given could not be unpacked"; return 1; }
    eval "$text"
  elif [ -n "$given" ]; then
    [ -x "$given/dotnet" ] || { MISSING="CNGAES_DOTNET_SDK=$given holds neither dotnet nor install.sh"; return 1; }
    export DOTNET_ROOT=$given PATH=$given:$PATH
  elif ! command -v dotnet >/dev/null; then
    MISSING="no .NET SDK: install .NET $DOTNET_MAJOR, or set CNGAES_DOTNET_SDK to the folder of one (docs/dotnet.md)"
    return 1
  fi
  export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1
  dotnet --list-sdks | awk -F. -v least="$DOTNET_MAJOR" '$1 >= least { found = 1 } END { exit !found }' ||
    { MISSING="the .NET SDK here is older than $DOTNET_MAJOR: $(dotnet --list-sdks | tail -n 1)"; return 1; }
}

# publish_dotnet FOLDER [RID]: builds the peer into FOLDER; for another system with the runtime.
# Intermediate files are kept in the cache, for each checkout's path.
publish_dotnet() {
  local folder=$1 rid=${2:-} options=()
  [ -z "$rid" ] || options=(-r "$rid" --self-contained true)
  dotnet publish "$ROOT/dotnet/cngaes-dotnet.csproj" -c Release "${options[@]}" \
    --artifacts-path "$(dotnet_artifacts)" -o "$folder" </dev/null
}
dotnet_artifacts() { echo "$CACHE/dotnet-build/$(sha256sum <<<"$ROOT" | cut -c1-12)"; }
