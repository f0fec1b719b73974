#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: sweep_test.sh CORE sweep_test.elf FOLDER EVERY
# Hostile calls of the single operators in FOLDER on an emulated core, whose command line takes a few files at a time.
set -eu
core=$1 firmware=$2 every=$4
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$3"
some=
count=0
run() {
    # shellcheck disable=SC2086
    [ -z "$some" ] || "$top/scripts/run-on" "$core" "$firmware" "$every" $some
    some='' count=0
}
for file in call*; do
    some="$some $file" count=$((count + 1))
    [ $count -lt 12 ] || run
done
run
