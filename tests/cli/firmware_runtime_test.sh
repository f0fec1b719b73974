#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: firmware_runtime_test.sh CORE
# The project of `firmware --runtime` builds without a warning and gives the bytes of the host, also for a float model,
# which has no form as C. A program takes the place of another one while the firmware runs; one that is damaged,
# incomplete, or has another interface is refused.
set -eu
core=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/support/firmware.sh"
firmware() { # firmware FOLDER OPTION...
    out=$1
    shift
    "$RUSHLIGHT" firmware "$digits/digits.pt2" --target "cortex-$core" --runtime --name digits -o "$out" "$@" \
        >log 2>&1 || fail "$(cat log)"
}
expect() { # expect STATUS SENTENCE OPTION...: of validate
    validated "$@" --on "$core"
}

firmware project --calibrate "$digits/calibration.npz"
build project
expect 0 '64 samples, all outputs identical' project --input "$digits/calibration.npz"
(cd project && timeout 60 cmake --build build --target run) >output 2>&1 || fail "does not run: $(cat output)"
[ "$(grep -c thousandths output)" -eq 3 ] || fail "no three lines: $(cat output)"

# An update, and bad ones before it. The project of the better program is not built: its bytes are the update.
firmware other --calibrate "$digits/test.npz"
firmware integers --calibrate "$digits/calibration.npz" --io int8
bytes() { # bytes PROJECT NAME: its program as a constant of this name
    sed -n "s/.*digits_program\[.*/static _Alignas(16) const uint8_t $2[] = {/; /{\$/,\$p" "$1/model/program.c"
}
crc=$(sed -n 's/.*PROGRAM_CRC \(0x[0-9a-f]*u\).*/\1/p' other/model/model.h)
{
    echo '#include <string.h>'
    bytes other update
    bytes integers integers
    cat <<'END'
static _Alignas(16) uint8_t slot[sizeof update];
static int refuses(size_t bytes, size_t damaged, const char *expected)
{
    memcpy(slot, update, sizeof update);
    slot[damaged] ^= damaged > 0;
    const char *refusal = digits_start(slot, bytes);
    return refusal && strstr(refusal, expected);
}
END
} >update.h
cp project/validate/main.c original.c
sed "s/^int main/#include \"update.h\"\n&/
    s/digits_start(digits_program, sizeof digits_program)/refuses(sizeof update - 16, 0, \"shorter\") \&\& \
refuses(sizeof update, sizeof update \/ 2, \"checksum\") \&\& digits_start(integers, sizeof integers) \
? digits_start(update, sizeof update) : \"\"/
    s/DIGITS_PROGRAM_BYTES/sizeof update/; s/DIGITS_PROGRAM_CRC/$crc/" original.c >project/validate/main.c
cp update.h project/validate/
build project
expect 0 'all outputs identical' other/model.pte --firmware project/build/digits_validate.elf
expect 5 'wrong firmware' project/model.pte --firmware project/build/digits_validate.elf

# In floating point.
firmware floats --quantize none
cp floats/model/model.[ch] floats/model/program.c project/model/ # what else is built stays
cp floats/model.pte project/
cp original.c project/validate/main.c
build project
expect 0 'all outputs identical' project
