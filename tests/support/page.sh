# SPDX-License-Identifier: Apache-2.0
# For tests of pages in docs/, to be read with `.`. Needs $top, the sources, and the environment of a test.
# shellcheck shell=sh disable=SC2154

# run_page PAGE FOLDER: runs the commands of a page, those in its blocks that begin with ```sh, one after the other in
# FOLDER, which it fills with links to the top folders of the sources. Stops at the first that fails. What tests have
# built is used: `build/rushlight` and the cores' libraries; commands that build, scripts/build, are left out.
run_page() {
    mkdir -p "$2/build"
    for entry in "$top"/*; do
        [ "$(basename "$entry")" = build ] || ln -s "$entry" "$2/$(basename "$entry")"
    done
    ln -s "$RUSHLIGHT" "$2/build/rushlight"
    for core in "$RUSHLIGHT_FIRMWARE"/m*; do
        ln -s "$core" "$2/build/$(basename "$core")"
    done
    {
        echo 'set -eu'
        awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$1" | grep -v '^scripts/build '
    } >"$2/commands.sh"
    [ "$(wc -l <"$2/commands.sh")" -gt 2 ] || return 1
    (cd "$2" && sh commands.sh)
}
