#!/usr/bin/env bash
# Budget: 15 minutes. Proves: what tools/ci/80_windows_x64.sh does, with every test of the suite instead of
# its selection (tests/arm64 is for Linux). By hand: tools/nightly/windows_x64_whole.sh
exec "$(dirname "${BASH_SOURCE[0]}")/../ci/80_windows_x64.sh" tests --ignore tests/arm64
