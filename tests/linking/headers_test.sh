#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: headers_test.sh
# Each public header of the kernels and of the runtime compiles alone, as C11 and as C++17, with the warnings of
# strict users; C++ calls the runtime's functions by their C names.
set -eu
cd "$(dirname "$0")/../.."
warnings="-Wall -Wextra -Wpedantic -Wconversion -Werror"
runtime="-Iinclude"

# try FOLDER COMPILER OPTION...: all headers in it.
try() {
    place=$1 compiler=$2
    shift 2
    for header in "$place"/*.h; do
        # shellcheck disable=SC2086
        printf '#include "%s"\nextern int used;\n' "$(basename "$header")" |
            "$compiler" $warnings "-I$place" "$@" -fsyntax-only - || {
            echo "FAIL: $header with $compiler"
            exit 1
        }
    done
}

try kernels/cmsis_nn/include cc -x c -std=c11 -Wshadow -Wstrict-prototypes
# shellcheck disable=SC2086
try include/rushlight cc -x c -std=c11 -Wshadow -Wstrict-prototypes $runtime
try include/rushlight/kernels cc -x c -std=c11 -Wshadow -Wstrict-prototypes -Iinclude
if ! command -v c++ >/dev/null; then
    echo "there is no C++ compiler: the headers are not tried with one"
    exit 77
fi
try kernels/cmsis_nn/include c++ -x c++ -std=c++17 -Wshadow
# Without -Wshadow: a struct and a function of one name are one thing less to remember in C.
# shellcheck disable=SC2086
try include/rushlight c++ -x c++ -std=c++17 $runtime
try include/rushlight/kernels c++ -x c++ -std=c++17 -Iinclude
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck disable=SC2086
c++ $warnings $runtime -x c++ -std=c++17 -c -o "$folder/user.o" - <<END
#include "rushlight/core.h"
#include "rushlight/operator.h"
#include "rushlight/registry.h"
const void *const used[] = {(const void *)rl_program_open, (const void *)rl_core_refusal, (const void *)rl_status_text,
                            (const void *)rl_tensor_count, (const void *)rl_call_tensor,
                            &rl_kernel_aten_relu, &rl_registry_all};
const void *use(int index) { return used[index]; }
END
for symbol in rl_program_open rl_core_refusal rl_status_text rl_tensor_count rl_call_tensor rl_kernel_aten_relu \
    rl_registry_all; do
    nm "$folder/user.o" | grep -q " U $symbol\$" || {
        echo "FAIL: C++ does not call $symbol by this name"
        exit 1
    }
done
