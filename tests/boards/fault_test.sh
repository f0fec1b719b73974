#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: fault_test.sh CORE fault_test.elf
# Each kind of fault must be named on the console and end the firmware with status 99.
set -eu
core=$1 firmware=$2
run_on=$(dirname "$0")/../../scripts/run-on
failures=0

# expect FAULT TEXT
expect() {
    status=0
    output=$(RL_TIMEOUT=30 "$run_on" "$core" "$firmware" "$1" 2>&1) || status=$?
    case $status:$output in
    77:*) echo "$output" && exit 77 ;;
    99:"fault: "*"$2"*) ;;
    *)
        echo "FAIL: fault '$1' on $core: status $status, expected 99; printed '$output', expected '$2'"
        failures=$((failures + 1))
        ;;
    esac
}

expect nothing "BusFault: access outside memory, pc="
expect nothing "address=0xf8000000"
expect undefined "UsageFault: undefined instruction, pc="
expect stack "stack overflow"
if [ "$core" = m0 ]; then
    expect unaligned "UsageFault: unaligned access, pc="
else
    expect division "UsageFault: division by zero, pc="
fi
[ $failures -eq 0 ]
