#!/usr/bin/env bash
# Builds the programs that `python -m cngaes bench --peers` measures beside Python (docs/peers.md):
#
#   tools/peers.sh [--apt] [NAME...]     go rust java node openssl perl dotnet; without names: all
#
# What it cannot build it names, with the command that installs the tool; --apt lets it install Debian's
# packages by itself. Programs go to $CNGAES_PEERS, else to a folder of the user's cache, which is
# where the benchmark looks. Exit status: 0 when every program asked for by name was built, and, without
# names, when nothing that could be built failed.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$(echo ~)/.cache}/cngaes  # ~ works without HOME, too
out=${CNGAES_PEERS:-$cache/peers}
sources=$root/bench/peers
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
all=(openssl go java node perl dotnet rust)
use_apt=false
absent=()

# needs COMMAND PACKAGE: true if the command is there, or could be installed.
needs() {
  command -v "$1" >/dev/null 2>&1 && return 0
  install_package "$2" && command -v "$1" >/dev/null 2>&1 && return 0
  absent+=("no $1 here: apt-get install $2")
  return 1
}

install_package() {
  $use_apt && DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y \
    --no-install-recommends "$@" >"$scratch/apt.log" 2>&1
}

build_openssl() {
  needs cc gcc || return 77
  if ! printf '#include <openssl/evp.h>\n' | cc -E - >/dev/null 2>&1; then
    install_package libssl-dev || { absent+=("no OpenSSL headers here: apt-get install libssl-dev"); return 77; }
  fi
  mkdir -p "$out/openssl"
  cc -O2 -std=c11 -Wall -Wextra -Wshadow -pthread -o "$out/openssl/peer" "$sources/openssl/peer.c" -lcrypto
}

build_go() {
  needs go golang-go || return 77
  mkdir -p "$out/go"
  (cd "$sources/go" && GOFLAGS=-mod=readonly go build -trimpath -o "$out/go/peer" .)
}

build_java() {
  needs javac default-jdk-headless || return 77
  mkdir -p "$out/java" "$scratch/java"
  javac -Xlint:all -Werror -d "$scratch/java" "$sources/java"/*.java &&
    jar --create --file "$out/java/peer.jar" -C "$scratch/java" .
}

build_node() {
  needs node nodejs || return 77
  mkdir -p "$out/node"
  node --check "$sources/node/peer.mjs" && cp "$sources/node/peer.mjs" "$out/node/"
}

build_perl() {
  needs perl perl || return 77
  install_package libcrypt-ecb-perl libcrypt-rijndael-perl libcrypt-gcrypt-perl libcryptx-perl
  mkdir -p "$out/perl"
  perl -c "$sources/perl/peer.pl" && cp "$sources/perl/peer.pl" "$out/perl/"
}

build_rust() {
  needs cargo cargo || return 77
  needs cc gcc || return 77
  mkdir -p "$out/rust"
  # Beside the programs, so that the next build is a quick one.
  local target=${CARGO_TARGET_DIR:-$cache/rust-target}
  cargo build --release --locked --manifest-path "$sources/rust/Cargo.toml" --target-dir "$target" &&
    cp "$target/release/peer" "$out/rust/peer"
}

build_dotnet() {
  local said status=0
  said=$("$root/tools/dotnet/build.sh" "$out/dotnet" 2>&1) || status=$?
  case $status in
    0) ;;
    77) absent+=("$said") ;;
    *) printf '%s\n' "$said" >&2 ;;
  esac
  return $status
}

names=()
for word in "$@"; do
  case $word in
    --apt) use_apt=true ;;
    -h | --help) sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    *)
      [[ " ${all[*]} " == *" $word "* ]] || { echo "unknown peer '$word'; known: ${all[*]}" >&2; exit 2; }
      names+=("$word")
      ;;
  esac
done

status=0
mkdir -p "$out" || exit 1
wanted=("${names[@]}")
[ ${#names[@]} = 0 ] && wanted=("${all[@]}")
for name in "${wanted[@]}"; do
  absent=()
  start=$EPOCHREALTIME
  "build_$name" >"$scratch/log" 2>&1 </dev/null
  result=$?
  took=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f s", b - a }')
  case $result in
    0) echo "$name: built into $out/$name ($took)" ;;
    77) echo "$name: not built: ${absent[*]}"; [ ${#names[@]} = 0 ] || status=1 ;;
    *) echo "$name: FAILED ($took)" >&2; tail -n 40 "$scratch/log" >&2; status=1 ;;
  esac
done
exit $status
