#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: defined_test.sh
# Every function that users of CMSIS-NN can call is in the kernels of each core that has been built.
set -eu
cd "$(dirname "$0")/../.."
names=$(grep -oE '\barm_[a-z0-9_]+\(' tests/linking/cmsis_nn_prototypes.h | tr -d '(' | sort -u)
count=$(echo "$names" | wc -l)
if [ "$count" -lt 110 ]; then
    echo "FAIL: only $count functions found in cmsis_nn_prototypes.h"
    exit 1
fi
found=0
for library in build/librushlight_kernels.a build/*/librushlight_kernels.a; do
    [ -f "$library" ] || continue
    found=$((found + 1))
    defined=$(nm --defined-only "$library" 2>/dev/null | awk '$2 == "T" { print $3 }')
    for name in $names; do
        echo "$defined" | grep -qx "$name" || {
            echo "FAIL: $library lacks $name"
            exit 1
        }
    done
done
if [ $found = 0 ]; then
    echo "no kernels in build/: scripts/build makes them"
    exit 77
fi
echo "$count functions in each of $found libraries"
