#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: cost_test.sh CORE cost_test.elf [LARGER]
# What the runtime itself may cost, in instructions: loading keyword spotting (ds_cnn), and all of a program whose
# kernels do next to nothing (mlp_sine: two times 16 neurons), at first, where reading the program is most of the
# work, and later; ExecuTorch takes 4,743 on the M4 and 3,320 on the M55. And the bytes of RAM beside the planned
# arena, and of stack: of ds_cnn as the stock flow writes it, whose kernels have their blocks on the stack, and the
# same with an arena that has room for them; of our own programs for DSP cores, whose plan has that room. LARGER is a
# folder of models outside the repository: then the stack of resnet8 is measured, and nothing else.
set -eu
core=$1 firmware=$2
top=$(dirname "$0")/../..
counter=$RUSHLIGHT_FIRMWARE/librl_count.so
case $core in
m0) made_for=m0plus most_loading=5000 most_first=16000 most_next=7000 most_stack=3648 spare=2944 least_stack=1096 ;;
m3) made_for=m4 most_loading=4000 most_first=11000 most_next=4400 most_stack=3456 spare=2624 least_stack=1024 ;;
m55) made_for=m55 most_loading=4000 most_first=9000 most_next=1700 most_stack=2000 spare=0 ;;
m7 | m33) made_for=m4 most_loading=4000 most_first=10500 most_next=4400 most_stack=3872 spare=1488 least_stack=1056 ;;
*) made_for=m4 most_loading=4000 most_first=10500 most_next=4400 most_stack=3872 spare=1488 least_stack=1024 ;;
esac
if [ ! -f "$counter" ]; then
    echo "$counter is not there: scripts/build --host builds it"
    exit 1
fi
models=$top/tests/fixtures/stock larger=${3-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
counts=$work/counts

# measure_file NAME PROGRAM [SPARE]: sets loading, first and next (inference), kept (RAM) and stack.
measure_file() {
    report=$(QEMU_OPTIONS="-plugin file=$counter,out=$counts" \
        "$top/scripts/run-on" "$core" "$firmware" "$2" ${3:+"$3"} 2>&1)
    { read -r loading && read -r first && read -r next; } <"$counts"
    ram=$(echo "$report" | sed -n 's/^ram \([0-9]*\) .*/\1/p')
    kept=$(echo "$report" | sed -n 's/.* kept \([0-9]*\) .*/\1/p')
    stack=$(echo "$report" | sed -n 's/.* stack //p')
    echo "$1 on $core: loading takes $loading instructions, the first inference $first, the next $next;" \
        "$ram to $kept bytes of RAM, $stack of stack"
}

# measure MODEL [SPARE]: the program of the stock flow.
measure() {
    measure_file "$1" "$models/$1/$made_for.pte" ${2:+"$2"}
}

# compile_and_measure MODEL MODEL.pt2 [SPARE]: our own.
compile_and_measure() {
    calibration=$(dirname "$2")/calib.npz
    "$RUSHLIGHT_FIRMWARE/rushlight" compile "$2" --calibrate "$calibration" --target "cortex-$core" \
        -o "$work/$1.pte" >"$work/log" || { cat "$work/log" && exit 1; }
    measure_file "our own $1" "$work/$1.pte" ${3:+"$3"}
}

# expect WHAT FOUND MOST
expect() {
    [ "$2" -le "$3" ] && return
    echo "FAIL: $1 takes more than $3"
    exit 1
}

if [ -n "$larger" ]; then
    compile_and_measure resnet8 "$larger/resnet8/float.pt2" # tables for its additions
    expect "stack" "$stack" 1616
    exit
fi
measure ds_cnn
expect "loading" "$loading" $most_loading
expect "RAM" "$kept" 2048
expect "stack" "$stack" $most_stack
if [ $spare -gt 0 ]; then
    measure ds_cnn $spare
    expect "stack beside blocks" "$stack" "$least_stack"
fi
case $core in
m0 | m3)
    compile_and_measure ds_cnn "$models/ds_cnn/quant.pt2" $spare
    expect "stack beside blocks" "$stack" "$least_stack"
    ;;
m4 | m7 | m33)
    expect "RAM with blocks" "$kept" 2048
    compile_and_measure ds_cnn "$models/ds_cnn/quant.pt2"
    expect "stack" "$stack" "$least_stack"
    ;;
esac
measure mlp_sine
expect "loading" "$loading" $most_loading
expect "the first inference" "$first" $most_first
expect "the next inference" "$next" $most_next
