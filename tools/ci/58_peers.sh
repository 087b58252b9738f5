#!/usr/bin/env bash
# Budget: 4 minutes, 1.5 with cached builds. Proves: the peers of bench/peers/ that this machine has tools
# for are built, give the right output in every cell that they offer, and join one quick round of the
# article's benchmark; what is absent is named. Downloaded: crates, pinned in Cargo.lock.
# By hand: tools/ci/58_peers.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
step_begin
want_python
want_apt cc:gcc /usr/include/openssl/evp.h:libssl-dev \
  /usr/lib/x86_64-linux-gnu/perl5/5.36/Crypt/Rijndael.pm:libcrypt-rijndael-perl \
  /usr/share/perl5/Crypt/ECB.pm:libcrypt-ecb-perl \
  /usr/lib/x86_64-linux-gnu/perl5/5.36/Crypt/GCrypt.pm:libcrypt-gcrypt-perl \
  /usr/lib/x86_64-linux-gnu/perl5/5.36/CryptX.pm:libcryptx-perl || skip_part "some peers: $MISSING"

export CNGAES_PEERS="$CACHE/peers/programs" CARGO_TARGET_DIR="$CACHE/peers/rust-target"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
built=0
tools/peers.sh | tee "$out/built" || built=1
while IFS= read -r line; do
  skip_part "peer ${line/: not built/}"
done < <(grep ': not built: ' "$out/built" || true)
[ $built = 0 ] || die "a peer that this machine has the tools for was not built"

timed "every cell of every peer" env CNGAES_PEER_WARM_UP=no "$PY" -m pytest -q -p no:cacheprovider \
  -c pyproject.toml --durations=5 bench/peers/test_programs.py
cd "$out"
timed "bench --peers, 1 MiB" "$PY" -m cngaes bench --peers --size 1MiB --rounds 2 --min-time 1 \
  -o "$out/out.json" --md "$out/out.md"
grep -A 30 '^## Not measured' "$out/out.md" | grep -E 'tools/peers.sh|no .* here' || note "every peer took part"
