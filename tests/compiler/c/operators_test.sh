#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: operators_test.sh OPERATORS_RUNTIME few|CORE...    (few: some models on the host; host, m4 ...)
# Every operator that a .pte can call, as C, against the runtime: the recorded portable operators, the corpus' single
# calls, programs of the other fixtures. All models are one image, from sources that compile without a warning. On the
# host an operator of the table without a model fails, but for those below. Emulated cores get some of the models.
set -eu
runtime=$1
shift
top=$(cd "$(dirname "$0")/../../.." && pwd)
here=$top/tests/compiler/c
. "$top/tests/support/firmware.sh"
warnings='-Wall -Wextra -Wpedantic -Werror'
mkdir programs
for model in "$top"/tests/fixtures/portable/*.pt2; do
    [ "$1" = host ] || continue
    "$RUSHLIGHT" compile "$model" -o "programs/$(basename "$model" .pt2)" --target any --quantize none >log 2>&1 ||
        fail "$(cat log)"
done
for file in "$top"/tests/fixtures/portable/*.pte "$top"/tests/fixtures/programs/*.pte; do
    cp "$file" "programs/$(basename "$(dirname "$file")")_$(basename "$file" .pte)"
done
for model in gru_kept lstm_kept rnn_relu; do
    file=$top/tests/fixtures/recurrent/$model.pt2
    [ "$1" != host ] || "$RUSHLIGHT" compile "$file" -o "programs/$model" --target any \
        --calibrate "${file%.pt2}.calib.npz" >log 2>&1 || fail "$(cat log)"
done
# Its products pack rows on the stack, on cores without DSP instructions.
"$RUSHLIGHT" compile "$top/tests/fixtures/composed/attention.pt2" -o programs/attention --target any >log 2>&1 ||
    fail "$(cat log)"
"$top/scripts/corpus" unpack pte corpus
cp corpus/call* programs

# Programs that the runtime does not open are in the corpus, too. What it opens must become C, but for values that
# change (docs/c.md).
emit() { # emit PROGRAM ISA
    "$RUSHLIGHT" compile "programs/$1" --emit c --with-kernels --target "$2" --name "m_$1" -o "models/$1" >log 2>&1
}

# The functions TEST(name) of operators_model.c, and the list of them.
write_tests() {
    for model in "$@"; do
        upper=$(echo "$model" | tr '[:lower:]' '[:upper:]')
        header=models/$model/model.h
        echo "#include \"$header\""
        count_in=$(sed -n 's/^#define M_.*_INPUT_COUNT //p' "$header")
        count_out=$(sed -n 's/^#define M_.*_OUTPUT_COUNT //p' "$header")
        echo "static int run_$model(void)"
        if grep -q "^int m_${model}_run" "$header"; then
            echo "{ return m_${model}_run(); }"
        else
            echo "{ m_${model}_run(); return 0; }"
        fi
        echo "static void test_$model(void)"
        echo "{"
        echo "    const struct part inputs[] = {"
        i=0
        while [ $i -lt "$count_in" ]; do
            echo "        PART(m_${model}_input_$i, M_${upper}_INPUT_$i),"
            i=$((i + 1))
        done
        echo "        {0, 0, 0}};"
        echo "    const struct part outputs[] = {"
        i=0
        while [ $i -lt "$count_out" ]; do
            echo "        PART(m_${model}_output_$i, M_${upper}_OUTPUT_$i),"
            i=$((i + 1))
        done
        echo "        {0, 0, 0}};"
        echo "    const struct model model = {\"$model\", run_$model, m_${model}_reset, $count_in, $count_out,"
        echo "        M_${upper}_STACK_BYTES};"
        echo "    check(&model, inputs, outputs);"
        echo "}"
    done
    echo "static void (*const tests[])(void) = {"
    for model in "$@"; do
        echo "    test_$model,"
    done
    echo "};"
}

# Sources are the same for all models: one copy of each is compiled. Kernels of a core differ from those of another.
build() { # build COMPILER LINK, of the folders in models/
    mkdir -p all objects
    for model in models/*; do
        for part in kernels runtime ops; do
            [ ! -d "$model/$part" ] || cp -r "$model/$part" all
        done
    done
    for source in $(cd all && find . -name '*.c' | sort); do
        # shellcheck disable=SC2086
        $1 -std=c11 $warnings -ffunction-sections -fdata-sections -I all -I all/kernels -c "all/$source" \
            -o "objects/source$(echo "$source" | tr / .).o" || fail "$source does not compile cleanly"
    done
    for model in models/*; do
        # shellcheck disable=SC2086
        $1 -std=c11 $warnings -Wconversion -I all -I all/kernels -c "$model/model.c" \
            -o "objects/model_$(basename "$model").o" || fail "$model does not compile cleanly"
    done
    # shellcheck disable=SC2086
    $1 -std=c11 -I . -I "$here" "$here/operators_model.c" objects/*.o $2 -lm -o test.elf || fail "does not link"
}

# compare CORE MODEL...
compare() {
    core=$1
    shift
    list=''
    for model in "$@"; do
        list="$list $model programs/$model"
    done
    # shellcheck disable=SC2086
    "$runtime" $list >expected || fail "the runtime"
    write_tests "$@" >models.inc
    if [ "$core" = host ] || [ "$core" = few ]; then
        build 'gcc -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all' '-Wl,--gc-sections'
        ./test.elf >found || fail "on the host: $(tail -n 3 found)"
    else
        flags=$(sed -n 's/^set(RL_BOARD_FLAGS "\(.*\)")$/\1/p' "$top/boards/$core/board.cmake")
        build "arm-none-eabi-gcc $flags -mthumb -O2" "$(echo "$top"/boards/common/*.c) $top/runtime/core.c
            -I$top/boards/common -I$top/include --specs=nano.specs -nostartfiles -L$top/boards/$core
            -T$top/boards/common/sections.ld -Wl,--gc-sections -Wl,--no-warn-execstack"
        RL_TIMEOUT=120 "$top/scripts/run-on" "$core" ./test.elf >found || fail "on $core: $(tail -n 3 found)"
    fi
    diff expected found >difference || fail "other bytes on $core: $(head -n 6 difference)"
    grep -q refused expected && grep -q 'run 3 output' expected || [ "$core" != host ] || fail "nothing is refused"
    echo "$core: $# models, $(wc -l <found) results the same"
}

operators_of() { # operators_of PROGRAM...: as ids of the operator table
    for program in "$@"; do
        "$RUSHLIGHT" inspect "programs/$program"
    done | sed -n 's/^  *&rl_kernel_\(wide_\)\{0,1\}\([a-zA-Z0-9_]*\),$/\2/p' | LC_ALL=C sort -u
}

# Operators that compute values, whose programs are refused, and those that the fixtures call only beside them.
tr ' ' '\n' <<'END' | LC_ALL=C sort >without_model
aten_alias_copy aten_any aten_argmin aten_atan2 aten_cumsum aten_detach_copy aten_fmod_tensor
aten_index_put_ aten_lift_fresh_copy aten_local_scalar_dense aten_masked_select aten_max aten_mean_all
aten_min aten_nonzero aten_pixel_unshuffle aten_pow_tensor_scalar aten_pow_tensor_tensor aten_prod
aten_remainder_tensor aten_repeat_interleave aten_rsub_scalar aten_sym_numel aten_sym_size_int
aten_var_correction aten_var_dim prim_add_scalar prim_ceil_scalar prim_eq_scalar prim_et_copy_index prim_floordiv_int
prim_floordiv_scalar prim_ge_scalar prim_gt_scalar prim_le_scalar prim_lt_scalar prim_mod_int prim_mod_scalar
prim_mul_scalar prim_neg_scalar prim_round_scalar prim_sub_scalar prim_sym_float_scalar prim_sym_int_scalar
prim_sym_ite_scalar prim_sym_max_scalar prim_sym_min_scalar prim_sym_not_scalar prim_truediv_scalar prim_trunc_scalar
END
some='portable_math portable_logic portable_choose attention'

for core in "$@"; do
    rm -rf models all objects
    mkdir models
    if [ "$core" = host ]; then
        models=''
        for program in $(cd programs && LC_ALL=C ls); do
            if emit "$program" any; then
                models="$models $program"
            else # a limit of docs/c.md, or what the runtime refuses, too
                grep -q 'values or shapes change\|do not call operators\|is not a tensor\|: instruction \|\.ptd' log ||
                    fail "$program: $(cat log)"
            fi
        done
        # shellcheck disable=SC2086
        operators_of $models >emitted
        tr '\n' ' ' <"$top/include/rushlight/ops.def" | grep -oE 'RL_OP(_WIDE)?\([a-z][a-zA-Z0-9_]+, "' |
            sed 's/.*(\(.*\),.*/\1/' | LC_ALL=C sort -u >table
        LC_ALL=C comm -13 emitted table | LC_ALL=C comm -23 - without_model | grep . &&
            fail "no model calls these operators"
        # shellcheck disable=SC2086
        compare host $models
    else
        target=cortex-$core
        [ "$core" != few ] || target=any
        for program in $some; do
            emit "$program" "$target" || fail "$program: $(cat log)"
        done
        # shellcheck disable=SC2086
        compare "$core" $some
    fi
done
