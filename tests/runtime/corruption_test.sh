#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: corruption_test.sh SWEEP MODEL.pt2 CALIBRATION.npz TRIALS
# Compiles a model and gives the program to SWEEP (corruption_test.c), which changes single bytes of it.
set -eu
sweep=$1 model=$2 calibration=$3 trials=$4
if [ ! -f "$model" ]; then
    echo "skipped: there is no $model"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$RUSHLIGHT" compile "$model" -o "$folder/model.pte" --calibrate "$calibration" --target cortex-m55 >"$folder/log"
"$sweep" "$folder/model.pte" "$trials"
