#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: sweep_test.sh CORE sweep_test.elf EVERY
# Hostile calls of single operators on an emulated core, whose command line takes a few files at a time.
set -eu
core=$1 firmware=$2 every=$3
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top/tests/fuzz/corpus/pte"
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
