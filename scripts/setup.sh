#!/usr/bin/env bash
# Installs what a build needs and a fresh Debian machine lacks; with `node`, also what the tests of the extension need. Does nothing, quickly, where all is there.
set -euo pipefail
cd "$(dirname "$0")/.."

Z3_VERSION=5.4.0.0
DOTNET_VERSION=3.1.23

have() { command -v "$1" >/dev/null 2>&1; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; elif have sudo; then sudo "$@"; else
        echo "setup: please install, as root: ${*: -1}" >&2
        exit 1
    fi
}

apt_install() {
    have apt-get || { echo "setup: please install: $*" >&2; exit 1; }
    echo "setup: installing $*"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
}

# Unpacks a wheel of the Python package index into a folder.
wheel() {
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: -d "$2" "$1" &&
        python3 -m zipfile -e "$2"/*.whl "$2"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

needs_z3=false
[ -e .z3/lib/libz3.so ] || needs_z3=true
needs_dotnet=false
have dotnet || [ -d "${DOTNET_ROOT:-/none}/shared" ] || [ -e .dotnet/dotnet ] || needs_dotnet=true

packages=()
have cc || packages+=(build-essential)
have pkg-config || packages+=(pkg-config)
have javac || packages+=(default-jdk-headless)
have curl || have cargo || packages+=(curl ca-certificates)
if $needs_z3 || $needs_dotnet; then
    have python3 || packages+=(python3)
    python3 -m pip --version >/dev/null 2>&1 || packages+=(python3-pip)
fi
# Only the tests of the extension need it.
[ "${1-}" != node ] || have npm || packages+=(nodejs npm)
# Only the tests of generated tests need it.
! have apt-get || [ -e /usr/share/java/junit4.jar ] || packages+=(junit4)
[ ${#packages[@]} -eq 0 ] || apt_install "${packages[@]}"
# Without a sandbox, counterexamples run as any other process.
! have apt-get || have bwrap || (apt_install bubblewrap) || echo "setup: no bubblewrap; --confirm runs without a sandbox"

if ! have cargo; then
    echo "setup: installing Rust"
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal -c rustfmt,clippy
fi

# Debian's Z3 is years old and several times slower on our questions; the Python package brings the library alone.
if $needs_z3; then
    echo "setup: fetching Z3 $Z3_VERSION"
    mkdir "$work/z3"
    if wheel "z3-solver==$Z3_VERSION" "$work/z3"; then
        mkdir -p .z3/lib .z3/bin
        library=$(find "$work/z3/z3/lib" -name 'libz3.so.*' | head -n 1)
        cp "$library" .z3/lib/
        cp "$work"/z3/z3_solver-*.data/data/bin/z3 .z3/bin/z3
        chmod +x .z3/bin/z3
        ln -sf "$(basename "$library")" .z3/lib/libz3.so
    else
        echo "setup: no Z3 from the Python package index; falling back to Debian's, which is slower"
        apt_install libz3-dev
    fi
fi
if [ -e .z3/lib/libz3.so ]; then
    mkdir -p .z3/pkgconfig
    cat >.z3/pkgconfig/z3.pc.new <<EOF
Name: Z3
Description: the Z3 library beside these sources
Version: ${Z3_VERSION%.*}
Libs: -L\${pcfiledir}/../lib -lz3
EOF
    # Written only when it changes: build scripts look at its age.
    cmp -s .z3/pkgconfig/z3.pc.new .z3/pkgconfig/z3.pc 2>/dev/null || mv .z3/pkgconfig/z3.pc.new .z3/pkgconfig/z3.pc
    rm -f .z3/pkgconfig/z3.pc.new
fi

# The class library of C# programs. The package has a runtime and no compiler: sources need an SDK.
if $needs_dotnet; then
    echo "setup: fetching the .NET runtime $DOTNET_VERSION"
    mkdir "$work/dotnet"
    if wheel "dotnetcore2==$DOTNET_VERSION" "$work/dotnet"; then
        chmod +x "$work/dotnet/dotnetcore2/bin/dotnet"
        rm -rf .dotnet
        mv "$work/dotnet/dotnetcore2/bin" .dotnet
    else
        echo "setup: no .NET from the Python package index; C# programs need a .NET SDK in DOTNET_ROOT or on PATH"
    fi
fi
