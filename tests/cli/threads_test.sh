#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: threads_test.sh FIXTURES: compile writes the same program, or fails with the same message, whatever the number
# of threads, with observers that see one value, several values, and with states.
set -eu
fixtures=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# expect_same STATUS MODEL DATA WORD...: one thread, two, three and as many as there may be end with this status, and
# compile the same.
expect_same() {
    expected=$1 model=$2 data=$3
    shift 3
    for threads in 1 2 3 64; do
        status=0
        "$RUSHLIGHT" compile "$model" --calibrate "$data" --threads $threads -o "$folder/$threads.pte" "$@" \
            >"$folder/out" 2>"$folder/$threads.err" || status=$?
        [ $status = 0 ] || cp "$folder/$threads.err" "$folder/$threads.pte"
        if [ $status != "$expected" ] || ! cmp "$folder/1.pte" "$folder/$threads.pte" ||
            ! cmp "$folder/1.err" "$folder/$threads.err"; then
            cat "$folder/$threads.err"
            echo "$model $*: $threads threads make a difference, or the status is $status"
            exit 1
        fi
    done
}

for quantizer in best stock; do
    expect_same 0 "$fixtures/digits/digits.pt2" "$fixtures/digits/calibration.npz" --quantizer $quantizer
    expect_same 0 "$fixtures/quantize/patterns.pt2" "$fixtures/quantize/patterns.npz" --quantizer $quantizer
    for model in "$fixtures"/zoo/*.npz; do
        expect_same 0 "${model%.npz}.pt2" "$model" --quantizer $quantizer
    done
done

# Eight samples for the digits, of which the last four are infinite: every thread may meet a NaN, but the first is
# named.
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 1, 8, 8), }"
    head -c 1024 /dev/zero
    i=0
    while [ $i -lt 256 ]; do
        printf '\000\000\200\177'
        i=$((i + 1))
    done
} >"$folder/image.npy"
expect_same 1 "$fixtures/digits/digits.pt2" "$folder/image.npy"
grep -q 'NaN.* on calibration sample 4;' "$folder/64.err" || {
    cat "$folder/64.err"
    echo "sample 4 is not named"
    exit 1
}
if "$RUSHLIGHT" compile "$fixtures/digits/digits.pt2" --threads many -o "$folder/x.pte" 2>/dev/null; then
    echo "--threads takes a word"
    exit 1
fi
