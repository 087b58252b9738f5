#!/usr/bin/env bash
# unpack_debian.sh FOLDER PACKAGE...: Debian's arm64 packages and what they depend on, unpacked into FOLDER
# for qemu-user. apt runs on a state of its own, so the host's packages and sources stay as they are, and
# nothing from the packages is run.
set -euo pipefail
folder=$(realpath -m "$1")
shift
mkdir -p "$folder"
apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt"/{etc/apt/apt.conf.d,etc/apt/preferences.d,lists/partial,archives/partial}
: >"$apt/status"

# The mirror that this machine uses.
mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -n 1)
mirror=${mirror:-$(sed -n 's/^deb .*\(http[^ ]*debian\)\/\? bookworm main.*/\1/p' /etc/apt/sources.list 2>/dev/null | head -n 1)}
mirror=${mirror:-http://deb.debian.org/debian}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
cat >"$apt/sources.list" <<SOURCES
deb [signed-by=$keyring] $mirror bookworm main
deb [signed-by=$keyring] $mirror-security bookworm-security main
SOURCES
cat >"$apt/apt.conf" <<CONF
Dir "$apt";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::State::status "$apt/status";
Dir::State::lists "$apt/lists";
Dir::Cache::archives "$apt/archives";
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
CONF
export APT_CONFIG=$apt/apt.conf
apt-get -qq update
apt-get -qq -y --download-only install "$@"
for deb in "$apt"/archives/*.deb; do dpkg-deb -x "$deb" "$folder"; done
