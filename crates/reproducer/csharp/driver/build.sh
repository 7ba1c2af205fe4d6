#!/bin/sh
# Compiles the driver with the compiler of the SDK at DOTNET_ROOT against the class library at LIBRARY, the folder of the
# oldest runtime on which it shall run: shared/Microsoft.NETCore.App/3.1.*.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
for helper in Find Make Set Held Fill Method Call; do
    sed 's/^    static /    internal static /' "../$helper.cs"
done | { echo 'static class Helpers {'; cat; echo '}'; } > "$work/Helpers.cs"
refs=$(ls "$LIBRARY"/System*.dll "$LIBRARY"/netstandard.dll | sed 's/^/-r:/')
# shellcheck disable=SC2086
"$DOTNET_ROOT/dotnet" exec "$DOTNET_ROOT"/sdk/*/Roslyn/bincore/csc.dll -nologo -noconfig -nostdlib+ -deterministic -debug- -optimize+ \
    -nowarn:1701,1702 -langversion:latest -target:exe -pathmap:"$work"=.,"$PWD"=. -out:driver.dll $refs Driver.cs Description.cs Runtime.cs "$work/Helpers.cs"
