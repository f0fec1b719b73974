#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: firmware_boards_test.sh FAULTY_LINE emulated|all
# The firmware of `firmware --board` for the board's own memories. On boards whose chip QEMU has, it runs there, prints
# what the emulated core prints, and `validate --port` finds the bytes of the host. With `all`, that of each board with
# a linker script is linked, and its sections lie where the chip has memory.
set -eu
line=$1
boards=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/support/firmware.sh"

firmware() { # firmware FOLDER OPTION...
    out=$1
    shift
    "$RUSHLIGHT" firmware "$digits/digits.pt2" --calibrate "$digits/calibration.npz" --name digits -o "$out" "$@" \
        >log 2>&1 || fail "$(cat log)"
}

# The line of a board, as a user writes it. Registers: RM0090, "USART"; nRF51 Series Reference Manual, "UART".
write_serial() { # write_serial PROJECT
    {
        echo '#include "serial.h"'
        case $1 in
        stm32f407-disco*) cat <<'END' ;;
static volatile uint32_t *const usart = (volatile uint32_t *)0x40011000;
enum { STATUS, DATA, RATE, CONTROL, RECEIVED = 1 << 5, EMPTY = 1 << 7 };
void serial_start(void) { usart[RATE] = 0x8B; usart[CONTROL] = 1 << 13 | 1 << 3 | 1 << 2; }
uint8_t serial_get(void) { while (!(usart[STATUS] & RECEIVED)) { continue; } return (uint8_t)usart[DATA]; }
void serial_put(uint8_t byte) { while (!(usart[STATUS] & EMPTY)) { continue; } usart[DATA] = byte; }
END
        *) cat <<'END' ;;
static volatile uint32_t *const uart = (volatile uint32_t *)0x40002000;
enum { START_IN = 0x000 / 4, START_OUT = 0x008 / 4, IN_READY = 0x108 / 4, OUT_READY = 0x11C / 4, ENABLE = 0x500 / 4 };
enum { IN = 0x518 / 4, OUT = 0x51C / 4, RATE = 0x524 / 4 };
void serial_start(void) { uart[RATE] = 0x01D7E000; uart[ENABLE] = 4; uart[START_IN] = 1; uart[START_OUT] = 1; }
uint8_t serial_get(void)
{
    while (!uart[IN_READY]) { continue; }
    uart[IN_READY] = 0;
    return (uint8_t)uart[IN];
}
void serial_put(uint8_t byte)
{
    uart[OUT_READY] = 0;
    uart[OUT] = byte;
    while (!uart[OUT_READY]) { continue; }
}
END
        esac
    } >"$1/chip/serial.c"
}

# emulated MACHINE PROJECT: its firmware for the board on the machine of QEMU with that chip
emulated() {
    write_serial "$2"
    build "$2"
    (cd "$2" && timeout 60 cmake --build build --target run) >output 2>&1 || fail "$2 does not run: $(cat output)"
    timeout 60 qemu-system-arm -M "$1" -nographic -monitor none -serial none -semihosting-config \
        enable=on,target=native -kernel "$2/build/digits_board.elf" >found 2>&1 || fail "$2 on $1: $(cat found)"
    [ "$(grep -c thousandths found)" -eq 3 ] || fail "$2 on $1 prints: $(cat found)"
    grep thousandths output >expected
    grep thousandths found | cmp -s - expected || fail "$2 on $1 prints: $(cat found)"
    serve "$line" none to 0 "$1" "$2/build/digits_validate_board.elf"
    validated 0 '64 samples, all outputs identical' "$2/model.pte" --port "$(cat port)" --input \
        "$digits/calibration.npz"
    grep -q '^stack: [1-9]' log || fail "$2: no depth of the stack: $(cat log)"
    unserve
}

# in_memory PROJECT ORIGIN: the sections of its firmware are in the regions of memory.ld, vectors first at ORIGIN.
in_memory() {
    elf=$1/build/digits_board.elf
    arm-none-eabi-readelf -SW "$elf" | sed 's/\[ */[/' | awk '$0 ~ / [WAX]*A[WAX]* +[0-9]+ +[0-9]+ +[0-9]+$/ {
        print $2, $4, $6 }' >sections
    sed -n 's/^ *\([A-Z0-9]*\) *(r.*ORIGIN = 0x\([0-9a-f]*\), LENGTH = 0x\([0-9a-f]*\)$/\1 \2 \3/p' \
        "$1/chip/memory.ld" >regions
    if [ "$(wc -l <sections)" -lt 5 ] || [ "$(wc -l <regions)" -lt 2 ]; then
        fail "$1: no sections: $(cat sections regions)"
    fi
    while read -r name address bytes; do
        found=
        while read -r region origin length; do
            case $name:$region in
            .text:FLASH | .ARM.exidx:FLASH | .data:RAM | .bss:RAM | .stack:RAM* | .heap:RAM*)
                if [ $((0x$address)) -ge $((0x$origin)) ] &&
                    [ $((0x$address + 0x$bytes)) -le $((0x$origin + 0x$length)) ]; then
                    found=$region
                fi
                ;;
            esac
        done <regions
        [ -n "$found" ] || fail "$1: $name at $address with $bytes bytes is outside: $(cat regions)"
    done <sections
    grep -q "^\.text 0*$2 " sections || fail "$1: code does not start at $2: $(cat sections)"
    symbol() { arm-none-eabi-nm "$elf" | sed -n "s/^\([0-9a-f]*\) [A-Za-z] $1\$/\1/p"; }
    word() { # word N: of the start of .text
        arm-none-eabi-objcopy -O binary -j .text "$elf" text.bin
        od -An -tx4 -j$(($1 * 4)) -N4 text.bin | tr -d ' '
    }
    [ $((0x$(word 0))) -eq $((0x$(symbol rl_stack_top))) ] || fail "$1: the first vector is not the stack"
    [ $((0x$(word 1))) -eq $((0x$(symbol rl_reset) | 1)) ] || fail "$1: the second vector is not reset"
    [ $((0x$(symbol rl_stack_top) - 0x$(symbol rl_stack_limit))) -gt 2000 ] || fail "$1: no stack"
    [ $((0x$(symbol rl_heap_end) - 0x$(symbol rl_heap_begin))) -eq 2048 ] || fail "$1: no heap"
    [ $((0x$(symbol digits_arena) % 16)) -eq 0 ] || fail "$1: the arena is not aligned"
}

# Origins from the data sheets; behind the boot loader on the Nano 33 BLE.
for pair in stm32f407-disco:netduinoplus2:8000000 microbit:microbit:0; do
    board=${pair%%:*} machine=${pair#*:}
    firmware "$board" --board "$board"
    emulated "${machine%:*}" "$board"
    in_memory "$board" "${pair##*:}"
done
firmware stm32f407-disco-runtime --board stm32f407-disco --runtime
emulated netduinoplus2 stm32f407-disco-runtime
in_memory stm32f407-disco-runtime 8000000

# A chip without that FPU has code without it; a board whose script is the vendor's has none, and says why.
firmware soft --board nucleo-wl55jc
grep -q 'float-abi=soft' soft/chip/flags.cmake || fail "the STM32WL55 has no FPU"
firmware vendor --board pico
[ ! -e vendor/chip ] || fail "the RP2040 has a linker script"
grep -q "vendor's SDK: its boot ROM" vendor/README.md || fail "README.md does not say why there is no script"
grep -q "SDK: its boot ROM" log || fail "not said: $(cat log)"

# Too small: the table of `fit`, and nothing is written. The stack can be in the other piece of RAM.
norms=$top/tests/fixtures/composed/norms.pt2
refused 1 'TOO MUCH' "$RUSHLIGHT" firmware "$norms" --board microbit -o new
refused 1 'does not fit microbit' "$RUSHLIGHT" firmware "$norms" --board microbit --runtime -o new
grep -q 'does not fit microbit\|TOO MUCH' log || fail "no table: $(cat log)"
[ ! -e new ] || fail "a refused model left a folder"
volumes=$top/tests/fixtures/portable/volumes.pt2
refused 1 'for stack and heap, and finds pieces of 65536 and 16384' "$RUSHLIGHT" firmware "$volumes" \
    --quantize none --board nucleo-f303re -o new
[ ! -e new ] || fail "a refused model left a folder"
sed 's/\("STACK", RAM\))/\12)/' stm32f407-disco/chip/memory.ld >memory.ld
cp memory.ld stm32f407-disco/chip/
build stm32f407-disco digits_board.elf # QEMU 7.2 does not have this piece
in_memory stm32f407-disco 8000000
grep -q '^\.stack 10000000' sections || fail "the stack is not in the other piece of RAM: $(cat sections)"
[ "$boards" = all ] || exit 0

# One build for each set of flags; of the other boards only the start-up is compiled.
"$RUSHLIGHT" boards --json >boards.json
awk '/"name":/ { split($0, part, "\""); name = part[4] } /"core":/ { split($0, part, "\""); core = part[4] }
    /"flash_origin":/ { gsub(/[^0-9]/, ""); origin = $0 }
    /"no_memory": null/ { printf "%s %s %x\n", name, core, origin }' \
    boards.json >with_script
[ "$(wc -l <with_script)" -ge 50 ] || fail "boards with a script: $(cat with_script)"
while read -r board core origin; do
    program=$core.pte
    [ -e "$program" ] || "$RUSHLIGHT" compile "$digits/digits.pt2" --calibrate "$digits/calibration.npz" --target \
        "$core" -o "$program" >log 2>&1 || fail "$(cat log)"
    "$RUSHLIGHT" firmware "$program" --name digits --board "$board" -o "board-$board" >log 2>&1 || fail "$(cat log)"
    built=built-$core
    [ ! -e "board-$board/chip/flags.cmake" ] ||
        built=$built$(sed -n 's/.*"\(.*\)".*/\1/p' "board-$board/chip/flags.cmake" | tr -c 'a-z0-9\n' _)
    if [ -e "$built" ]; then
        cp "board-$board"/chip/* "$built/chip/"
    else
        cp -r "board-$board" "$built"
    fi
    build "$built" digits_board.elf
    in_memory "$built" "$origin"
    rm -r "board-$board"
    echo "$board: linked"
done <with_script
