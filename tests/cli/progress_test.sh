#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: progress_test.sh FIXTURES: long work shows one line with samples, rate and remaining time on a terminal, which
# is gone at the end; anywhere else it shows nothing.
set -eu
fixtures=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
model=$fixtures/digits/digits.pt2
"$RUSHLIGHT" compile "$model" -o "$folder/digits.pte" --calibrate "$fixtures/digits/calibration.npz" >/dev/null

# As many samples as it takes for a line to appear: a fast machine needs more.
data="--data $fixtures/digits/test.npz"

for _ in 1 2 3 4 5 6 7; do
    script -qec "$RUSHLIGHT evaluate $model $folder/digits.pte $data" /dev/null >"$folder/evaluate"
    grep -q 'comparing: ' "$folder/evaluate" && break
    data="$data $data"
done
line='[0-9]* of [0-9]* samples, [0-9.e+]* a second, [0-9]* s left'
tr '\r' '\n' <"$folder/evaluate" | grep -q "comparing: $line" || {
    echo "evaluate shows no progress on a terminal"
    exit 1
}
# The last line that is written over is taken away before the result.
tr '\r' '\n' <"$folder/evaluate" | sed -n '/samples on host/,$p' | grep -q 's left' && {
    echo "progress stands after the result"
    exit 1
}
# shellcheck disable=SC2086
"$RUSHLIGHT" evaluate "$model" "$folder/digits.pte" $data >"$folder/out" 2>"$folder/err"
if [ -s "$folder/err" ] || grep -q 's left' "$folder/out"; then
    echo "evaluate shows progress where there is no terminal"
    exit 1
fi
