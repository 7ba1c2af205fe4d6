#!/usr/bin/env bash
# Makes the packages of aback in target/dist: an archive, a Debian package, and an image of a container. The archive and
# the Debian package have one tree of files, which works at any place: the binary finds Z3 relative to itself.
set -euo pipefail
cd "$(dirname "$0")/../.."

out=${CARGO_TARGET_DIR:-target}/dist
have() { command -v "$1" >/dev/null 2>&1; }
say() { echo "dist: $*"; }

have python3 || { say "python3 is missing, which collects the licences" >&2; exit 1; }
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
name=aback-$version-$(uname -m)-linux
# The same sources give the same packages.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH

# A folder of its own: the binary of other builds finds Z3 beside the sources.
say "building"
ABACK_RPATH='$ORIGIN/../lib/aback' \
    RUSTFLAGS="--remap-path-prefix=$PWD=aback --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo" \
    cargo build --release --locked --bin aback --target-dir "$out/build"

say "laying out $name"
tree=$out/$name
rm -rf "$tree"
documents=$tree/share/doc/aback
mkdir -p "$tree"/{bin,lib/aback,share/man/man1,share/aback} "$documents" \
    "$tree"/share/{bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
install -m 755 "$out/build/release/aback" "$tree/bin/aback"
strip --strip-debug "$tree/bin/aback"
library=$(LD_LIBRARY_PATH=$PWD/.z3/lib ldd "$tree/bin/aback" | awk '$1 ~ /^libz3/ { print $3 }')
install -m 644 "$library" "$tree/lib/aback/"
LD_LIBRARY_PATH= "$tree/bin/aback" man "$tree/share/man/man1"
gzip -9n "$tree"/share/man/man1/*.1
completions() { LD_LIBRARY_PATH= "$tree/bin/aback" completions "$1"; }
completions bash >"$tree/share/bash-completion/completions/aback"
completions zsh >"$tree/share/zsh/vendor-completions/_aback"
completions fish >"$tree/share/fish/vendor_completions.d/aback.fish"
cp -R invariants "$tree/share/aback/"
cp -R README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE docs "$documents/"
# What git does not know, such as the results of builds, is no example.
if git rev-parse >/dev/null 2>&1; then
    git ls-files -z examples | tar -c --null -T - | tar -xC "$documents"
else
    cp -R examples "$documents/"
fi
scripts/dist/licences.py >"$documents/LICENCES-OF-DEPENDENCIES"
chmod -R u=rwX,go=rX "$tree"

say "packing $name.tar.xz"
tar -C "$out" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -cJf "$out/$name.tar.xz" "$name"

if have dpkg-deb && have dpkg-shlibdeps; then
    scripts/dist/deb.sh "$tree" "$version" "$out"
else
    say "no Debian package: dpkg-deb or dpkg-shlibdeps is missing (Debian: apt-get install dpkg-dev)"
fi
if [ "$(id -u)" -eq 0 ] && have buildah && have debootstrap; then
    scripts/dist/container.sh "$version" "$out"
else
    say "no image of a container: it needs root, buildah and debootstrap"
fi
(cd "$out" && ls -lh ./*.tar.xz ./*.deb ./*.oci.tar 2>/dev/null) || true
