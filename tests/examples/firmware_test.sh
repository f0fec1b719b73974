#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: firmware_test.sh CORE...
# The example of examples/firmware/ on emulated cores: its scores for the drawing in main.c must be those of the
# program on the host, digit by digit, and highest for a three. A program with an operator that operators.c does not
# list must be refused by that operator's name. main.c stays short enough to be read at once.
set -eu
. "$(dirname "$0")/common.sh"

# The drawing as a .npy file of 64 floats.
write_image() {
    npy_header '1, 1, 8, 8'
    sed -n '/drawing\[\]/,/;$/p' "$top/examples/firmware/main.c" | sed 's/^[^"]*"\(.*\)".*$/\1/' | tr -d '\n' |
        sed 's/ /\\000\\000\\000\\000/g; s/+/\\000\\000\\000\\077/g; s/#/\\000\\000\\200\\077/g' >"$folder/floats"
    # shellcheck disable=SC2059
    printf "$(cat "$folder/floats")"
}

# build_and_run CORE MODEL: prints what the firmware prints.
build_and_run() {
    RL_LIBRARIES=$RUSHLIGHT_FIRMWARE/$1 "$top/examples/firmware/build" "$1" "$2" "$folder/example.elf"
    RL_TIMEOUT=60 "$top/scripts/run-on" "$1" "$folder/example.elf" || echo "status $?"
}

[ "$(wc -l <"$top/examples/firmware/main.c")" -le 40 ] || fail "main.c has more than 40 lines"
write_image >"$folder/image.npy"
"$RUSHLIGHT" compile "$digits/digits.pt2" -o "$folder/digits.pte" --calibrate "$digits/calibration.npz" --target any \
    >"$folder/compile.log"
on_host "$folder/digits.pte" "$folder/image.npy" | awk '{ print NR - 1 ": " $1 " thousandths" }' >"$folder/expected"
[ "$(wc -l <"$folder/expected")" -eq 10 ] || fail "the host gives no ten scores"
"$RUSHLIGHT" compile "$digits/digits.pt2" -o "$folder/float.pte" --quantize none >"$folder/compile.log"

# Once from the sources alone: on the first core.
RL_LIBRARIES=$folder "$top/examples/firmware/build" "$1" "$folder/digits.pte" "$folder/sources.elf" ||
    fail "the sources alone do not build for $1"
RL_TIMEOUT=60 "$top/scripts/run-on" "$1" "$folder/sources.elf" | grep thousandths | cmp -s - "$folder/expected" ||
    fail "other scores from the sources alone on $1"

for core in "$@"; do
    build_and_run "$core" "$folder/digits.pte" >"$folder/output"
    grep thousandths "$folder/output" | cmp -s - "$folder/expected" ||
        fail "other scores on $core than on the host: $(cat "$folder/output" "$folder/expected")"
    best=$(grep thousandths "$folder/output" | sort -k 2 -n | tail -n 1)
    [ "${best%%:*}" = 3 ] || fail "$core takes the drawing for another digit: $best"
    build_and_run "$core" "$folder/float.pte" >"$folder/output"
    grep -q "not registered.* aten::" "$folder/output" || fail "the float program on $core: $(cat "$folder/output")"
    grep -q "^status 1$" "$folder/output" ||
        fail "the float program on $core did not end with 1: $(cat "$folder/output")"
done
