#!/usr/bin/env bash
# Checks the types of the extension for VS Code, and runs its unit tests, and the debug adapter with the test support of its protocol. ABACK names the program
# that has the adapter. It needs Node from version 18 on, and npm. Without a network, it says so and tests nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."

ABACK=$(realpath "${ABACK:-${CARGO_TARGET_DIR:-target}/debug/aback}")
export ABACK
cd editors/vscode
# Without the scripts of its packages, of which none is needed here.
packages() { npm ci --ignore-scripts --no-audit --no-fund --silent; }
[ -e node_modules/.package-lock.json ] && [ ! package-lock.json -nt node_modules/.package-lock.json ] || packages || packages || {
    echo "editor: npm cannot fetch the packages of the extension, which is not tested" >&2
    exit 0
}
npm run --silent check
npm test --silent
npm run --silent test:adapter
