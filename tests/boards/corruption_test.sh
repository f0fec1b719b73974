#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: corruption_test.sh CORE corruption_test.elf
# 200 corruptions of keyword spotting (ds_cnn) on an emulated core.
set -eu
core=$1 firmware=$2
top=$(dirname "$0")/../..
model=$top/tests/fixtures/stock/ds_cnn/quant.pt2
program=$RUSHLIGHT_FIRMWARE/rushlight
if [ ! -x "$program" ]; then
    echo "$program is not there: scripts/build --host builds it"
    exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" compile "$model" -o "$folder/model.pte" --target any >"$folder/log"
"$top/scripts/run-on" "$core" "$firmware" "$folder/model.pte" 200
