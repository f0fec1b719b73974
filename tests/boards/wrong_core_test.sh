#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: wrong_core_test.sh CORE FIRMWARE.elf
# A firmware on a machine whose core lacks what it was built for must say so before it executes any of that. Machines
# whose memory begins like that of the right one: there, everything but the core is as it should be.
set -eu
core=$1 firmware=$2
run_on=$(dirname "$0")/../../scripts/run-on

# expect MACHINE SENTENCE
expect() {
    status=0
    output=$(RL_TIMEOUT=30 QEMU_OPTIONS="-M $1" "$run_on" "$core" "$firmware" 2>&1) || status=$?
    case $status:$output in
    77:*) echo "$output" && exit 77 ;;
    99:"fault: wrong core: $2, which this core does not have") ;;
    *)
        echo "FAIL: a firmware for $core on $1: status $status, expected 99; printed '$output', expected '$2'"
        exit 1
        ;;
    esac
}

# microbit has an M0, mps2-an385 an M3, mps2-an386 an M4, mps2-an500 an M7.
case $core in
m3) expect microbit "built with Armv7-M instructions" ;;
m4)
    expect microbit "built with Armv7-M instructions"
    expect mps2-an385 "built with DSP instructions"
    ;;
m7)
    expect mps2-an385 "built with DSP instructions"
    expect mps2-an386 "built for an FPU of double precision"
    ;;
m55)
    expect microbit "built with Armv7-M instructions"
    expect mps2-an385 "built with Helium instructions"
    expect mps2-an386 "built with Helium instructions"
    expect mps2-an500 "built with Helium instructions"
    ;;
*) echo "FAIL: no machine is known that lacks something for $core" && exit 1 ;;
esac
