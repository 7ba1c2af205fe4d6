#!/usr/bin/env bash
# Makes an image of a container in the format of OCI: container.sh VERSION OUT. It has a bare Debian system with the
# Debian package, a JDK, Git and Maven. No daemon takes part.
set -euo pipefail
here=$(dirname "$0") version=$1 out=$2

echo "dist: making the image of a container"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/root.sh" "$work/root"
cp "$out"/aback_"$version"_*.deb "$work/root/aback.deb"
# The scripts of the JDK's package need /proc.
unshare --mount --propagation private bash -euo pipefail -c "
    mount -t proc proc '$work/root/proc'
    chroot '$work/root' sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        /aback.deb default-jdk-headless git maven ca-certificates && apt-get clean'" >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; exit 1; }
rm -rf "$work"/root/aback.deb "$work"/root/var/lib/apt/lists/*
# They are those of this machine.
rm -f "$work"/root/etc/{resolv.conf,hostname}

buildah() { command buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"; }
image=$out/aback-$version-$(uname -m).oci.tar
rm -f "$image"
container=$(buildah from scratch)
buildah add --quiet "$container" "$work/root" / >/dev/null
buildah config --entrypoint '["/usr/bin/aback"]' --workingdir /work --env LANG=C.UTF-8 "$container"
buildah commit --quiet --disable-compression=false "$container" "oci-archive:$image:aback:$version" >/dev/null
