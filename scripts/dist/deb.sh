#!/usr/bin/env bash
# Makes a Debian package: deb.sh TREE VERSION OUT, where TREE has the files below /usr.
set -euo pipefail
tree=$1 version=$2 out=$3

architecture=$(dpkg --print-architecture)
package=$out/aback_${version}_$architecture
rm -rf "$package"
mkdir -p "$package/DEBIAN"
cp -R "$tree" "$package/usr"
documents=$package/usr/share/doc/aback
cat >"$documents/copyright" <<EOF
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: aback
Comment: The licences of Z3 and of the crates in the binary are in LICENCES-OF-DEPENDENCIES.

Files: *
Copyright: The aback developers
License: MIT or Apache-2.0
 See LICENSE-MIT and LICENSE-APACHE.
EOF
chmod 644 "$documents/copyright"

# What the files need of other packages, in the versions whose symbols they use. The tool wants a source package.
source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT
mkdir "$source/debian"
printf 'Source: aback\n\nPackage: aback\nArchitecture: any\n' >"$source/debian/control"
binaries=$(realpath "$package/usr")
depends=$(cd "$source" && dpkg-shlibdeps -O --ignore-missing-info -l"$binaries/lib/aback" \
    -e"$binaries/bin/aback" -e"$(echo "$binaries"/lib/aback/libz3.so*)" 2>/dev/null)

cat >"$package/DEBIAN/control" <<EOF
Package: aback
Version: $version
Architecture: $architecture
Maintainer: The aback developers
Installed-Size: $(du -sk "$package/usr" | cut -f 1)
Depends: ${depends#shlibs:Depends=}
Recommends: bubblewrap, default-jdk-headless
Suggests: junit4
Section: devel
Priority: optional
Description: answers questions about single lines of Java, C# and OOX programs
 Can this assertion fail? Can this reference be null? And if so, with which
 input? aback executes programs symbolically, on all inputs at once, and answers
 with a proof, with an input and its path, or with what was not covered.
 .
 Java programs need a JDK, and C# programs need .NET.
EOF
(cd "$package" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
dpkg-deb --root-owner-group --build "$package" "$out" >/dev/null
rm -rf "$package"
