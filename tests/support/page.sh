# SPDX-License-Identifier: Apache-2.0
# For tests of pages in docs/, to be read with `.`. Needs $top, the sources, and the environment of a test.
# shellcheck shell=sh disable=SC2154

# run_page PAGE FOLDER [PYTHON]: runs the commands of a page, those in its blocks that begin with ```sh, one after the
# other in FOLDER, which it fills with links to the top folders of the sources and with the files of the page, blocks
# that begin with ```python title="NAME". Stops at the first command that fails. With PYTHON, a Python that has
# PyTorch, blocks of commands titled "with PyTorch" run, too. What tests have built is used: `rushlight`, also as
# `build/rushlight`, and the cores' libraries; commands that build, scripts/build, are left out.
run_page() {
    mkdir -p "$2/build"
    for entry in "$top"/*; do
        [ "$(basename "$entry")" = build ] || ln -s "$entry" "$2/$(basename "$entry")"
    done
    ln -s "$RUSHLIGHT" "$2/build/rushlight"
    for core in "$RUSHLIGHT_FIRMWARE"/m*; do
        ln -s "$core" "$2/build/$(basename "$core")"
    done
    opening='^```sh$'
    if [ -n "${3:-}" ]; then
        opening='^```sh( title="with PyTorch")?$'
        printf '#!/bin/sh\nPYTHONPATH=%s RUSHLIGHT_NATIVE=%s exec %s "$@"\n' "$top/bindings/python" \
            "$(dirname "$RUSHLIGHT_RELEASE")" "$3" >"$2/build/python"
        chmod +x "$2/build/python"
    fi
    awk -v folder="$2" '
        /^```$/ { file = "" }
        file != "" { print > file }
        match($0, /^```python title="[A-Za-z0-9_.]+"$/) { file = folder "/" substr($0, 18, length($0) - 18) }' "$1"
    {
        echo 'set -eu'
        awk -v opening="$opening" '$0 ~ opening { inside = 1; next } /^```$/ { inside = 0 } inside' "$1" |
            grep -v '^scripts/build '
    } >"$2/commands.sh"
    [ "$(wc -l <"$2/commands.sh")" -gt 2 ] || return 1
    (cd "$2" && PATH="$2/build:$PATH" PYTHONDONTWRITEBYTECODE=1 sh commands.sh)
}

# keeps_promises PAGE OUTPUT [PYTHON]: whether OUTPUT, what the commands of the page printed, has the lines that stand
# in the blocks of the page that begin with ```text, in this order; with PYTHON also those titled "with PyTorch".
keeps_promises() {
    awk -v python="${3:-}" -f "$top/tests/support/promises.awk" "$1" "$2"
}
