#!/usr/bin/env bash
# Runs a command, such as all tests, for which javac and csc compile in two processes that stay: `with-compilers.sh COMMAND`.
#
# Starting a compiler costs ten times what it does for a small program. The command gets a JDK (JAVA_HOME) and a .NET
# (DOTNET_ROOT) that are links to the real ones, except that their compilers pass requests on. A request is a line with a
# folder, an argument of the compiler, and a named pipe for the answer, separated by tabs. The answer is a line with the exit
# status, and then what the compiler says. Everything but the calls that aback makes goes to the real programs, and requests
# at which a server fails, too.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT

# Links the entries of a folder into another one.
link() { mkdir -p "$2" && ln -s "$1"/* "$2"; }

# Starts a server that reads the named pipe `$1`, which stays open for it. Its messages go to the file `$1.said`.
serve() {
    local requests=$1
    shift
    mkfifo "$requests"
    "$@" 0<>"$requests" >"$requests.said" 2>&1 &
    servers+=($!)
}

# Writes the program `$1`, which asks the server at the pipe `$2` if the condition `$3` holds, and otherwise runs `$4`.
client() {
    cat >"$1" <<EOF
#!/bin/sh
for last; do :; done
file=\${last#@}
if $3 && [ -p '$2' ]; then
    mkfifo "\$file.answer"
    printf '%s\t%s\t%s\n' "\$PWD" "\$last" "\$file.answer" >'$2'
    { read -r status; [ "\$status" = failed ] || { cat; exit "\$status"; }; } <"\$file.answer"
fi
exec '$4' "\$@"
EOF
    chmod +x "$1"
}

javac=$(readlink -f "${JAVA_HOME:+$JAVA_HOME/bin/javac}" || readlink -f "$(command -v javac)" || true)
if [ -x "$javac" ]; then
    jdk=${javac%/bin/javac}
    link "$jdk" "$work/jdk"
    rm "$work/jdk/bin"
    link "$jdk/bin" "$work/jdk/bin"
    rm "$work/jdk/bin/javac"
    # A server has one current folder, so that it must not see relative paths.
    client "$work/jdk/bin/javac" "$work/java" '[ "$#" = 4 ] && [ "$file" != "$last" ] && ! grep -Eq "^[^\"]*\"([^/]|.*:[^/])" "$file"' "$javac"
    "$javac" -d "$work/server" "$here/Server.java"
    LC_ALL=C.UTF-8 serve "$work/java" "$jdk/bin/java" -Xmx1g -XX:+UseSerialGC -Duser.language=en -cp "$work/server" Server
    export JAVA_HOME=$work/jdk
fi

dotnet=$(readlink -f "${DOTNET_ROOT:+$DOTNET_ROOT/dotnet}" || readlink -f "$(command -v dotnet)" || true)
csc=$(ls -d "${dotnet%/*}"/sdk/*/Roslyn/bincore/csc.dll 2>/dev/null | sort -V | tail -n 1 || true)
if [ -x "$dotnet" ] && [ -n "$csc" ]; then
    export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1
    references=("${dotnet%/*}"/shared/Microsoft.NETCore.App/*/System*.dll)
    "$dotnet" exec "$csc" -nologo -nullable:enable -out:"$work/server.dll" "${references[@]/#/-r:}" "$here/Server.cs"
    unset DOTNET_SYSTEM_GLOBALIZATION_INVARIANT
    link "${dotnet%/*}" "$work/net"
    # Sandboxes show what links in this folder lead to.
    mv "$work/net/dotnet" "$work/net/dotnet-itself"
    client "$work/net/dotnet" "$work/csharp" '[ "$#" = 3 ] && [ "$1" = exec ] && [ "${2##*/}" = csc.dll ] && [ "$file" != "$last" ]' "$dotnet"
    DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 DOTNET_TieredPGO=0 DOTNET_EnableDiagnostics=0 \
        serve "$work/csharp" "$dotnet" exec --runtimeconfig "${csc%.dll}.runtimeconfig.json" "$work/server.dll" "$csc"
    export DOTNET_ROOT=$work/net
fi

"$@"
