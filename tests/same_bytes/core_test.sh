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
# shellcheck disable=SC2012
ls | xargs -n 12 "$top/scripts/run-on" "$core" "$firmware" "$every" >"$folder/$core.txt"
if ! diff "$folder/host.txt" "$folder/$core.txt" >"$folder/$core.diff"; then
    sed -n 's/^> /FAIL: other bytes than on the host: /p' "$folder/$core.diff" | head -60
    exit 1
fi
echo "$core: the same"
