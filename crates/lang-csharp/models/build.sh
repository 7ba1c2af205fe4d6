#!/bin/sh
# Compiles the models with the compiler of the SDK at DOTNET_ROOT.
set -e
cd "$(dirname "$0")"
refs=$(ls "$DOTNET_ROOT"/packs/Microsoft.NETCore.App.Ref/*/ref/net*/*.dll | sed 's/^/-r:/')
dotnet="$DOTNET_ROOT/dotnet"
# shellcheck disable=SC2086
"$dotnet" exec "$DOTNET_ROOT"/sdk/*/Roslyn/bincore/csc.dll -nologo -noconfig -nostdlib+ -deterministic -debug- -optimize+ -unsafe+ \
    -nullable- -nowarn:8632,0169,8500,0649 -langversion:latest -target:library -pathmap:"$PWD"=. -out:models.dll $refs ./*.cs
