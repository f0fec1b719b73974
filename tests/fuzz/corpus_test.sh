#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The archives of the corpus: whoever adds an input changes nothing else, and packing again gives the same bytes.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
corpus="$top/scripts/corpus"
failures=0

# expect SENTENCE COMMAND...
expect() {
    sentence=$1
    shift
    "$@" && return
    echo "FAIL: $sentence"
    failures=$((failures + 1))
}

differ() {
    ! cmp -s "$1" "$2"
}

mkdir "$work/corpus"
cp "$top"/tests/fuzz/corpus/*.tar.gz "$work/corpus"
export RL_CORPUS="$work/corpus"
for target in pte ptd bundle pt2 npz media; do
    archive=$work/corpus/$target.tar.gz
    gzip -dc "$archive" >"$work/$target.tar"
    "$corpus" unpack "$target" "$work/$target"
    expect "$target: some inputs" [ -n "$(ls "$work/$target")" ]

    # Packed from nothing by another user, at another time, in another order: the same archive.
    tar -cf - -T /dev/null | gzip >"$archive"
    find "$work/$target" -type f -exec touch -d @86400 {} + -exec chmod 600 {} +
    find "$work/$target" -type f | LC_ALL=C sort -r | tr '\n' '\0' | xargs -0 "$corpus" add "$target"
    gzip -dc "$archive" >"$work/again.tar"
    expect "$target: packing again gives the same bytes" cmp "$work/$target.tar" "$work/again.tar"

    echo found >"$work/a new input"
    "$corpus" add "$target" "$work/a new input"
    gzip -dc "$archive" >"$work/more.tar"
    expect "$target: an input is added" differ "$work/again.tar" "$work/more.tar"
    "$corpus" unpack "$target" "$work/more"
    expect "$target: the input as it was" cmp "$work/more/a new input" "$work/a new input"
    rm "$work/more/a new input"
    expect "$target: no other input changes" diff -r "$work/more" "$work/$target"
    "$corpus" remove "$target" "a new input"
    gzip -dc "$archive" >"$work/less.tar"
    expect "$target: without the input the same bytes as before" cmp "$work/again.tar" "$work/less.tar"
done
[ $failures -eq 0 ]
