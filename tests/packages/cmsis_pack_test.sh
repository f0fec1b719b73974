#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: cmsis_pack_test.sh CORE...
# The CMSIS-Pack: its description is complete and names every file, and its example, built from what the description
# and the csolution project name, gives the scores of the host on each core. The component of kernels alone takes the
# place of CMSIS-NN under code written for that: tests/linking.
set -eu
. "$(dirname "$0")/common.sh"
make_package cmsis-pack
pack=$out/cmsis-pack/Rushlight.Rushlight
pdsc=$pack/Rushlight.Rushlight.pdsc
example=$pack/Examples/Digits

xmllint --noout "$pdsc" || fail "the description is not XML"
# find_in_pdsc XPATH: the values of attributes.
find_in_pdsc() {
    xmllint --xpath "$1" "$pdsc" | sed 's/^[^"]*"//; s/"$//'
}

# component GROUP CATEGORY: the files of a component.
component() {
    find_in_pdsc "//component[@Cgroup='$1']/files/file[@category='$2']/@name" | sed "s:^:$pack/:"
}

[ "$(find_in_pdsc '//releases/release[1]/@version')" = \
    "$(sed -n 's/^#define RL_VERSION_STRING "\(.*\)"$/\1/p' "$top/include/rushlight/version.h")" ] ||
    fail "another version than that of the headers"
find_in_pdsc '//component/files/file/@name' | while read -r file; do
    [ -e "$pack/$file" ] || fail "$file is not in the pack"
done
{
    component 'NN Lib' source
    component Rushlight source
} | sort >"$folder/listed"
find "$pack/Source" -name '*.c' | sort | diff "$folder/listed" - ||
    fail "the components miss sources, or name them twice"
(cd "$pack" && find . -type f | sed 's/^\.\///' | sort) >"$folder/files"
unzip -Z1 "$out"/cmsis-pack/*.pack | sort | diff "$folder/files" - || fail "the archive has other files than the folder"
load=$(find_in_pdsc '//example/project/environment/@load')
[ -f "$example/$load" ] || fail "the example has no $load"
[ -f "$example/$(sed -n 's/^.*- project: //p' "$example/$load")" ] || fail "$load names a project that is not there"
sed -n 's/^ *- file: //p' "$example/digits.cproject.yml" | sed "s:^:$example/:" >"$folder/example"
for name in 'CMSIS:NN Lib' 'Machine Learning:Rushlight:Runtime'; do
    grep -q -e "- component: Rushlight::$name$" "$example/digits.cproject.yml" || fail "the project lacks $name"
done

expect_lines
for core in "$@"; do
    flags="$(flags_of "$core") -std=c11 -Os -ffunction-sections -fdata-sections -Wall -Wextra -Werror -D_RTE_"
    for include in $(component 'NN Lib' include); do
        flags="$flags -I$include"
    done
    component 'NN Lib' source | compile "$folder/$core.kernels" "$flags"
    component Rushlight source | compile "$folder/$core" "$flags"
    compile "$folder/$core" "$flags" <"$folder/example"
    add_board "$core" "$folder/$core" "$pack/Source"
    mkdir "$folder/$core.user"
    cp "$folder/$core"/*.o "$folder/$core.user"
    cp "$folder/$core.kernels"/*.o "$folder/$core"
    link "$core" "$folder/$core" "$folder/$core.elf"
    expect_scores "$core" "$folder/$core.elf"

    # Code written for CMSIS-NN, with the kernels and nothing else of the pack but what start-up calls.
    rm -r "$folder/$core.user"
    cp -r "$folder/$core.kernels" "$folder/$core.user"
    add_board "$core" "$folder/$core.user" "$pack/Source"
    find "$pack/Source/rushlight/device/runtime" -name core.c | compile "$folder/$core.user" "$flags"
    echo "$top/tests/linking/linking_test.c" | compile "$folder/$core.user" "$flags -I$top/tests"
    link "$core" "$folder/$core.user" "$folder/$core.user.elf"
    RL_TIMEOUT=60 "$top/scripts/run-on" "$core" "$folder/$core.user.elf" >"$folder/output" ||
        fail "code for CMSIS-NN on $core: $(cat "$folder/output")"
done
