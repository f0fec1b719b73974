#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: host_test.sh CALL_BYTES RUSHLIGHT FOLDER EVERY
# Checksums of what operators give on the host (calls.h), for programs in FOLDER/programs: the recorded portable
# operators, programs with control flow and changing shapes, and the corpus' single calls. FOLDER/host.txt gets the
# checksums, for comparison with every core's. Every operator of the table must have run.
set -eu
call_bytes=$1 program=$2 folder=$3 every=$4
top=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$folder"
mkdir -p "$folder/programs"
cd "$folder/programs"
for model in "$top"/tests/fixtures/portable/*.pt2; do
    "$program" compile "$model" -o "$(basename "$model" .pt2)" --target any --quantize none >"$folder/log" 2>&1 || {
        cat "$folder/log"
        exit 1
    }
done
for file in "$top"/tests/fixtures/programs/*.pte "$top"/tests/fixtures/shapes/*.pte; do
    cp "$file" "$(basename "$(dirname "$file")")_$(basename "$file" .pte)"
done
"$top/scripts/corpus" unpack pte "$folder/corpus"
mv "$folder"/corpus/call* .
rm -rf "$folder/corpus"

# shellcheck disable=SC2035
"$call_bytes" "$every" * >"$folder/host.txt"
if grep '^FAIL' "$folder/host.txt"; then
    exit 1
fi
cut -d ' ' -f 2 "$folder/host.txt" | sed 's/\/float64$//' | LC_ALL=C sort -u >"$folder/run"
"$call_bytes" | LC_ALL=C sort >"$folder/all"
if LC_ALL=C comm -13 "$folder/run" "$folder/all" | grep .; then
    echo 'FAIL: no call of these operators ran: add one to the corpus of pte, named call_...'
    exit 1
fi
awk '{ runs += $3 } END { print runs " runs of " operators " operators" }' operators="$(wc -l <"$folder/all")" \
    "$folder/host.txt"
