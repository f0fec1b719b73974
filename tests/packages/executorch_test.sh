#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: executorch_test.sh
# The package for ExecuTorch: its example runs a program on the runtime of the PyPI package executorch, with our
# operators in its registry, and gives the scores of our runtime on the host. For the cores the registration is compiled
# against the headers of that package, which has no library for them.
set -eu
. "$(dirname "$0")/common.sh"
executorch=$("$top/build/python/bin/python" -c 'import executorch; print(*executorch.__path__)' 2>"$folder/log") ||
    executorch=''
if [ ! -f "$executorch/lib/libexecutorch.so" ]; then
    echo "build/python has no ExecuTorch with a library to link: scripts/bootstrap --python installs it"
    exit 77
fi
make_package executorch
package=$(echo "$out"/executorch/rushlight-*[0-9])
expect_lines
cmake_build "$package/example" "$folder/host" -DEXECUTORCH="$executorch" -DCMAKE_BUILD_TYPE=Release
"$folder/host/digits" | diff "$folder/expected" - || fail "other scores on ExecuTorch's runtime than on ours"

# Networks with most integer operators, some in floating point, one with a state: each output of each sample.
cat >>"$folder/run.cmake" <<CMAKE
add_executable(run "$top/tests/packages/executorch/run.cpp")
target_link_libraries(run PRIVATE rushlight_executorch \${EXECUTORCH}/lib/libexecutorch.so m)
CMAKE
cat "$folder/run.cmake" >>"$package/example/CMakeLists.txt"
cmake_build "$package/example" "$folder/host" -DEXECUTORCH="$executorch" -DCMAKE_BUILD_TYPE=Release

# expect_bytes MODEL DATA INPUT [OPTION...]: the bytes of our runtime for the input that DATA, an .npz, calls INPUT.
expect_bytes() {
    model=$1 data=$2 input=$3
    shift 3
    rm -rf "$folder/ours" "$folder/data" "$folder"/theirs.*
    mkdir "$folder/ours" "$folder/data"
    "$RUSHLIGHT" compile "$model" -o "$folder/model.pte" --calibrate "$data" --target any "$@" >"$folder/log" 2>&1 ||
        fail "$model does not compile: $(tail -1 "$folder/log")"
    "$RUSHLIGHT" run "$folder/model.pte" --input "$data" -o "$folder/ours.npz" >"$folder/log" || fail "$model: run"
    (cd "$folder/ours" && cmake -E tar xf ../ours.npz && cd "$folder/data" && cmake -E tar xf "$data")
    "$folder/host/run" "$folder/model.pte" "$folder/data/$input.npy" "$folder/theirs" >"$folder/output" 2>&1 ||
        fail "$model on ExecuTorch's runtime: $(tail -3 "$folder/output")"
    if grep -q 'is not a name' "$folder/output"; then fail "$(cat "$folder/output")"; fi
    outputs=0
    for output in $(cd "$folder/ours" && find . -name '*.npy' | sort -t _ -k 2n); do
        tail -c "$(wc -c <"$folder/theirs.$outputs")" "$folder/ours/$output" | cmp -s - "$folder/theirs.$outputs" ||
            fail "$model $*: other bytes in $output"
        [ -s "$folder/theirs.$outputs" ] || fail "$model $*: nothing in $output"
        outputs=$((outputs + 1))
    done
    if [ $outputs -eq 0 ] || [ -e "$folder/theirs.$outputs" ]; then fail "$model $*: another number of outputs"; fi
}
fixtures=$top/tests/fixtures
expect_bytes "$fixtures/digits/digits.pt2" "$fixtures/digits/calibration.npz" image --for executorch
for name in attention arithmetic layers norms spectra transforms volumes windows; do
    expect_bytes "$fixtures/composed/$name.pt2" "$fixtures/composed/$name.npz" input
done
expect_bytes "$fixtures/composed/layers.pt2" "$fixtures/composed/layers.npz" input --quantize none
for name in gru lstm rnn; do
    expect_bytes "$fixtures/recurrent/$name.pt2" "$fixtures/recurrent/$name.calib.npz" x
done
expect_bytes "$fixtures/state/recurrent.pt2" "$fixtures/state/recurrent.npz" input

# Without one operator ExecuTorch names what is missing: it has no other kernels of cortex_m.
sed -i '/rl_kernel_cm_quantized_add>/d' "$package/example/main.cpp"
nice ninja -C "$folder/host" >"$folder/log" 2>&1 || fail "one operator less: $(cat "$folder/log")"
if "$folder/host/digits" >"$folder/output" 2>&1; then fail "it runs without an operator of the program"; fi
grep -q 'cortex_m::quantized_add' "$folder/output" || fail "another error: $(cat "$folder/output")"

for core in m4 m55; do
    # shellcheck disable=SC2046
    arm-none-eabi-g++ $(flags_of $core) -std=c++17 -Os -fno-exceptions -fno-rtti -Wall -Wextra -Werror \
        -I"$package/src" -I"$package/executorch" -isystem "$executorch/include" \
        -isystem "$executorch/include/executorch/runtime/core/portable_type/c10" -DC10_USING_CUSTOM_GENERATED_MACROS \
        -c "$package/executorch/rushlight_kernels.cpp" -o "$folder/$core.o" >"$folder/log" 2>&1 ||
        fail "does not compile for $core: $(head -20 "$folder/log")"
done
