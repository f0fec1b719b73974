#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fish offers what the program offers, with what it means, and files where the program offers nothing.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
if ! command -v fish >/dev/null; then
    echo "there is no fish: scripts/bootstrap --all installs it"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/files"
ln -s "$(realpath "$RUSHLIGHT")" "$folder/bin/rushlight"
touch "$folder/files/model.pte"
export HOME="$folder" PATH="$folder/bin:$PATH"
cd "$folder/files"
failures=0

# expect EXPECTED LINE: what fish offers behind LINE, one word a line, without what it means.
expect() {
    # shellcheck disable=SC2016 # for fish to expand
    fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$top/cli/completion.fish" "$2" >"$folder/offered"
    found=$(cut -f1 "$folder/offered" | paste -sd' ')
    [ "$found" = "$1" ] && return
    echo "FAIL: completing '$2' gives '$found', expected '$1'"
    failures=$((failures + 1))
}

expect 'inspect' 'rushlight insp'
grep -q "$(printf 'inspect\twhat is in a .pt2 or a .pte')" "$folder/offered"
expect '--explain --explicit-layout' 'rushlight compile --expl'
expect 'best stock' 'rushlight compile --quantizer '
expect '--io=float --io=int8' 'rushlight compile --io='
expect 'host' 'rushlight run model.pte --on ho'
expect 'portenta-h7' 'rushlight boards portenta-h'
expect 'model.pte' 'rushlight run mod'
expect 'model.pte' 'rushlight run --input '
expect '' 'rushlight nothing --'
[ $failures -eq 0 ]
