#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: emit_c_test.sh
# compile --emit c as a user calls it: what it writes compiles without a warning in every dialect, as C++ too, and alone
# in its folder; two models fit one image; the same bytes come out each time; and whatever is wrong leaves nothing
# behind.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/support/firmware.sh"
emit() { # emit FOLDER OPTION...
    out=$1
    shift
    "$RUSHLIGHT" compile "$digits/digits.pt2" --calibrate "$digits/calibration.npz" --emit c -o "$out" "$@"
}
seq 0 9 | sed 's/.*/digit "&" ??\//' >labels.txt

emit digits --with-kernels --labels labels.txt --target cortex-m4 >log 2>&1
emit caller --with-kernels --arena caller --io int8 --name second >log 2>&1
for name in DIGITS_ARENA_BYTES DIGITS_STACK_BYTES DIGITS_INPUT_0_COUNT DIGITS_OUTPUT_0_SCALE digits_run digits_arena \
    digits_input_0 digits_labels; do
    grep -q "\b$name\b" digits/model.h || fail "model.h lacks $name"
done
grep -q 'second_run(void \*arena)' caller/model.h || fail "the arena is not the caller's"
grep -q '#define SECOND_INPUT_0_TYPE int8_t' caller/model.h || fail "the input is not int8"

strict='-Wall -Wextra -Wpedantic -Wshadow -Wcast-qual -Wdouble-promotion -Werror'
warnings="$strict -Wconversion -Wvla -Idigits/kernels -c -o object.o"
for compiler in gcc clang-14 clang-16; do
    command -v $compiler >/dev/null || continue
    for standard in c99 c11 c17; do
        for model in digits caller; do
            # shellcheck disable=SC2086
            $compiler -std=$standard -Wstrict-prototypes $warnings $model/model.c ||
                fail "$model: $compiler -std=$standard"
        done
    done
done
for standard in c++11 c++17; do
    # shellcheck disable=SC2086
    g++ -std=$standard -x c++ $warnings -Wno-deprecated digits/model.c || fail "g++ -std=$standard"
    # shellcheck disable=SC2086
    g++ -std=$standard -x c++ $warnings -Wno-deprecated caller/model.c || fail "g++ -std=$standard, arena of the caller"
done
if nm -u object.o | grep -vE ' (rl_[a-z0-9_]*|mem[a-z]*|_GLOBAL_OFFSET_TABLE_)$'; then
    fail "model.c calls more than kernels and mem*"
fi

# Two models in one image, from sources alone.
cat >main.c <<'END'
#include <stdio.h>
#include "caller/model.h"
#include "digits/model.h"
static _Alignas(16) uint8_t memory[SECOND_ARENA_BYTES];
int main(void)
{
    for (int i = 0; i < DIGITS_INPUT_0_COUNT; i++) {
        digits_input_0[i] = 0;
        second_input_0(memory)[i] = (SECOND_INPUT_0_TYPE)SECOND_INPUT_0_ZERO_POINT;
    }
    digits_reset();
    digits_run();
    second_reset(memory);
    second_run(memory);
    printf("%s\n", digits_labels[3]);
    for (int i = 0; i < SECOND_OUTPUT_0_COUNT; i++) {
        const float other = (float)(second_output_0(memory)[i] - SECOND_OUTPUT_0_ZERO_POINT) * SECOND_OUTPUT_0_SCALE;
        if (digits_output_0[i] - other > SECOND_OUTPUT_0_SCALE || other - digits_output_0[i] > SECOND_OUTPUT_0_SCALE) {
            return 1;
        }
    }
    return 0;
}
END
emit both --with-kernels --target any >log 2>&1
cp -r digits/kernels caller/kernels both/ # the same files, or more of them
# shellcheck disable=SC2046
gcc -O1 -I. -Iboth/kernels main.c digits/model.c caller/model.c $(find both/kernels -name '*.c') -Iboth -o both.elf ||
    fail "two models do not link"
./both.elf >log || fail "two models in one image disagree"
[ "$(cat log)" = 'digit "3" ??/' ] || fail "a label changed: $(cat log)"

# The same bytes again; a name that is none in C.
emit again/digits --with-kernels --labels labels.txt --target cortex-m4 >log 2>&1 && fail "made the folder around it"
mkdir again
emit again/digits --with-kernels --labels labels.txt --target cortex-m4 >log 2>&1
diff -r digits again/digits >log || fail "other files the second time: $(head -n 3 log)"
emit 3-d.model >log 2>&1
grep -q "'3-d' cannot start names in C: they start with 'model_3_d'" log || fail "a new name is not said: $(cat log)"
grep -q 'void model_3_d_run(void);' 3-d.model/model.h || fail "another name"

# Names are those of the exported model: keys of dictionaries, names in the graph; each once in C.
"$RUSHLIGHT" compile "$top/tests/fixtures/names/outputs.pt2" --quantize none --emit c -o named >log 2>&1 ||
    fail "a model with named outputs: $(cat log)"
for line in 'INPUT_0_NAME "feats_a_b"' 'OUTPUT_0_NAME "logits"' 'OUTPUT_1_NAME "aux out.h h"' \
    'OUTPUT_3_NAME "parts.1"'; do
    grep -q "#define NAMED_$line\$" named/model.h || fail "no $line in: $(grep NAME named/model.h)"
done
for line in 'input_mask named_input_2' 'output_logits named_output_0' 'output_aux_out_h_h named_output_1' \
    'output_parts_1 named_output_3' 'output_aux_out_h_h_4 named_output_4'; do
    grep -q "#define named_$line\$" named/model.h || fail "no $line in: $(grep '#define named_' named/model.h)"
done
"$RUSHLIGHT" compile "$top/tests/fixtures/names/outputs.pt2" \
    --io int8 --emit c --name named -o integers >log 2>&1 || fail "a model with named outputs in int8: $(cat log)"
grep 'define NAMED_.*_NAME' named/model.h >log
grep 'define NAMED_.*_NAME' integers/model.h | diff log - || fail "quantization changes names"

# Operators in floating point need no library either.
emit_float() { # emit_float FOLDER OPTION...
    out=$1
    shift
    "$RUSHLIGHT" compile "$digits/digits.pt2" --quantize none --emit c -o "$out" "$@" >log 2>&1 || fail "$(cat log)"
}
emit_float float --with-kernels --target any
grep -q 'int float_run(void);' float/model.h || fail "the run of a model with operators tells no failure"
cat >float_main.c <<'END'
#include <stdio.h>
#include "float/model.h"
int main(void)
{
    for (int i = 0; i < FLOAT_INPUT_0_COUNT; i++) {
        float_input_0[i] = 0.0f;
    }
    const int status = float_run();
    for (int i = 0; i < FLOAT_OUTPUT_0_COUNT; i++) {
        printf("%.9g\n", (double)float_output_0[i]);
    }
    return status;
}
END
# shellcheck disable=SC2046,SC2086
gcc -std=c11 $strict -Wstrict-prototypes -O2 -I. -Ifloat -Ifloat/kernels float_main.c \
    $(find float -name '*.c') -lm -o float.elf || fail "a model in floating point does not link alone"
[ "$(./float.elf | sort -u | wc -l)" -gt 1 ] || fail "a model in floating point computes nothing"
for compiler in clang-14 clang-16; do
    command -v $compiler >/dev/null || continue
    find float digits -name '*.c' | while read -r source; do
        # shellcheck disable=SC2086
        $compiler -std=c11 $strict -Wstrict-prototypes -fsyntax-only "-I${source%%/*}" "-I${source%%/*}/kernels" \
            "$source" ||
            fail "$compiler: $source"
    done
done

# On cores clang sees the loops in assembler, too.
for core in m0 m4 m55; do
    emit "$core" --with-kernels --target "cortex-$core" >log 2>&1
    flags=$(sed -n 's/^set(RL_BOARD_FLAGS "\(.*\)")$/\1/p' "$top/boards/$core/board.cmake")
    for compiler in clang-14 clang-16; do
        command -v $compiler >/dev/null || continue
        find "$core" -name '*.c' | while read -r source; do
            # shellcheck disable=SC2086
            $compiler --target=arm-none-eabi $flags -isystem /usr/include/newlib -std=c99 $strict -Wstrict-prototypes \
                -Wconversion -fsyntax-only "-I$core" "-I$core/kernels" "$source" || fail "$compiler for $core: $source"
        done
    done
done

# gcc has other types for the same sizes there, which conversions show; and each source of kernels is C99.
for core in m3 m4 m55; do
    [ -d "$core" ] || emit "$core" --with-kernels --target "cortex-$core" >log 2>&1
    flags=$(sed -n 's/^set(RL_BOARD_FLAGS "\(.*\)")$/\1/p' "$top/boards/$core/board.cmake")
    # shellcheck disable=SC2046,SC2086
    arm-none-eabi-gcc $flags -mthumb -std=c99 $strict -Wconversion -fsyntax-only "-I$core" "-I$core/kernels" \
        $(find "$core" -name '*.c') || fail "arm-none-eabi-gcc for $core, -Wconversion"
done
# shellcheck disable=SC2046,SC2086
arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -std=c11 $strict -Wconversion -fsyntax-only -Ifloat -Ifloat/kernels \
    $(find float -name '*.c') || fail "arm-none-eabi-gcc for operators, -Wconversion"

# With its names hidden, such a model and the runtime are one image, as docs/c.md says.
mkdir hidden
find float -name '*.c' | while read -r source; do
    gcc -std=c11 -O1 -Ifloat -Ifloat/kernels -c "$source" -o "hidden/$(echo "$source" | tr / .).o" || fail "$source"
done
cat >with_runtime.c <<'END'
#include "rushlight/runtime.h"
enum rl_status (*volatile execute)(struct rl_method *) = rl_method_execute;
END
libraries=$(dirname "$RUSHLIGHT_RELEASE")
link_both() { # link_both OBJECT...
    gcc -std=c11 -I. -I"$top/include" float_main.c with_runtime.c "$@" -Wl,--whole-archive \
        "$libraries/librushlight_runtime.a" -Wl,--no-whole-archive "$libraries/librushlight_format.a" \
        "$libraries/librushlight_kernels.a" "$libraries/librushlight_ops.a" -lm -pthread -o both.elf 2>log
}
link_both hidden/*.o && fail "names of the model and of the runtime are not the same"
ld -r -o float.o hidden/*.o
objcopy --wildcard --keep-global-symbol='float_*' float.o
nm --defined-only --extern-only float.o | grep -v ' float_' && fail "objcopy leaves other names"
link_both float.o || fail "a hidden model and the runtime do not link: $(head -n 5 log)"
[ "$(./both.elf)" = "$(./float.elf)" ] || fail "the hidden model computes something else"

# A .pte that was compiled before: the same calls and constants, with labels; names of inputs are not in it.
"$RUSHLIGHT" compile "$digits/digits.pt2" --calibrate "$digits/calibration.npz" --target cortex-m4 -o digits.pte \
    >log 2>&1
of_program() { # of_program OPTION...
    "$RUSHLIGHT" compile digits.pte --emit c --target cortex-m4 -o of-program/digits "$@"
}
mkdir of-program
of_program --with-kernels --labels labels.txt >log 2>&1 || fail "a .pte has no form in C: $(cat log)"
diff -r digits/kernels of-program/digits/kernels >log || fail "other kernels for a .pte: $(head -n 3 log)"
sed 's/digits\.pt2/digits.pte/' digits/model.c | diff - of-program/digits/model.c >log ||
    fail "a .pte gives another model.c: $(head -n 5 log)"
grep -q '\bdigits_labels\b' of-program/digits/model.h || fail "model.h of a .pte lacks the labels"
refused 2 '--calibrate is for a .pt2: digits.pte has been compiled' of_program --force --calibrate x.npz
refused 2 '--explicit-layout is for a .pt2' of_program --force --explicit-layout
refused 1 'expected a name a line' of_program --force --labels "$digits/README.md"
of_program --force --json >log 2>&1
grep -q '"arena_bytes": [1-9]' log || fail "the JSON lacks the arena: $(cat log)"

# What exists stays.
refused 1 'exists; --force replaces' emit digits
mkdir other && echo mine >other/file
refused 1 'rushlight did not write it' emit other --force
[ "$(cat other/file)" = mine ] || fail "a file of the user is gone"
emit digits --force >log 2>&1
[ ! -e digits/kernels ] || fail "--force leaves files of the project before"
refused 1 'exists; --force' emit labels.txt
refused 1 'expected a name a line' emit new --labels "$digits/README.md"
refused 1 'values or shapes change' "$RUSHLIGHT" compile "$top/tests/fixtures/programs/branch.pte" --emit c -o new
refused 1 'sources of the kernels are not installed\|sources.txt' env RUSHLIGHT_SHARE=/nowhere "$RUSHLIGHT" compile \
    "$digits/digits.pt2" --emit c --with-kernels -o new
refused 2 'goes with --emit c' "$RUSHLIGHT" compile "$digits/digits.pt2" --with-kernels -o new
refused 2 'cannot be combined with --emit c' emit new --report page.html
[ ! -e new ] || fail "a refused model left a folder"
[ -z "$(find . -maxdepth 1 -name '*.??????' -o -name '*.old')" ] || fail "a temporary folder is left: $(ls)"
