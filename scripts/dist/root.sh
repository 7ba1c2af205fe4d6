#!/usr/bin/env bash
# Makes a bare Debian system in a folder, of the release for which the packages are made: root.sh FOLDER.
# DEBIAN_MIRROR names the server if it is not the usual one.
set -euo pipefail
. /etc/os-release
[ "$ID" = debian ] && release=$VERSION_CODENAME || release=stable
debootstrap --variant=minbase "$release" "$1" ${DEBIAN_MIRROR:-} >"$1.log" 2>&1 || { tail -n 5 "$1.log" >&2; exit 1; }
rm "$1.log"
