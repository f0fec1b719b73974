#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: watch_test.sh FIXTURES: `run --watch` runs again when the input, a folder of inputs or the program changes,
# goes on after an error, and ends with status 0 when it is interrupted.
set -eu
fixtures=$1
folder=$(mktemp -d)
watcher=
# shellcheck disable=SC2317 # called by trap
clean() {
    [ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true
    rm -rf "$folder"
}
trap clean EXIT
digits=$fixtures/media/digits
"$RUSHLIGHT" compile "$fixtures/digits/digits.pt2" -o "$folder/digits.pte" \
    --calibrate "$fixtures/digits/calibration.npz" >/dev/null

# await COUNT WORD FILE: until so many lines of FILE have WORD.
await() {
    for _ in $(seq 300); do
        [ "$(grep -c "$2" "$3")" -lt "$1" ] || return 0
        sleep 0.1
    done
    echo "FAIL: '$2' was expected $1 times:"
    cat "$3" "$folder/err"
    exit 1
}

# replace SOURCE TARGET: at once, as editors do.
replace() {
    cp "$1" "$folder/new"
    mv "$folder/new" "$2"
}

# start WORD...: watches with these words.
start() {
    "$RUSHLIGHT" run "$folder/digits.pte" --watch "$@" >"$folder/out" 2>"$folder/err" &
    watcher=$!
}

# stop SIGNAL: ends it, with status 0.
stop() {
    kill -"$1" "$watcher"
    status=0
    wait "$watcher" || status=$?
    watcher=
    if [ $status -ne 0 ]; then
        echo "FAIL: after SIG$1 the exit status is $status"
        exit 1
    fi
}

cp "$digits/0.png" "$folder/digit.png"
start --input "$folder/digit.png" --top 1
await 1 'class 7' "$folder/out"
await 1 'waiting for a change' "$folder/err"
replace "$digits/1.png" "$folder/digit.png"
await 1 'class 6' "$folder/out"
await 2 'waiting for a change' "$folder/err"
cp "$folder/digits.pte" "$folder/kept.pte"
echo damaged >"$folder/digits.pte"
await 1 'digits.pte' "$folder/err"
await 3 'waiting for a change' "$folder/err"
replace "$folder/kept.pte" "$folder/digits.pte"
await 2 'class 6' "$folder/out"
await 4 'waiting for a change' "$folder/err"
# What does not change is not run.
sleep 1
[ "$(grep -c 'on host' "$folder/out")" -eq 3 ]
stop INT

mkdir "$folder/images"
cp "$digits/0.png" "$folder/images"
start --input "$folder/images" --top 1 -o "$folder/y.npz"
await 1 '^1 sample on host' "$folder/out"
await 1 'waiting for a change' "$folder/err"
replace "$digits/1.png" "$folder/images/1.png"
await 1 '^2 samples on host' "$folder/out"
await 2 'waiting for a change' "$folder/err"
stop TERM

status=0
"$RUSHLIGHT" run "$folder/digits.pte" --watch --input "$folder/images" -o "$folder/images/y.npz" 2>"$folder/err" ||
    status=$?
if [ $status -ne 2 ] || ! grep -q 'an --output outside of it' "$folder/err"; then
    echo "FAIL: an output in the folder that is watched is accepted"
    exit 1
fi
