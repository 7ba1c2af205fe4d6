#!/bin/sh
# Compiles the assemblies of the tests. DOTNET_ROOT is an SDK for .NET 10.
# opcodes.txt is what System.Reflection.Emit.OpCodes says: code, name and operand of every operation.
set -eu
cd "$(dirname "$0")"
compile() {
    "$DOTNET_ROOT/dotnet" exec "$DOTNET_ROOT"/sdk/*/Roslyn/bincore/csc.dll -nologo -noconfig -nostdlib+ -deterministic \
        -langversion:latest -nowarn:0067,0169,0219,0414,0649 "-pathmap:$PWD=/src" \
        "-lib:$(echo "$DOTNET_ROOT"/packs/Microsoft.NETCore.App.Ref/*/ref/net10.0)" \
        -r:System.Runtime.dll -r:System.Collections.dll -r:System.Console.dll -r:System.Runtime.InteropServices.dll "$@"
}
compile -unsafe -target:library -debug:portable -optimize- -out:Sample.dll Sample.cs
compile -target:exe -debug:embedded -embed -optimize+ -out:Empty.dll Empty.cs
