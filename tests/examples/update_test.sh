#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: update_test.sh
# Updates in the field: the commands of docs/update.md give the output that stands there. The firmware of
# examples/update takes a good program, and keeps the one that runs when the update is cut off, damaged at any of many
# places, not a program at all, calls an operator that is not there, or has another interface.
set -eu
. "$(dirname "$0")/common.sh"
. "$top/tests/support/page.sh"
if [ ! -f "$RUSHLIGHT_FIRMWARE/m4/librushlight_runtime.a" ]; then
    echo "the libraries for the M4 have not been built: scripts/build does it"
    exit 77
fi
export RL_LIBRARIES="$RUSHLIGHT_FIRMWARE/m4"
run_page "$top/docs/update.md" "$folder/page" >"$folder/output" 2>&1 ||
    fail "docs/update.md: $(tail -20 "$folder/output")"
# outline FILE: what it says, with numbers that follow from the compiler taken out.
outline() {
    sed -n 's/^ *\(scores:\|update of\)/\1/p' "$1" | sed 's/ [0-9a-f]\{8\}/ bits/g; s/of [0-9]* bytes/of bytes/'
}
grep -E '^(scores|update)' "$folder/output" >"$folder/told"
outline "$top/docs/update.md" >"$folder/promised"
[ "$(wc -l <"$folder/promised")" -eq 5 ] || fail "docs/update.md shows no output"
outline "$folder/told" | diff "$folder/promised" - || fail "docs/update.md shows another output"

# The scores are those of the two programs on the host.
{
    npy_header '1, 1, 8, 8'
    drawing=$(sed -n 's/^.*drawing\[\] = "\(.*\)";$/\1/p' "$top/examples/update/main.c")
    # shellcheck disable=SC2059
    printf "$(echo "$drawing" | sed 's/ /\\000\\000\\000\\000/g; s/+/\\000\\000\\000\\077/g
        s/#/\\000\\000\\200\\077/g')"
} >"$folder/image.npy"
for line in 1:old 3:new; do
    "$RUSHLIGHT" run "$folder/page/${line#*:}.pte" --input "$folder/image.npy" -o "$folder/scores.npz" >"$folder/log"
    (cd "$folder" && cmake -E tar xf scores.npz)
    output=$(find "$folder" -maxdepth 1 -name '*.npy' ! -name image.npy)
    bits=$(tail -c 40 "$output" | od -An -v -tx4 -w40)
    [ "$(sed -n "${line%:*}p" "$folder/told")" = "scores:$bits" ] || fail "other scores of ${line#*:} than on the host"
    rm "$output"
done

old=$folder/page/old.pte new=$folder/page/new.pte elf=$folder/page/update.elf
first=$(sed -n 1p "$folder/told") second=$(sed -n 3p "$folder/told")
pack() {
    "$top/examples/update/pack" "$1"
}

# expect_refused FILE WORDS: after a good update, this one is refused with these words, and the good one goes on.
expect_refused() {
    {
        pack "$new"
        pack "$1"
    } >"$folder/updates"
    RL_TIMEOUT=60 "$top/scripts/run-on" m4 "$elf" <"$folder/updates" >"$folder/output" || fail "status $? after $1"
    { [ "$(sed -n 1p "$folder/output")" = "$first" ] && [ "$(sed -n 3p "$folder/output")" = "$second" ] &&
        [ "$(sed -n 5p "$folder/output")" = "$second" ]; } || fail "other scores after $1: $(cat "$folder/output")"
    sed -n 4p "$folder/output" | grep -q "$2" || fail "$1: $(sed -n 4p "$folder/output"), expected: $2"
}

# compile_other OUT OPTION...
compile_other() {
    output=$1
    shift
    "$RUSHLIGHT" compile "$@" -o "$output" >"$folder/log" 2>&1 || fail "$output: $(cat "$folder/log")"
}

echo 'no program' >"$folder/text"
expect_refused "$folder/text" 'update of 11 bytes: '
: >"$folder/empty"
expect_refused "$folder/empty" 'update of 0 bytes: '
compile_other "$folder/float.pte" "$digits/digits.pt2" --quantize none
expect_refused "$folder/float.pte" 'not registered'
compile_other "$folder/int8.pte" "$digits/digits.pt2" --calibrate "$digits/calibration.npz" --target cortex-m4 --io int8
expect_refused "$folder/int8.pte" 'not registered\|another type or size'

# Damage at many places, all in one run: every update is refused, and the program of the firmware goes on.
bytes=$(wc -c <"$new")
: >"$folder/updates"
place=3
count=0
while [ $place -lt "$bytes" ]; do
    cp "$new" "$folder/damaged"
    byte=$(od -An -tu1 -j $place -N 1 "$new" | tr -d ' ')
    # shellcheck disable=SC2059
    printf "\\$(printf %03o $((byte ^ 16)))" |
        dd of="$folder/damaged" bs=1 seek=$place conv=notrunc 2>"$folder/log"
    pack "$folder/damaged" >>"$folder/updates"
    place=$((place + 397))
    count=$((count + 1))
done
RL_TIMEOUT=60 "$top/scripts/run-on" m4 "$elf" <"$folder/updates" >"$folder/output" || fail "status $? after damage"
[ "$(grep -c '^update of' "$folder/output")" -eq $count ] || fail "not all damaged updates were told of"
if grep 'accepted' "$folder/output"; then fail "a damaged update was accepted"; fi
[ "$(grep -c -x -e "$first" "$folder/output")" -eq $((count + 1)) ] || fail "other scores after damage"
cp "$old" "$folder/same"
pack "$folder/same" >"$folder/updates"
RL_TIMEOUT=60 "$top/scripts/run-on" m4 "$elf" <"$folder/updates" | grep -q ': accepted$' ||
    fail "the old program is refused"
