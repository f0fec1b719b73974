#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: validate_test.sh FAULTY_LINE|- CORE...
# `validate` with firmware that `firmware` writes, on each emulated core: the bytes of the host. With FAULTY_LINE,
# on the first core also over --port, on a line that loses, changes and doubles bytes; and firmware that restarts,
# hangs, faults, computes something else, or is of another model. Each is told, with its own exit status.
set -eu
line=$1
shift
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/support/firmware.sh"

for core in "$@"; do
    "$RUSHLIGHT" firmware "$digits/digits.pt2" --calibrate "$digits/calibration.npz" --target "cortex-$core" \
        --name digits -o "$core" >log 2>&1 || fail "$(cat log)"
    build "$core"
    validated 0 "digits on emulated cortex-$core: 4 samples, all outputs identical" "$core" --on "$core"
    grep -q '^stack: [1-9][0-9]* bytes, of at most [1-9]' log || fail "no stack: $(cat log)"
    stack=$(sed -n 's/^stack: \([0-9]*\) bytes.*/\1/p' log) bound=$(sed -n 's/^stack.*most //p' log)
    if [ "$stack" -lt 200 ] || [ "$stack" -gt "$bound" ]; then
        fail "a stack of $stack bytes, bound $bound"
    fi
    grep -q "^modelled: [1-9][0-9]* cycles on cortex-$core" log || fail "no modelled cycles: $(cat log)"
done

# A model in floating point, whose run returns whether an operator refused its data.
"$RUSHLIGHT" firmware "$digits/digits.pt2" --quantize none --target "cortex-$1" --name floats -o floats >log 2>&1 ||
    fail "$(cat log)"
grep -q '^int floats_run(void);' floats/model/model.h || fail "the float model calls no operator"
build floats
validated 0 "floats on emulated cortex-$1: 4 samples, all outputs identical" floats --on "$1"

# Its operators refuse data that is not what the host gave: the instruction is named, with its operator and status.
portable=$top/tests/fixtures/portable
"$RUSHLIGHT" firmware "$portable/index.pt2" --quantize none --target "cortex-$1" --name index -o index >log 2>&1 ||
    fail "$(cat log)"
build index
validated 0 'all outputs identical' index --on "$1" --input "$portable/index.npz"
sed 's/return (uint32_t)index_run();/index_input_1[0] = 1000; &/' index/validate/main.c >main.c
cp main.c index/validate/
build index
validated 1 'the firmware REFUSES 1 samples, first sample 0: instruction [0-9]*, aten::[a-z_]*' index \
    --on "$1" --input "$portable/index.npz"
grep -q 'no outputs' log || fail "outputs are compared: $(cat log)"
grep -q 'status 5: a tensor has another type or shape' log || fail "no status: $(cat log)"
validated 1 '"op": "aten::' index --on "$1" --input "$portable/index.npz" --json
grep -q '"status_text": "a tensor has another type or shape than required"' log || fail "no status: $(cat log)"
sed 's/const int refused = /index_input_1[0] = 1000; &/' index/main.c >main.c
cp main.c index/
(cd index && timeout 60 cmake --build build --target run) >output 2>&1 || fail "index does not run: $(cat output)"
grep -q '^instruction [0-9]* refuses its data, with status 5$' output || fail "main.c does not tell: $(cat output)"

[ "$line" != - ] || exit 0
core=$1
cd "$core"
validated 0 '64 samples, all outputs identical' --on "$core" --input "$digits/calibration.npz"
validated 0 '"verdict": "identical"' --on "$core" --json
"$RUSHLIGHT" compile "$digits/digits.pt2" --calibrate "$digits/calibration.npz" --target "cortex-$core" --bundle \
    -o bundled.bpte >log 2>&1 || fail "$(cat log)"
validated 0 '8 samples, all outputs identical' bundled.bpte --on "$core"

# Over a port: good, and with one byte gone, changed, or twice.
elf=build/digits_validate.elf
machine=$(sed -n 's/.*RL_BOARD_MACHINE "\(.*\)".*/\1/p' board/board.cmake)
on_line() { # on_line FAULT WAY BYTE STATUS SENTENCE OPTION...
    serve "$line" "$1" "$2" "$3" "$machine" "$elf"
    status=$4 sentence=$5
    shift 5
    validated "$status" "$sentence" --port "$(cat port)" "$@"
    unserve
}
on_line none to 0 0 'digits on /dev/.*: 4 samples, all outputs identical'
grep -q '^cycles: [0-9]* to [0-9]*, of a counter that starts anew after 16777216$' log || fail "no cycles: $(cat log)"
! grep '^modelled' log || fail "the core is not known, and has modelled cycles"
on_line none to 0 0 'all outputs identical' --board nucleo-f401re
grep -q '^modelled: [1-9][0-9]* cycles on cortex-m4' log || fail "no modelled cycles beside those: $(cat log)"
# Far behind the first requests, of which a slow machine sends more.
lost='bytes were lost, added or changed on the line while it [a-z ]* sample'
for fault in drop flip double; do
    on_line $fault to 3000 3 "$lost" --input "$digits/calibration.npz"
    on_line $fault from 3001 3 "$lost" --input "$digits/calibration.npz"
done
on_line drop to 3002 3 '"verdict": "damaged"' --input "$digits/calibration.npz" --json

# Other firmware.
"$RUSHLIGHT" compile "$digits/digits.pt2" --calibrate "$digits/test.npz" --target "cortex-$core" -o other.pte >log 2>&1
validated 5 "wrong firmware: its model 'digits' was made of a .pte of" other.pte --on "$core" --firmware "$elf"
validated 5 '"verdict": "wrong firmware"' other.pte --on "$core" --firmware "$elf" --json
cp validate/main.c original.c
change() { # change STATEMENTS: what the second run does after the model
    faulty="static int runs; digits_run(); if (++runs == 2) { $1 } return 0;"
    sed "s/^int main/static uint32_t faulty_run(void) { $faulty }\n&/
        s/\.run = run/.run = faulty_run/" original.c >validate/main.c
    build .
}
change '((float *)digits_output_0)[3] += 1;'
validated 1 'output 0: [1-4] bytes differ in 1 samples; first byte 1[2-5] of sample 1' --on "$core"
validated 1 '"differing_samples": 1' --on "$core" --json
change '*(volatile uint32_t *)0xE000ED0C = 0x05FA0004; for (;;) { continue; }'
validated 4 'the firmware restarted while it ran sample 1' --on "$core"
validated 4 '"verdict": "restarted"' --on "$core" --json
on_line none to 0 4 'the firmware restarted while it ran sample 1'
change 'for (;;) { continue; }'
validated 6 'did not answer within 1 seconds while it ran sample 1' --on "$core" --timeout 1
change '*(volatile uint32_t *)0xF0000000 = 1;'
validated 6 'the emulated firmware stopped with a fault: ' --on "$core"
validated 6 'the emulated firmware ended by itself (exit status 0)' --on "$core" --firmware build/digits.elf --timeout 1

validated 2 'expected --port PORT or --on CORE, found neither'
validated 2 '--board goes with --port' --on "$core" --board nucleo-f401re
validated 2 "there is no board 'x'" --port /dev/null --board x
validated 2 'found both' --on "$core" --port /dev/null
validated 2 'is not a serial port' --port /dev/null
validated 2 'No such file' --port /nowhere
validated 2 'accepted: 9600' --port /dev/null --baud 12345
validated 2 'the host is what the firmware is compared with' --on host
validated 2 'expected one; .cmake -B build' model.pte/../validate --on "$core"
validated 2 'model.pte' ../ --port /dev/null
