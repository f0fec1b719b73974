#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Gives check-layers, check-style, check-paths, check-links, check-symbols, check-shell and workflows_test.sh trees that
# break one rule each: they must fail and name the place.
set -eu
scripts=$(cd "$(dirname "$0")/../../scripts" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# expect STATUS TEXT COMMAND...
expect() {
    expected=$1 text=$2 status=0
    shift 2
    output=$("$@" 2>&1) || status=$?
    case $status:$output in
    "$expected:"*"$text"*) ;;
    *)
        echo "FAIL: $*: status $status, expected $expected; printed '$output', expected '$text'"
        failures=$((failures + 1))
        ;;
    esac
}

# layer_file FILE LINE: a tree with this line in this file, beside a clean kernel.
layer_file() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree/kernels/cmsis_nn/include" "$work/tree/include/rushlight/kernels" "$work/tree/$(dirname "$1")"
    echo '#include "rushlight/kernels/layer.h"' >"$work/tree/kernels/add.c"
    : >"$work/tree/include/rushlight/kernels/layer.h"
    : >"$work/tree/kernels/cmsis_nn/include/arm_nn_types.h"
    : >"$work/tree/include/rushlight/runtime.h"
    echo "$2" >>"$work/tree/$1"
}

layer_file kernels/add.c '#include <string.h>'
expect 0 '' "$scripts/check-layers" "$work/tree"
layer_file runtime/run.c '#include "rushlight/kernels/layer.h"'
expect 0 '' "$scripts/check-layers" "$work/tree"
layer_file kernels/cmsis_nn/add.c '#include "arm_nn_types.h"'
expect 0 '' "$scripts/check-layers" "$work/tree"
for file in kernels/add.c runtime/run.c; do
    layer_file $file '#include "arm_nn_types.h"'
    expect 1 "\"arm_nn_types.h\" is CMSIS-NN's API" "$scripts/check-layers" "$work/tree"
done
layer_file kernels/add.c '#include "rushlight/runtime.h"'
expect 1 'kernels/add.c:2: "rushlight/runtime.h" is in runtime' "$scripts/check-layers" "$work/tree"
layer_file format/read.c '#include "../kernels/cmsis_nn/include/arm_nn_types.h"'
expect 1 'is in kernels; format may include only: format' "$scripts/check-layers" "$work/tree"
layer_file runtime/run.c '#include "missing.h"'
expect 1 '"missing.h" is in nowhere' "$scripts/check-layers" "$work/tree"
layer_file runtime/run.c '#include <stdio.h>'
expect 1 'runtime/run.c:1: <stdio.h> is not freestanding' "$scripts/check-layers" "$work/tree"

# tree_file FILE: a tree with what is on stdin in this file.
tree_file() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree/$(dirname "$1")"
    cat >"$work/tree/$1"
}

licence='// SPDX-License-Identifier: Apache-2.0'
# lines COUNT TEXT
lines() {
    awk -v count="$1" -v text="$2" 'BEGIN { for (i = 0; i < count; i++) print text }'
}
{ echo "$licence" && echo 'int f(void)' && echo '{' && lines 78 '    g();' && echo '}'; } | tree_file kernels/add.c
expect 0 '' "$scripts/check-style" "$work/tree"
{ echo "$licence" && echo 'int f(void)' && echo '{' && lines 79 '    g();' && echo '}'; } | tree_file kernels/add.c
expect 1 'kernels/add.c:3: a function of 81 lines' "$scripts/check-style" "$work/tree"
{ echo "$licence" && lines 500 '//'; } | tree_file cli/main.c
expect 1 'cli/main.c: more than 500 lines' "$scripts/check-style" "$work/tree"
echo 'int f(void);' | tree_file cli/main.h
expect 1 'cli/main.h:1: the licence line is missing' "$scripts/check-style" "$work/tree"
{ echo "$licence" && printf '%0121d\n' 0; } | tree_file ops/ops.def
expect 1 'ops/ops.def:2: more than 120 columns' "$scripts/check-style" "$work/tree"
{ echo "$licence" && echo '#ifdef __ARM_FEATURE_DSP'; } | tree_file kernels/add.c
expect 1 'kernels/add.c: asks for the instruction set' "$scripts/check-style" "$work/tree"
for text in 'x = a ? b : c ? d : e;' 'x = f((int)(a < 0 ? 0 : g(a) ? 1 : a), ")");' "x = a ? '(' : f(b, c) ? d : e;" \
    'x = a   ? b // ;\n    : c ? d\n          : e;'; do
    printf '%s\n'"$text"'\n' "$licence" | tree_file cli/main.c
    expect 1 ': a chained condition' "$scripts/check-style" "$work/tree"
done
for text in 'f(a ? b : c, d ? e : f);' 'x = a ? (b ? c : d) : e[f ? 0 : 1]; // ? a : b ? c' 'f("? : ?", a ? b : c);' \
    'for (x = a ? b : c; d; e ? f() : g()) {\n    y = x ? 1 : 0;\n}' \
    'enum { FEW = RL_HAS_MVE ? 2 : RL_SMALL ? 0 : 1 };'; do
    printf '%s\n'"$text"'\n' "$licence" | tree_file cli/main.c
    expect 0 '' "$scripts/check-style" "$work/tree"
done
long=$(lines 24 ' word' | tr -d '\n') # 120 columns
for file in kernels/CMakeLists.txt boards/m0/board.cmake tests/run_test.sh python/export.py docs/trust.md; do
    echo "$long" | tree_file "$file"
    expect 0 '' "$scripts/check-style" "$work/tree"
    printf 'a line\n%ss\n' "$long" | tree_file "$file"
    expect 1 "$file:2: more than 120 columns" "$scripts/check-style" "$work/tree"
done
fence='```'
for text in "| table$long" "    code$long" "see https://example.org/ $long" \
    "$(printf '%s\n%ss\n%s' "$fence" "$long" "$fence")" "$(echo "$long" | sed 's/word/w→rd/g')"; do
    echo "$text" | tree_file docs/trust.md
    expect 0 '' "$scripts/check-style" "$work/tree"
done

# The names are put together here, so that this file has none itself.
slash=/
for path in "${slash}home/me" "see '${slash}root/model'" "-I${slash}Users/me" "=${slash}work/main" \
    "${slash}tmp/me/model" "lib${slash}site-packages" \
    "File \"${slash}opt/model.py\"" "File \\\"${slash}opt/model.py\\\""; do
    printf '\000%s\n' "$path" | tree_file docs/model.pte
    expect 1 'docs/model.pte: names a folder of the machine that wrote it' "$scripts/check-paths" "$work/tree"
done
echo "${slash}tmp/test-XXXXXX and build/work/model.pte and /usr/lib" | tree_file docs/model.md
expect 0 '' "$scripts/check-paths" "$work/tree"
echo "${slash}home/me" | tree_file model.json
(cd "$work/tree" && cmake -E tar cf model.pt2 --format=zip model.json && rm model.json)
expect 1 'model.pt2/model.json: names a folder of the machine that wrote it' "$scripts/check-paths" "$work/tree"

for link in '[a](missing.md)' '[a](#nothing)' '[a](../README.md#nothing)' '[a](..)' 'two
lines [a
b](missing.md)'; do
    echo "$link" | tree_file docs/page.md
    echo '# Title' >"$work/tree/README.md"
    expect 1 'scripts/check-links: docs/page.md:' "$scripts/check-links" "$work/tree"
done
tree_file docs/page.md <<'END'
# The `--json` of [it](../README.md), twice
[a](#the---json-of-it-twice) [b](../README.md#title-1) [c](https://example.org/nothing) `[d](missing.md)`
```
[e](missing.md)
```
END
printf '# Title\n# Title\n' >"$work/tree/README.md"
expect 0 '' "$scripts/check-links" "$work/tree"

# library CODE: a build folder whose kernels are this C code.
library() {
    rm -rf "$work/build"
    mkdir "$work/build"
    echo "$1" | "${CC:-cc}" -x c -c -o "$work/build/kernel.o" -
    ar rc "$work/build/librushlight_kernels.a" "$work/build/kernel.o"
}

library 'void *memcpy(void *, const void *, unsigned long);
         void arm_copy(void *a, void *b, unsigned long n) { memcpy(a, b, n); }'
expect 0 '' "$scripts/check-symbols" "$work/build"
library 'void copy(void) {}'
expect 1 "exports 'copy'" "$scripts/check-symbols" "$work/build"
library 'void *malloc(unsigned long); void *arm_copy(void) { return malloc(3); }'
expect 1 "needs 'malloc'" "$scripts/check-symbols" "$work/build"
for name in sinf expm1 log10f pow; do
    library "double $name(double, double); double arm_number(double x) { return $name(x, x); }"
    mv "$work/build/librushlight_kernels.a" "$work/build/librushlight_compiler.a"
    ar rc "$work/build/librushlight_kernels.a"
    expect 1 "needs '$name', whose result depends on the C library" "$scripts/check-symbols" "$work/build"
done
library 'double fmod(double, double); double arm_number(double x) { return fmod(x, x); }'
mv "$work/build/librushlight_kernels.a" "$work/build/librushlight_compiler.a"
ar rc "$work/build/librushlight_kernels.a"
expect 0 '' "$scripts/check-symbols" "$work/build"
expect 1 'scripts/build makes it' "$scripts/check-symbols" "$work/tree"

# shellcheck disable=SC2016 # the dollar signs are for the scripts that it writes
if command -v shellcheck >/dev/null; then
    printf '#!/bin/sh\necho "$1"\n' | tree_file scripts/run
    chmod +x "$work/tree/scripts/run"
    expect 0 '' "$scripts/check-shell" "$work/tree"
    printf '#!/bin/sh\necho $1\n' >"$work/tree/scripts/run"
    expect 1 './scripts/run:2:6: note: Double quote' "$scripts/check-shell" "$work/tree"
    printf '#!/bin/bash\necho "$1"\n' >"$work/tree/scripts/run"
    expect 1 './scripts/run: is not a script for /bin/sh' "$scripts/check-shell" "$work/tree"
    printf '# shellcheck shell=sh\nlocal=$(ls)\nread line\n' | tree_file tests/common.sh
    expect 1 'tests/common.sh:3:1: ' "$scripts/check-shell" "$work/tree"
fi

# workflow LINE: a tree whose workflow ends with this line.
workflows_test=$(dirname "$0")/workflows_test.sh
workflow() {
    printf '%s\n' 'name: ci' 'on:' '  push:' 'permissions:' '  contents: read' 'jobs:' '  test:' '    steps:' \
        '      - run: scripts/test' "$1" | tree_file .github/workflows/ci.yml
    mkdir -p "$work/tree/scripts" "$work/tree/docs" "$work/tree/.github/ISSUE_TEMPLATE"
    printf '#!/bin/sh\n# usage: scripts/test [--all]\nset -u # --none\n' >"$work/tree/scripts/test"
    chmod +x "$work/tree/scripts/test"
    for page in . docs .github .github/ISSUE_TEMPLATE; do echo "scripts/test" >"$work/tree/$page/PAGE.md"; done
}

workflow '      - run: scripts/test --all'
expect 0 '' "$workflows_test" "$work/tree"
workflow '      - run: scripts/test --none'
expect 1 'ci.yml: scripts/test has no --none' "$workflows_test" "$work/tree"
workflow '      - run: scripts/tests'
expect 1 'ci.yml: there is no scripts/tests' "$workflows_test" "$work/tree"
workflow '      - uses: actions/checkout@main'
expect 1 'an action of no fixed version' "$workflows_test" "$work/tree"
workflow '       - run: scripts/test'
expect 1 'ci.yml:10:       - run: scripts/test: not as simple' "$workflows_test" "$work/tree"

# action OPTION LINE: an action that runs the script with this option and has this line, beside a right workflow.
action() {
    workflow '      - run: scripts/test --all'
    mkdir -p "$work/tree/.github/actions/do"
    printf '%s\n' 'name: do' 'description: does' 'runs:' '  using: composite' '  steps:' '    - shell: sh' \
        "      run: '\"\$GITHUB_ACTION_PATH/../../../scripts/test\" $1'" "$2" \
        >"$work/tree/.github/actions/do/action.yml"
}

action --all ''
expect 0 '' "$workflows_test" "$work/tree"
action --none ''
expect 1 'do/../../../scripts/test has no --none' "$workflows_test" "$work/tree"
action --all '    - run: exit 1'
expect 1 'action.yml: no shell' "$workflows_test" "$work/tree"
action --all '    - run: |'
expect 1 'not as simple' "$workflows_test" "$work/tree"
action --all '' && sed -i '/description/d' "$work/tree/.github/actions/do/action.yml"
expect 1 "action.yml: no 'description:'" "$workflows_test" "$work/tree"
workflow '      - run: scripts/test --all'
echo 'as scripts/tests does' >"$work/tree/docs/PAGE.md"
expect 1 'docs/PAGE.md: there is no scripts/tests' "$workflows_test" "$work/tree"
[ $failures -eq 0 ]
