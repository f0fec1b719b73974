#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: project_test.sh
# The project of examples/project/, which contains Rushlight with add_subdirectory, built as its first lines say and
# run on an emulated M4: two programs in turn, whose outputs must be those that each gives alone on the host.
set -eu
. "$(dirname "$0")/common.sh"
counter=$top/tests/fixtures/programs/state.pte

# host_line PROGRAM INPUT: what the host gives, as the project prints it.
host_line() {
    on_host "$1" "$2" | sed 's/^/ /' | tr -d '\n'
}

"$RUSHLIGHT" compile "$digits/digits.pt2" -o "$folder/digits.pte" --calibrate "$digits/calibration.npz" \
    --target cortex-m4 >"$folder/log"
if ! { cmake -G Ninja -B "$folder/out" -DDIGITS="$folder/digits.pte" -DCOUNTER="$counter" "$top/examples/project" &&
    ninja -j 1 -C "$folder/out"; } >"$folder/log" 2>&1; then
    cat "$folder/log"
    fail "the project does not build"
fi
RL_TIMEOUT=60 "$top/scripts/run-on" m4 "$folder/out/mine.elf" >"$folder/output" ||
    fail "status $?: $(cat "$folder/output")"

# Three runs of the counter with ones, one of the digits with an empty image.
{
    npy_header '3, 3'
    for _ in 1 2 3 4 5 6 7 8 9; do printf '\000\000\200\077'; done
} >"$folder/ones.npy"
{
    npy_header '1, 1, 8, 8'
    head -c 256 /dev/zero
} >"$folder/empty.npy"
told=$(sed -n 's/^digits after 12 operators://p' "$folder/output")
[ "$told" = "$(host_line "$folder/digits.pte" "$folder/empty.npy")" ] ||
    fail "other digits than on the host: $(cat "$folder/output")"
counted=$(sed -n 's/^counter after [0-9]* operators://p' "$folder/output" | tr -d '\n')
[ "$counted" = "$(host_line "$counter" "$folder/ones.npy")" ] ||
    fail "other counts than on the host: $(cat "$folder/output")"
[ -n "$counted" ] || fail "the counter printed nothing"
