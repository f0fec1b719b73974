#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: firmware_test.sh CORE...
# The project that `firmware` writes: its three commands build it without a warning and run it on the emulated core,
# with the lines that the same main.c and the same model print on the host. A board that is too small gets the table of
# `fit` and no folder.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/support/firmware.sh"
firmware() { # firmware FOLDER OPTION...
    out=$1
    shift
    "$RUSHLIGHT" firmware "$digits/digits.pt2" --calibrate "$digits/calibration.npz" -o "$out" "$@"
}
seq 0 9 | sed 's/.*/a &/' >labels.txt
cat >clock_host.c <<'END'
#include "clock.h"
void clock_start(void) {}
uint32_t clock_now(void) { return 0; }
uint32_t clock_since(uint32_t start) { return start; }
const char *clock_name(void) { return "nothing"; }
uint8_t clock_bits(void) { return 32; }
END

# on_host PROJECT: what its main.c prints, for a host without a clock
on_host() {
    # shellcheck disable=SC2046
    gcc -O1 -std=c11 -Wall -Wextra -Werror -I"$1" -I"$1/model" -I"$1/model/kernels" -fwrapv -ffp-contract=off \
        "$1/main.c" clock_host.c $(find "$1/model" -name '*.c') -o host.elf || fail "$1 does not build for the host"
    ./host.elf | grep thousandths
}
# on_core PROJECT: the three commands of its README
on_core() {
    [ "$(grep -c '^cmake ' "$1/README.md")" -eq 3 ] || fail "README.md has no three commands"
    build "$1"
    (cd "$1" && timeout 60 cmake --build build --target run) >output 2>&1 || fail "$1 does not run: $(cat output)"
    grep -q ' ticks of \(DWT\|SysTick\)$' output || fail "$1 does not tell its time"
    grep thousandths output
}

for core in "$@"; do
    firmware "$core" --target "cortex-$core" --labels labels.txt --name digits >log 2>&1 || fail "$(cat log)"
    firmware "$core-int8" --target "cortex-$core" --io int8 >log 2>&1 || fail "$(cat log)"
    for project in "$core" "$core-int8"; do
        on_host "$project" >expected
        [ "$(wc -l <expected)" -eq 3 ] || fail "$project prints no three lines"
        on_core "$project" >found
        cmp -s expected found || fail "$project: on the core: $(cat found) on the host: $(cat expected)"
    done
    grep -q "most for 'a [0-9]'" output expected found || grep -q 'most for [0-9]' found || fail "no class is named"
done

# From a .pte as well, with its bytes.
"$RUSHLIGHT" compile "$digits/digits.pt2" --calibrate "$digits/calibration.npz" -o digits.pte --target cortex-m4 \
    >log 2>&1
"$RUSHLIGHT" firmware digits.pte --target cortex-m4 --name digits -o of-pte >log 2>&1 || fail "$(cat log)"
grep -q warning log && fail "a warning: $(cat log)"
"$RUSHLIGHT" firmware digits.pte --target cortex-m4 --labels labels.txt -o 3-d >log 2>&1 || fail "$(cat log)"
[ "$(grep -c 'cannot start names' log)" -eq 1 ] || fail "the new name is not said once: $(cat log)"
grep -q '"a 3"' 3-d/model/model.c || fail "the labels of a .pte are missing"
on_host of-pte >found
firmware of-pt2 --target cortex-m4 --name digits >log 2>&1
on_host of-pt2 | cmp -s - found || fail "a .pte gives another firmware than its .pt2"

refused 2 'expected --target CORE or --board BOARD, found neither' firmware new
refused 2 'expected --target CORE or --board BOARD, found both' firmware new --target cortex-m4 --board nano-33-ble
refused 2 'is for a .pt2' "$RUSHLIGHT" firmware digits.pte --target cortex-m4 -o new --io int8
refused 2 'for one core' firmware new --target any
refused 1 'exists; --force replaces' firmware of-pt2 --target cortex-m4
refused 1 'values or shapes change' "$RUSHLIGHT" firmware "$top/tests/fixtures/programs/branch.pte" --target cortex-m4 \
    -o new
refused 1 'TOO MUCH' "$RUSHLIGHT" firmware "$top/tests/fixtures/composed/norms.pt2" --board microbit -o new
refused 1 'does not fit microbit' "$RUSHLIGHT" firmware "$top/tests/fixtures/composed/norms.pt2" --board microbit -o new
"$RUSHLIGHT" firmware "$top/tests/fixtures/composed/norms.pt2" --board nano-33-ble -o roomy >log 2>&1 ||
    fail "a board with room is refused: $(cat log)"
[ ! -e new ] || fail "a refused model left a folder"
