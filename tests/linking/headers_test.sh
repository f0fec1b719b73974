#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: headers_test.sh
# Each public header of the kernels compiles alone, as C11 and as C++17, with the warnings of strict users.
set -eu
cd "$(dirname "$0")/../../kernels/include"
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
for header in *.h; do
    # shellcheck disable=SC2086
    echo "#include \"$header\"" | cc -std=c11 $warnings -Wstrict-prototypes -I. -fsyntax-only -x c - || {
        echo "FAIL: $header as C11"
        exit 1
    }
done
if ! command -v c++ >/dev/null; then
    echo "there is no C++ compiler: the headers are not tried with one"
    exit 77
fi
for header in *.h; do
    # shellcheck disable=SC2086
    echo "#include \"$header\"" | c++ -std=c++17 $warnings -I. -fsyntax-only -x c++ - || {
        echo "FAIL: $header as C++17"
        exit 1
    }
done
