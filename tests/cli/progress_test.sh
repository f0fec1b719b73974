#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: progress_test.sh FIXTURES: long work shows one line with samples, rate and remaining time on a terminal, which
# is gone at the end; anywhere else it shows nothing.
set -eu
fixtures=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
model=$fixtures/digits/digits.pt2
samples=$fixtures/digits/test.npz
"$RUSHLIGHT" compile "$model" -o "$folder/digits.pte" --calibrate "$fixtures/digits/calibration.npz" >/dev/null

# expect VERB WHAT RESULT OPTION WORD...: the verb with these words, and the samples after the option, shows the
# progress of WHAT, and then a line with RESULT.
expect() {
    verb=$1 what=$2 result=$3 option=$4
    shift 4
    words="$verb $*"
    data="$option $samples"
    # As many samples as it takes for a line to appear: a fast machine needs more.
    for _ in 1 2 3 4 5 6 7 8; do
        script -qec "$RUSHLIGHT $words $data" /dev/null >"$folder/shown"
        grep -q "$what: " "$folder/shown" && break
        data="$data $data"
    done
    line='[0-9]* of [0-9]* samples, [0-9.e+]* a second, [0-9]* s left'
    tr '\r' '\n' <"$folder/shown" | grep -q "$what: $line" || {
        echo "$verb shows no progress of $what on a terminal"
        exit 1
    }
    # The last line that is written over is taken away before the result.
    tr '\r' '\n' <"$folder/shown" | sed -n "/$result/,\$p" >"$folder/rest"
    if [ ! -s "$folder/rest" ] || grep -q 's left' "$folder/rest"; then
        echo "$verb: progress stands after the result, or there is none"
        exit 1
    fi
    # shellcheck disable=SC2086
    "$RUSHLIGHT" $words $data >"$folder/out" 2>"$folder/err"
    if [ -s "$folder/err" ] || grep -q 's left' "$folder/out"; then
        echo "$verb shows progress where there is no terminal"
        exit 1
    fi
}

expect evaluate comparing 'samples on host' --data "$model" "$folder/digits.pte"
expect run running 'samples on host' --input "$folder/digits.pte"
expect compile calibrating ' program ' --calibrate "$model" -o "$folder/calibrated.pte"

# Many images take their time before the first of them is run.
samples=$folder/photos
mkdir "$samples"
for i in $(seq 500); do
    ln "$fixtures/media/full.jpg" "$samples/$i.jpg" 2>/dev/null || cp "$fixtures/media/full.jpg" "$samples/$i.jpg"
done
expect run reading 'samples on host' --input "$folder/digits.pte" --resize input
