#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The completion for bash offers each verb, each option of each verb, and what begins like the word.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
if ! command -v bash >/dev/null; then
    echo "there is no bash to complete for"
    exit 77
fi
failures=0

# offered WORD...: what bash offers for the last word, on one line.
offered() {
    # shellcheck disable=SC2016 # for bash to expand
    bash -c '. "$1" && shift && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _rushlight; echo "${COMPREPLY[@]}"' - \
        "$top/cli/completion.bash" "$RUSHLIGHT" "$@"
}

# expect WORDS WORD...
expect() {
    expected=$1
    shift
    found=$(offered "$@")
    [ "$found" = "$expected" ] && return
    echo "FAIL: completing '$*' gives '$found', expected '$expected'"
    failures=$((failures + 1))
}

verbs=$("$RUSHLIGHT" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ "$(echo "$verbs" | wc -l)" -gt 3 ]
expect "--help --version $(echo "$verbs" | paste -sd' ')" ''
for verb in $verbs; do
    expect "$verb" "$verb"
    # The manual page is held to the help by a test of its own (tests/cli/manual_test.sh).
    options=$("$RUSHLIGHT" "$verb" --help |
        awk '/^  -/ && match($0, /--[a-z-]+/) { printf " %s", substr($0, RSTART, RLENGTH) }')
    expect "--help$options" "$verb" --
done
expect 'compile' comp
expect '--quantize --quantizer' compile model.pt2 --quant
expect '' compile model
expect '--help' nothing --
[ $failures -eq 0 ]
