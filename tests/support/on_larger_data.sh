#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: on_larger_data.sh FOLDER COMMAND...
# Runs COMMAND... FOLDER, a test on data that lies outside the repository. Without the folder the test is skipped.
set -eu
folder=$1
shift
if [ ! -d "$folder" ]; then
    echo "skipped: there is no $folder"
    exit 77
fi
exec "$@" "$folder"
