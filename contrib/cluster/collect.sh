#!/bin/sh
# Collects the parts of a scan that `shard.sbatch` has made, and reports on them: collect.sh PATH… [OPTIONS OF aback scan], with the
# options of the parts.
parts=${ABACK_PARTS:-.aback-parts}
for part in "$parts"/*/; do
    set -- "$@" --collect "$part"
done
exec aback scan "$@" --out "$parts.all"
