#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The completion for bash offers each verb, each option of each verb, the words that options take, and what begins like
# the word. What the program offers is what its help names and its parser accepts.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
if ! command -v bash >/dev/null; then
    echo "there is no bash to complete for"
    exit 77
fi
failures=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT

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

# accepts VERB OPTION WORD: whether the parser takes this value of the option.
accepts() {
    operands=none.pt2
    case $1 in
    compile) operands='none.pt2 -o none.pte' ;;
    evaluate | check) operands='none.pt2 none.pte --data none.npz' ;;
    diff) operands='none.pte none.pte' ;;
    report) operands='none.pte -o none.html' ;;
    firmware)
        operands='none.pt2 -o none'
        [ "$2" = --target ] || [ "$2" = --board ] || operands="$operands --target cortex-m4"
        ;;
    boards) operands= ;;
    validate)
        operands=none.pte
        [ "$2" = --on ] || operands="$operands --port none"
        ;;
    esac
    # shellcheck disable=SC2086
    "$RUSHLIGHT" "$1" $operands "$2" "$3" >"$out" 2>&1 || true
    ! grep -q -e 'is not known' -e 'not supported' -e 'does not execute' -e 'expected input' \
        -e 'there is no board' "$out"
}

verbs=$("$RUSHLIGHT" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ "$(echo "$verbs" | wc -l)" -gt 3 ]
expect "$(echo "$verbs" | paste -sd' ') --help --version" ''
for verb in $verbs; do
    expect "$verb" "$verb"
    # The manual page is held to the help by a test of its own (tests/cli/manual_test.sh).
    options=$("$RUSHLIGHT" "$verb" --help |
        awk '/^  -/ && match($0, /--[a-z0-9-]+/) { printf "%s ", substr($0, RSTART, RLENGTH) }')
    expect "$options--help" "$verb" --
    for option in $("$RUSHLIGHT" "$verb" --help | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z0-9-]*\) [^ ].*/\2/p'); do
        words=$(offered "$verb" "$option" '')
        for word in $words; do
            accepts "$verb" "$option" "$word" && continue
            echo "FAIL: $verb $option $word is offered, but not accepted"
            failures=$((failures + 1))
        done
        if [ -n "$words" ] && accepts "$verb" "$option" neither; then
            echo "FAIL: $verb $option takes any word; this test does not notice wrong ones"
            failures=$((failures + 1))
        fi
    done
done
expect 'compile' comp
expect '--quantize --quantizer' compile model.pt2 --quant
expect '--quantizer' compile --quantize int8 --quant
expect '--input' run model.pte --input a.npz --inp
expect 'int8 none a16w8' compile --quantize ''
expect 'cortex-m3 cortex-m33 cortex-m35p' compile --target cortex-m3
expect 'cortex-m52 cortex-m55' compile --target = cortex-m5
expect 'float int8' compile --io =
expect 'host' run --on h
expect 'rushlight executorch' compile --for ''
expect 'lower_conv' compile --dump-after lower_conv
expect 'pico pico2' boards pico
expect 'pico pico2' fit model.pt2 --board pico
expect '' compile model
expect '' compile -o mo
expect '' run --input ''
expect '' nothing --
expect '' 'compile x'
[ $failures -eq 0 ]
