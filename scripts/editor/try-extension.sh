#!/usr/bin/env bash
# Tries the debug adapter with the test support of its protocol, and the packaged extension in an editor: installs code-server below target/editor, and does there in a browser what users
# do. It needs what scripts/editor/extension.sh needs, Chromium (CHROMIUM names another place) and a JDK. ABACK names the
# program to try; otherwise it is built. Screenshots are in target/editor/pictures.
set -euo pipefail
cd "$(dirname "$0")/../.."

out=$(realpath -m "${CARGO_TARGET_DIR:-target}/editor")
tools=$out/code-server
say() { echo "try-extension: $*"; }

version=4.96.4
if [ ! -f "$tools/ready-$version" ]; then
    say "installing code-server $version"
    rm -rf "$tools"
    mkdir -p "$tools"
    cd "$tools"
    # Without the scripts of its packages: of the native ones, only argon2 is needed. What is pinned there names other places.
    npm init --yes >/dev/null
    npm install --ignore-scripts --no-audit --no-fund --silent "code-server@$version" playwright-core@1.65.1
    rm -f node_modules/code-server/{,lib/vscode/,lib/vscode/extensions/}npm-shrinkwrap.json
    for folder in lib/vscode lib/vscode/extensions; do
        (cd "node_modules/code-server/$folder" && npm install --omit=dev --ignore-scripts --no-audit --no-fund --silent)
    done
    npm rebuild --silent argon2
    touch "ready-$version"
    cd - >/dev/null
fi
scripts/editor/extension.sh
if [ -z "${ABACK-}" ]; then
    cargo build --release --locked --bin aback
    ABACK=${CARGO_TARGET_DIR:-target}/release/aback
fi
say "the adapter"
ABACK=$(realpath "$ABACK")
(export ABACK && cd editors/vscode && npm run --silent test:adapter)
say "in code-server"
rm -rf "$out/pictures"
node editors/vscode/test/end-to-end/run.mjs "$tools" "$(ls "$out"/aback-*.vsix)" "$ABACK" "$out/pictures"
say "all is well; the screenshots are in $out/pictures"
