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
