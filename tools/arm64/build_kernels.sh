#!/usr/bin/env bash
# build_kernels.sh FOLDER: the ARM64 kernels alone, for tests/arm64: FOLDER/linux.so by GCC and, where
# clang-cl and lld-link are installed, FOLDER/windows.dll (clang-cl's ABI and rules, no SDK). Beside each
# stands NAME.compiler, which names the compiler with its version.
set -euo pipefail
out=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p "$out/linux" "$out/windows"
ce=-march=armv8-a+crypto
eor3=-march=armv8.2-a+crypto+sha3
files=("aes_ce $ce" "aes_eor3 $eor3" "sha256_ce $ce")

objects=()
for file in "${files[@]}"; do
  read -r name march <<<"$file"
  aarch64-linux-gnu-g++ -std=c++20 -O3 -DNDEBUG -fPIC -Icpp/include "$march" \
    -c "cpp/kernels/arm64/$name.cpp" -o "$out/linux/$name.o"
  objects+=("$out/linux/$name.o")
done
for file in tools/arm64/freestanding/memory.c tests/arm64/planted.c; do
  name=$(basename "$file" .c)
  aarch64-linux-gnu-gcc -std=c11 -O1 -fPIC -fno-builtin -fno-tree-loop-distribute-patterns \
    -c "$file" -o "$out/linux/$name.o"
  objects+=("$out/linux/$name.o")
done
aarch64-linux-gnu-g++ -shared -nostdlib -Wl,-z,max-page-size=4096 "${objects[@]}" -o "$out/linux.so"
echo "gcc $(aarch64-linux-gnu-gcc -dumpfullversion)" >"$out/linux.compiler"

clang=$(command -v clang-cl-22 || command -v clang-cl-19 || true)
link=$(command -v lld-link-22 || command -v lld-link-19 || true)
if [ -z "$clang" ] || [ -z "$link" ]; then
  echo "no clang-cl with lld-link: windows.dll is not built"
  exit 0
fi
cl=("$clang" --target=aarch64-pc-windows-msvc /c /GS- /Zl /W4 /WX /clang:-ffreestanding
  /clang:-isystem /clang:tools/arm64/freestanding)
objects=()
for file in "${files[@]}"; do
  read -r name march <<<"$file"
  # C++20's designated initializers and <arm_neon.h> are all that is used of the language.
  "${cl[@]}" /std:c++20 /clang:-O3 /DNDEBUG /EHs-c- /I cpp/include "/clang:$march" \
    "/Fo$out/windows/$name.obj" -- "cpp/kernels/arm64/$name.cpp"
  objects+=("$out/windows/$name.obj")
done
for file in tools/arm64/freestanding/memory.c tests/arm64/planted.c; do
  name=$(basename "$file" .c)
  "${cl[@]}" /O1 /clang:-fno-builtin "/Fo$out/windows/$name.obj" -- "$file"
  objects+=("$out/windows/$name.obj")
done
# The tables of functions are exported as data, by their mangled names.
"$link" /dll /noentry /nodefaultlib /machine:arm64 "/out:$out/windows.dll" \
  "/export:?kAesArm64Ce@cngaes@@3UAesFunctions@1@B,DATA" \
  "/export:?kAesArm64Eor3@cngaes@@3UAesFunctions@1@B,DATA" \
  "/export:?kSha256Arm64Ce@cngaes@@3USha256Functions@1@B,DATA" \
  /export:planted_lookup /export:planted_branch /export:planted_overrun "${objects[@]}"
echo "clang-cl $("$clang" --version | sed -n 's/.*version \([0-9.]*\).*/\1/p' | head -n 1)" >"$out/windows.compiler"
