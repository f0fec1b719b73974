#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: package_test.sh
# scripts/package: the commands of docs/packages.md and of the pages in docs/packages/ work, the same sources make the
# same bytes at another time and place and for another user's mask, nothing is overwritten or half-written, and words
# it does not know are told as such.
set -eu
. "$(dirname "$0")/common.sh"
names=$(for layout in "$top"/packages/*/layout; do basename "$(dirname "$layout")"; done)

# The commands of the page, each in an empty folder; what they name afterwards is there.
version=$(sed -n 's/^#define RL_VERSION_STRING "\(.*\)"$/\1/p' "$top/include/rushlight/version.h")
grep -h '^scripts/package' "$top/docs/packages.md" "$top"/docs/packages/*.md | sed 's/ *#.*//' |
    sort -u >"$folder/commands"
[ "$(wc -l <"$folder/commands")" -ge 2 ] || fail "docs/packages.md has no commands"
while read -r command; do
    mkdir "$folder/place"
    (cd "$folder/place" && sh -c "\"$top\"/$command") >"$folder/log" 2>&1 || fail "$command: $(cat "$folder/log")"
    case $command in
    *' all '*)
        grep -ho 'packages-out/[a-z-]*/[A-Za-z.-]*VERSION[a-z.-]*' "$top"/docs/packages/*.md |
            sed "s/VERSION/$version/" | sort -u | while read -r file; do
            [ -f "$folder/place/$file" ] || fail "docs/packages/ names $file, which $command does not make"
        done
        mv "$folder/place/packages-out" "$folder/first"
        ;;
    esac
    rm -r "$folder/place"
done <"$folder/commands"
[ -d "$folder/first" ] || fail "docs/packages.md does not make all packages"
for name in $names; do
    [ -d "$folder/first/$name" ] || fail "'all' does not make $name"
    grep -q "^| \[$name\](packages/$name.md)" "$top/docs/packages.md" || fail "docs/packages.md does not list $name"
    grep -q "^scripts/package $name " "$top/docs/packages/$name.md" || fail "docs/packages/$name.md does not make it"
done
expect_lines
grep '^    [0-9]: ' "$top/docs/packages.md" | sed 's/^ *//' >"$folder/promised"
[ -s "$folder/promised" ] || fail "docs/packages.md shows no scores"
while IFS= read -r line; do
    grep -q "^${line%%:*}: -\{0,1\}[0-9]* thousandths (........)$" "$folder/expected" || fail "no line like '$line'"
done <"$folder/promised"

# From a copy of the sources, with other dates, made by a user with another mask.
mkdir "$folder/copy"
(cd "$top" && cp -R LICENSE include kernels format runtime ops packages scripts examples "$folder/copy" &&
    mkdir -p "$folder/copy/tests/fixtures" && cp -R tests/fixtures/digits "$folder/copy/tests/fixtures")
find "$folder/copy" -type f -exec touch -d '2001-02-03' {} +
(
    umask 077
    cd /
    TZ=Asia/Tokyo LC_ALL=C.UTF-8 "$folder/copy/scripts/package" all -o "$folder/second" >"$folder/log"
)
for name in $names; do
    (cd "$folder/first/$name" && find . -maxdepth 1 -type f) | while read -r archive; do
        cmp "$folder/first/$name/$archive" "$folder/second/$name/$archive" || fail "$archive has other bytes"
    done
    # Nothing of the place where it was made, and no word that was not filled in.
    grep -rIlE -e "$folder|$top" -e '@[a-z]+@' "$folder/first/$name" && fail "$name has unfilled words or local paths"
    [ -f "$(find "$folder/first/$name" -name LICENSE)" ] || fail "$name has no licence, or two"
done

# refuses STATUS SENTENCE ARGUMENT...
refuses() {
    expected=$1 sentence=$2
    shift 2
    status=0
    "$top/scripts/package" "$@" >"$folder/log" 2>&1 || status=$?
    [ $status -eq "$expected" ] || fail "scripts/package $* has status $status, expected $expected"
    grep -q "$sentence" "$folder/log" || fail "scripts/package $*: $(cat "$folder/log")"
}
echo mine >"$folder/first/arduino/mine"
refuses 1 'arduino exists: --force replaces it' arduino -o "$folder/first"
[ -f "$folder/first/arduino/mine" ] || fail "a folder was replaced without --force"
"$top/scripts/package" arduino -o "$folder/first" --force >"$folder/log" || fail "--force: $(cat "$folder/log")"
[ ! -e "$folder/first/arduino/mine" ] || fail "--force left a file of the old folder"
refuses 2 "there is no package 'arduina': accepted are all, arduino" arduina -o "$folder/third"
refuses 2 usage arduino
refuses 2 usage -o "$folder/third"
refuses 2 usage arduino -o "$folder/third" --fast
[ ! -e "$folder/third" ] || fail "a refused call left something"
# A failure in the middle leaves nothing behind.
echo '@ nonsense' >>"$folder/copy/packages/arduino/layout"
if "$folder/copy/scripts/package" arduino -o "$folder/third" >"$folder/log" 2>&1; then
    fail "a wrong layout was accepted"
fi
grep -q "layout: '@' is not known" "$folder/log" || fail "a wrong layout: $(cat "$folder/log")"
[ -z "$(ls -A "$folder/third")" ] || fail "a failure left $(ls -A "$folder/third")"
echo '#include "not_there.h"' >>"$folder/copy/kernels/isa.h"
if "$folder/copy/scripts/package" arduino -o "$folder/third" >"$folder/log" 2>&1; then
    fail "an include that leads nowhere was accepted"
fi
grep -q 'kernels/isa.h includes "not_there.h", which is not there' "$folder/log" || fail "$(cat "$folder/log")"
