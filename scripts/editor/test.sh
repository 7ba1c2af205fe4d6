#!/usr/bin/env bash
# Checks the types of the extension for VS Code, and runs its unit tests, and the debug adapter with the test support of its protocol. ABACK names the program
# that has the adapter. It needs Node from version 18 on, and npm.
set -euo pipefail
cd "$(dirname "$0")/../.."

ABACK=$(realpath "${ABACK:-${CARGO_TARGET_DIR:-target}/debug/aback}")
export ABACK
cd editors/vscode
# Without the scripts of its packages, of which none is needed here.
[ -e node_modules/.package-lock.json ] && [ ! package-lock.json -nt node_modules/.package-lock.json ] ||
    npm ci --ignore-scripts --no-audit --no-fund --silent
npm run --silent check
npm test --silent
npm run --silent test:adapter
