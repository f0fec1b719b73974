#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: project_test.sh
# The project of examples/project/, which contains Rushlight with add_subdirectory, built as its first lines say and run on an
# emulated M4: two programs in turn, whose outputs must be those that each gives alone on the host.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
digits=$top/tests/fixtures/digits
counter=$top/tests/fixtures/programs/state.pte
for tool in arm-none-eabi-gcc qemu-system-arm cmake ninja; do
    if ! command -v $tool >/dev/null; then
        echo "$tool is not installed: scripts/bootstrap does"
        exit 77
    fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# fail SENTENCE
fail() {
    echo "FAIL: $1"
    exit 1
}

# on_host PROGRAM INPUT: the outputs of all samples in thousandths, on one line.
on_host() {
    "$RUSHLIGHT" run "$1" --input "$2" --json |
        awk '/"data"/ { inside = 1; next } /]/ { inside = 0 } inside { printf " %d", $1 * 1000 }'
}

"$RUSHLIGHT" compile "$digits/digits.pt2" -o "$folder/digits.pte" --calibrate "$digits/calibration.npz" --target cortex-m4 \
    >"$folder/log"
if ! { cmake -G Ninja -B "$folder/out" -DDIGITS="$folder/digits.pte" -DCOUNTER="$counter" "$top/examples/project" &&
    ninja -j 1 -C "$folder/out"; } >"$folder/log" 2>&1; then
    cat "$folder/log"
    fail "the project does not build"
fi
RL_TIMEOUT=60 "$top/scripts/run-on" m4 "$folder/out/mine.elf" >"$folder/output" || fail "status $?: $(cat "$folder/output")"

# Three runs of the counter with ones, one of the digits with an empty image: .npy files of 128 bytes of header.
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3), }"
    for _ in 1 2 3 4 5 6 7 8 9; do printf '\000\000\200\077'; done
} >"$folder/ones.npy"
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 8, 8), }"
    head -c 256 /dev/zero
} >"$folder/empty.npy"
[ "$(sed -n 's/^digits after 12 operators://p' "$folder/output")" = "$(on_host "$folder/digits.pte" "$folder/empty.npy")" ] ||
    fail "other digits than on the host: $(cat "$folder/output")"
counted=$(sed -n 's/^counter after [0-9]* operators://p' "$folder/output" | tr -d '\n')
[ "$counted" = "$(on_host "$counter" "$folder/ones.npy")" ] || fail "other counts than on the host: $(cat "$folder/output")"
[ -n "$counted" ] || fail "the counter printed nothing"
