#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: confine_test.sh CORE FIRMWARE PROGRAM.pte: a firmware that tries to use the files of the user succeeds with
# nothing under `rushlight run --on`, and with everything when the user allows it.
set -eu
core=$1 firmware=$2 program=$3
rushlight=$RUSHLIGHT_FIRMWARE/rushlight
if [ ! -x "$rushlight" ]; then
    echo "needs $rushlight: scripts/build --host"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/firmware/$core" "$folder/work"
ln -s "$firmware" "$folder/firmware/$core/rushlight_runner.elf"
ln -s "$RUSHLIGHT_FIRMWARE/librl_count.so" "$folder/firmware/"

# attempt WORD EXPECTED: runs the firmware, expects this of every attempt, and the files that go with it.
attempt() {
    echo secret >"$folder/work/secret"
    touch "$folder/work/removed" "$folder/work/renamed"
    if TMPDIR=$folder/work RUSHLIGHT_FIRMWARE=$folder/firmware "$rushlight" run "$program" --on "$core" \
        >"$folder/log" 2>&1; then
        echo "expected an error"
        return 1
    fi
    expected="tried: guess=no read=$1 write=$1 append=$1 remove=$1 rename=$1 system=$1 end"
    if ! grep -q "$expected" "$folder/log"; then
        echo "expected '$expected' of firmware on $core, found:"
        cat "$folder/log"
        return 1
    fi
    found=$(cd "$folder/work" && echo *)
    if [ "$found" != "$2" ]; then
        echo "expected the files '$2', found '$found'"
        return 1
    fi
}

attempt no 'removed renamed secret'
export RUSHLIGHT_UNCONFINED=1
attempt yes 'appended executed made moved secret'
