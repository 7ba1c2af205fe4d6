#!/bin/sh
# Makes the assembly and the table of results with the SDK for .NET 10 at DOTNET_ROOT, in the folder that is named or here.
set -eu
cd "$(dirname "$0")"
out=${1:-$PWD}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$DOTNET_ROOT/dotnet" exec "$DOTNET_ROOT"/sdk/*/Roslyn/bincore/csc.dll -nologo -noconfig -nostdlib+ -deterministic -debug- -optimize+ \
    -unsafe+ -langversion:latest -target:exe -out:"$work/Generator.dll" \
    $(ls "$DOTNET_ROOT"/packs/Microsoft.NETCore.App.Ref/*/ref/net10.0/*.dll | sed 's/^/-r:/') ./*.cs
echo '{"runtimeOptions":{"tfm":"net10.0","framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"}}}' > "$work/Generator.runtimeconfig.json"
"$DOTNET_ROOT/dotnet" exec "$work/Generator.dll" "$out"
