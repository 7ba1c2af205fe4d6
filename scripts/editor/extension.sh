#!/usr/bin/env bash
# Makes the package of the extension for VS Code in target/editor. It needs Node 20 and npm.
set -euo pipefail
cd "$(dirname "$0")/../.."

out=$(realpath -m "${CARGO_TARGET_DIR:-target}/editor")
command -v npm >/dev/null 2>&1 || { echo "extension: npm is missing (Debian: apt-get install npm)" >&2; exit 1; }
mkdir -p "$out"
cd editors/vscode
npm ci --no-audit --no-fund --silent
npm test --silent >"$out/unit-tests.log" 2>&1 || { cat "$out/unit-tests.log"; exit 1; }
rm -f "$out"/aback-*.vsix
npm run package --silent -- --out "$out/"
