#!/bin/sh
# Compiles each example to an assembly with the SDK at DOTNET_ROOT. The reference is that of .NET Standard 2.0, so that
# the assemblies fit every runtime since .NET Core 2.0.
set -e
cd "$(dirname "$0")"
sdk=$(ls -d "$DOTNET_ROOT"/sdk/*/ | tail -1)
for source in *.cs; do
    "$DOTNET_ROOT"/dotnet exec "$sdk"Roslyn/bincore/csc.dll -nologo -noconfig -nostdlib+ -deterministic -debug:portable \
        -optimize- -define:DEBUG -target:library -pathmap:"$PWD"=. -r:"$sdk"ref/netstandard.dll -out:"${source%.cs}.dll" "$source"
done
