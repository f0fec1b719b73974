#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: compiled_vectors.sh CORE COMPILER FLAGS
# run_vectors.sh with kernels compiled in another way than ours: by another compiler, or for small code, which leaves
# out the faster copies of some loops.
set -eu
core=$1 compiler=$2 flags=$3
if ! command -v "$compiler" >/dev/null; then
    echo "$compiler is not installed: scripts/bootstrap --all does"
    exit 77
fi
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in "$top"/kernels/*/*.c; do
    # shellcheck disable=SC2086
    "$compiler" $flags -std=c11 -fwrapv -ffunction-sections \
        -I"$top/kernels" -I"$top/kernels/cmsis_nn/include" -I"$top/include" -c "$source" \
        -o "$work/$(basename "$source").o"
done
ar rc "$work/kernels.a" "$work"/*.o
# Not exec: the folder is to be removed.
"$top/tests/oracle/run_vectors.sh" "$core" "$work/kernels.a"
