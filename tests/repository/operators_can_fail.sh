#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A mistake in a table of operators does not compile: each one here is made in a copy of the table, and the compiler has
# to name it.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect STATUS WORDS SOURCE: compiles a source with the tables in $work; the compiler's messages contain WORDS.
expect() {
    wanted=$1 words=$2 source=$3 status=0
    ${CC:-cc} -std=c11 -Wall -Wextra -Wmissing-prototypes -Werror -S -o /dev/null -I"$work" -Iinclude -I. -Ikernels \
        -Ikernels/cmsis_nn/include "$source" \
        2>"$work/messages" || status=1
    echo "status $status" >>"$work/messages"
    if [ $status -ne "$wanted" ] || ! grep -qF "$words" "$work/messages"; then
        echo "FAIL: $source with a changed table: expected status $wanted and '$words', found"
        cat "$work/messages"
        exit 1
    fi
}

# change TABLE COMMAND: the table with a sed command applied, which must change it.
change() {
    rm -rf "$work/rushlight" "$work/compiler"
    mkdir -p "$work/rushlight" "$work/compiler/ir"
    case $1 in
    ops) original=include/rushlight/ops.def changed=$work/rushlight/ops.def ;;
    *) original=compiler/ir/functions.def changed=$work/compiler/ir/functions.def ;;
    esac
    sed "$2" "$original" >"$changed"
    if cmp -s "$original" "$changed"; then
        echo "FAIL: '$2' changes nothing in $original"
        exit 1
    fi
}

# Traits: a word that does not exist, a form that does not exist, two words for one thing.
change ops 's/CORTEX_M LAYER(SOFTMAX)/CORTEX_N LAYER(SOFTMAX)/'
expect 1 CORTEX_N ops/ops.c
change ops 's/IN_PLACE_OF(aten_relu)/IN_PLACE_OF(aten_rely)/'
expect 1 RL_OP_aten_rely ops/ops.c
change ops 's/CORTEX_M LAYER(SOFTMAX)/CORTEX_M DIM_ORDER LAYER(SOFTMAX)/'
expect 1 DIM_ORDER ops/ops.c

# A function of the runtime without an entry.
change ops 's/RL_OP(cm_softmax,/RL_OP(cm_softmost,/'
expect 1 rl_run_cm_softmax runtime/operators/softmax.c

# Functions of single numbers: one line is enough, without the function it is not, and a function needs its line.
change functions 's/RL_FUNCTION_OF_MATH(aten_tanh,.*/&\nRL_FUNCTION_OF_MATH(aten_erf, erf, BEST)/'
expect 0 'status 0' compiler/ir/functions.c
change functions 's/RL_FUNCTION_OF_MATH(aten_tanh,.*/&\nRL_FUNCTION(aten_erf, error_function, BEST)/'
expect 1 error_function compiler/ir/functions.c
change functions 's/RL_FUNCTION_OF_MATH(aten_tanh,.*/&\nRL_FUNCTION_OF_MATH(aten_error, erf, BEST)/'
expect 1 RL_OP_aten_error compiler/ir/functions.c
change functions '/RL_FUNCTION(aten_mish,/d'
expect 1 mish compiler/ir/functions.c
