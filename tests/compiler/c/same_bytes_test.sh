#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: same_bytes_test.sh CORE...    (host, m0, m4 ...)
# Models of all kinds as C, with their kernels, on the host and on emulated cores: the bytes of the runtime, run after
# run and after a reset, with float and int8 inputs, with a static arena and the caller's. The C compiles without a
# warning, alone in its folder. On cores no run takes more instructions than the runtime's with all that it keeps, and
# the RAM beside the arena is less than 100 bytes.
set -eu
top=$(cd "$(dirname "$0")/../../.." && pwd)
here=$top/tests/compiler/c
fixtures=$top/tests/fixtures
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "$*" >&2
    exit 1
}

warnings='-Wall -Wextra -Wpedantic -Wconversion -Werror'

# build CORE NAME: same_bytes.c, the model and the runtime
build() {
    if [ "$1" = host ]; then
        compiler='gcc -g -fsanitize=address,undefined -fno-sanitize-recover=all -O1'
        libraries=$top/build board=''
    else
        flags=$(sed -n 's/^set(RL_BOARD_FLAGS "\(.*\)")$/\1/p' "$top/boards/$1/board.cmake")
        compiler="arm-none-eabi-gcc $flags -mthumb --specs=nano.specs -O2 -falign-functions=4"
        libraries=$RUSHLIGHT_FIRMWARE/$1
        board="$(echo "$top"/boards/common/*.c) -I$top/boards/common -nostartfiles -L$top/boards/$1
            -T$top/boards/common/sections.ld -Wl,--gc-sections -Wl,--no-warn-execstack"
    fi
    # Kernels are the same files for every model.
    objects=''
    for source in $(cd "$folder/c" && find . -name '*.c' | sort); do
        object=$folder/$1$(echo "$source" | tr / .).o
        objects="$objects $object"
        [ "$source" != ./model.c ] && [ -f "$object" ] && continue
        # shellcheck disable=SC2086
        $compiler -std=c99 $warnings -ffunction-sections -fdata-sections -I "$folder/c" -I "$folder/c/kernels" \
            -c "$folder/c/$source" -o "$object" || fail "$2: $source does not compile cleanly for $1"
    done
    # shellcheck disable=SC2086
    $compiler -std=c11 -ffunction-sections ${3:-} -I "$folder/c" -I "$top/include" -Wa,-I"$folder" \
        "$here/same_bytes.c" "$here/program.S" $objects $board -L"$libraries" -lrushlight_runtime -lrushlight_format \
        -lrushlight_kernels -lm -o "$folder/test.elf" || fail "$2: does not link for $1"
}

# check_cost CORE NAME: of the runs that were counted, and of the objects.
check_cost() {
    paste -d ' ' - - <"$folder/counts" >"$folder/pairs"
    [ "$(wc -l <"$folder/pairs")" -eq 4 ] || fail "$2 on $1: expected 4 pairs of runs: $(cat "$folder/counts")"
    awk '$2 == 0 || $2 > $1 { exit 1 }' "$folder/pairs" ||
        fail "$2 on $1: a run takes more instructions than the runtime's (first column): $(cat "$folder/pairs")"
    # shellcheck disable=SC2086
    ram=$(arm-none-eabi-size $objects | awk 'NR > 1 { sum += $2 + $3 } END { print sum }')
    arena=$(sed -n 's/^#define MODEL_ARENA_BYTES \([0-9]*\).*/\1/p' "$folder/c/model.h")
    [ -z "$3" ] || arena=0 # the caller's
    [ $((ram - arena)) -lt 100 ] || fail "$2 on $1: $((ram - arena)) bytes of RAM beside the arena"
    echo "$1 $2: instructions of the runtime and of C $(tail -n 1 "$folder/pairs"), $((ram - arena)) bytes of RAM"
}

# compare CORE NAME MODEL OPTION...
compare() {
    core=$1 name=$2 model=$3
    shift 3
    define=''
    case " $* " in *' --arena caller '*) define=-DARENA_OF_CALLER ;; esac
    target=cortex-$core
    [ "$core" != host ] || target=any
    rm -rf "$folder/c"
    plain=$(echo " $* " | sed 's/ --arena caller / /')
    # shellcheck disable=SC2086
    "$RUSHLIGHT" compile "$model" -o "$folder/program.pte" --target "$target" $plain >"$folder/log" 2>&1 ||
        fail "$name: $(cat "$folder/log")"
    "$RUSHLIGHT" compile "$model" -o "$folder/c" --emit c --with-kernels --name model --target "$target" "$@" \
        >"$folder/log" 2>&1 || fail "$name: $(cat "$folder/log")"
    build "$core" "$name" $define
    if [ "$core" = host ]; then
        "$folder/test.elf" >"$folder/output" || fail "$name on the host: $(cat "$folder/output")"
    else
        QEMU_OPTIONS="-plugin file=$RUSHLIGHT_FIRMWARE/librl_count.so,out=$folder/counts" RL_TIMEOUT=60 \
            "$top/scripts/run-on" "$core" "$folder/test.elf" >"$folder/output" ||
            fail "$name on $core: $(cat "$folder/output")"
        check_cost "$core" "$name" "$define"
    fi
    echo "$core $name: $(cat "$folder/output")"
}

for core in "$@"; do
    digits="$fixtures/digits/digits.pt2 --calibrate $fixtures/digits/calibration.npz"
    # shellcheck disable=SC2086
    compare "$core" digits $digits
    # shellcheck disable=SC2086
    compare "$core" "digits in int8, arena of the caller" $digits --io int8 --arena caller
    for model in gru_kept lstm_stacked; do
        [ -f "$fixtures/recurrent/$model.pt2" ] || fail "no fixture $model"
        compare "$core" $model "$fixtures/recurrent/$model.pt2" --calibrate "$fixtures/recurrent/$model.calib.npz"
    done
    compare "$core" "lstm_kept, arena of the caller" "$fixtures/recurrent/lstm_kept.pt2" \
        --calibrate "$fixtures/recurrent/lstm_kept.calib.npz" --arena caller
    for model in norms spectra transforms edges blocks; do
        compare "$core" $model "$fixtures/composed/$model.pt2"
    done
    # shellcheck disable=SC2086
    compare "$core" "digits of int16" $digits --quantize a16w8
    compare "$core" "blocks of int16" "$fixtures/composed/blocks.pt2" --quantize a16w8
done
