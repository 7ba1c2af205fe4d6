#!/usr/bin/env bash
# Tries the packages in bare Debian systems: the archive where nothing is installed, and the Debian package, which is then
# tried with a JDK, too, and with .NET if DOTNET_ROOT or .dotnet has one.
set -euo pipefail
cd "$(dirname "$0")/../.."
# Mounts and programs in the roots end with this process.
[ "${1-}" = inside ] || exec unshare --mount --pid --fork --kill-child --propagation private scripts/dist/try.sh inside

out=$(realpath "${CARGO_TARGET_DIR:-target}/dist")
work=$(mktemp -d)
root=$work
trap 'umount "$work/bare/proc" "$work/bare/opt/dotnet" "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
say() { echo "try-dist: $*"; }

# Runs a command in a folder of a root, and checks its exit status and what it says.
expect() { # ROOT FOLDER STATUS TEXT COMMAND…
    local root=$1 folder=$2 status=$3 text=$4 found=0 said
    shift 4
    said=$(chroot "$root" sh -c "cd $folder && exec \"\$@\"" sh "$@" 2>&1) || found=$?
    case $found:$said in
    "$status:"*"$text"*) echo "  ok: ${*}" ;;
    *) echo "  FAILED: ${*}: exit status $found, not $status, or no '$text' in:"; echo "$said"; exit 1 ;;
    esac
}

# What needs nothing else.
try_alone() { # ROOT FOLDER ABACK
    expect "$1" "$2" 0 "aback " "$3" --version
    expect "$1" "$2" 0 "found    Z3 library" "$3" doctor
    expect "$1" "$2" 0 "missing  JDK" "$3" doctor
    expect "$1" "$2" 1 "violated" "$3" check examples/list.oox --entry Main.lastOfThree --timeout 60
    expect "$1" "$2" 0 "holds" "$3" check examples/loops/table1.oox --entry Table1.twoLoops --timeout 60
    expect "$1" "$2" 2 "no javac" "$3" check examples/java/Account.java --entry Account.transfer --timeout 60
    expect "$1" "$2" 2 "class library of .NET" "$3" check examples/csharp/Stock.dll --entry Stock.Order --timeout 60
}

say "making a bare system"
scripts/dist/root.sh "$work/bare"
mount -t proc proc "$work/bare/proc"

say "the archive"
archive=$(ls -t "$out"/aback-*-linux.tar.xz | head -n 1)
folder=/opt/$(basename "$archive" .tar.xz)
tar -xJf "$archive" -C "$work/bare/opt"
try_alone "$work/bare" "$folder/share/doc/aback" "$folder/bin/aback"
rm -rf "$work/bare$folder"

package=$(ls -t "$out"/aback_*.deb 2>/dev/null | head -n 1 || true)
if [ -z "$package" ]; then
    say "there is no Debian package"
    exit
fi
say "the Debian package"
cp "$package" "$work/bare/aback.deb"
chroot "$work/bare" dpkg -i /aback.deb >/dev/null
documents=/usr/share/doc/aback
try_alone "$work/bare" "$documents" aback

say "the Debian package with a JDK"
chroot "$work/bare" sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends default-jdk-headless' \
    >"$work/log" 2>&1 || { tail -n 5 "$work/log"; exit 1; }
expect "$work/bare" "$documents" 0 "found    javac" aback doctor
expect "$work/bare" "$documents" 1 "amount = 1" aback check examples/java/Account.java --entry Account.transfer --timeout 60
expect "$work/bare" "$documents" 1 "confirmed by" aback check examples/java/Account.java --entry Account.transfer --confirm --timeout 60
chroot "$work/bare" sh -c "javac -g -d /classes $documents/examples/java/Account.java"
expect "$work/bare" "$documents" 0 "holds" aback check /classes/Account.class --entry Account.safeTransfer --timeout 60

dotnet=${DOTNET_ROOT:-.dotnet}
if [ -d "$dotnet/shared" ]; then
    say "the Debian package with .NET"
    mkdir "$work/bare/opt/dotnet"
    mount --bind -o ro "$dotnet" "$work/bare/opt/dotnet"
    expect "$work/bare" "$documents" 0 "found    .NET class library" env DOTNET_ROOT=/opt/dotnet aback doctor
    expect "$work/bare" "$documents" 1 "count = " env DOTNET_ROOT=/opt/dotnet aback check examples/csharp/Stock.dll --entry Stock.Order --timeout 60
fi

image=$(ls -t "$out"/aback-*.oci.tar 2>/dev/null | head -n 1 || true)
if [ -n "$image" ]; then
    say "the image of a container"
    buildah() { command buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"; }
    root=$(buildah mount "$(buildah from --quiet "oci-archive:$image")")
    mount -t proc proc "$root/proc"
    # What builds and scans a project on a server.
    expect "$root" / 0 "git version" git --version
    expect "$root" / 0 "Apache Maven" mvn --version
    expect "$root" "$documents" 1 "amount = 1" aback check examples/java/Account.java --entry Account.transfer --timeout 60
fi

say "all is well"
