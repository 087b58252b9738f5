#!/usr/bin/env bash
# Builds the C libraries that bench/suites/limits.py compares with, outside the repository:
#
#   tools/limits_peers.sh TARGET SOURCE...
#   CNGAES_PEER_LIBRARIES=TARGET python bench/suites/limits.py
#
# SOURCE: folders that you have got yourself, named boringssl, aws-lc or intel-ipsec-mb, each a source
# tree of that project. Without any, limits.py still finds the system's libcrypto and libIPSec_MB
# (Debian: libipsec-mb-dev). Needs CMake, ninja, a compiler; for intel-ipsec-mb also nasm.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 2; }
target=$(mkdir -p "$1" && cd "$1" && pwd)
shift

build() { # NAME SOURCE CMAKE_TARGET LIBRARY OPTION...
  local name=$1 source=$2 goal=$3 library=$4 found
  shift 4
  cmake -S "$source" -B "$target/build-$name" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_SHARED_LIBS=ON "$@"
  cmake --build "$target/build-$name" --target "$goal" -j "${JOBS:-2}"
  found=$(find "$target/build-$name" -name "$library" | head -n 1)
  [ -n "$found" ] || { echo "$name: no $library was built" >&2; exit 1; }
  mkdir -p "$target/$name"
  cp -L "$found" "$target/$name/$library"
  # limits.py keeps figures with what they were measured against.
  git -C "$source" rev-parse HEAD >"$target/$name/commit" 2>/dev/null || echo unknown >"$target/$name/commit"
  echo "$name: $target/$name/$library"
}

for source in "$@"; do
  case $(basename "$source") in
    boringssl) build boringssl "$source" crypto libcrypto.so ;;
    aws-lc) build aws-lc "$source" crypto libcrypto.so -DBUILD_TESTING=OFF -DBUILD_TOOL=OFF \
      -DDISABLE_GO=ON -DDISABLE_PERL=ON ;;
    intel-ipsec-mb) build ipsec-mb "$source" IPSec_MB libIPSec_MB.so ;;
    *) echo "unknown source: $source" >&2; exit 2 ;;
  esac
done
