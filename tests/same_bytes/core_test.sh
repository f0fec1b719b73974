#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: core_test.sh CORE CALL_BYTES.elf FOLDER EVERY
# The checksums of host_test.sh on an emulated core: the same as on the host. The command line takes a few programs at a
# time.
set -eu
core=$1 firmware=$2 folder=$3 every=$4
top=$(cd "$(dirname "$0")/../.." && pwd)
if [ ! -f "$firmware" ]; then
    echo "skipped: $firmware was not built"
    exit 77
fi
cd "$folder/programs"
printf '%s\n' * | xargs -n 12 "$top/scripts/run-on" "$core" "$firmware" "$every" >"$folder/$core.txt"
# Where the compiler's library adds doubles in software (Armv7-M, and Armv8-M without an FPU for doubles), it rounds
# some differences of a power of two and a number 2^-33 as large wrongly: few checksums of float64 may differ.
diff "$folder/host.txt" "$folder/$core.txt" |
    sed -n 's/^> /FAIL: other bytes than on the host: /p' >"$folder/$core.diff"
allowed=0
case $core in
m3 | m4 | m33) allowed=$(($(grep -c /float64 "$folder/host.txt") / 50)) ;;
esac
others=$(grep -vc /float64 "$folder/$core.diff" || true)
doubles=$(grep -c /float64 "$folder/$core.diff" || true)
if [ "$others" -gt 0 ] || [ "$doubles" -gt "$allowed" ] ||
    [ "$(wc -l <"$folder/host.txt")" -ne "$(wc -l <"$folder/$core.txt")" ]; then
    head -60 "$folder/$core.diff"
    exit 1
fi
echo "$core: the same, but for $doubles sums of doubles"
