#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A zsh on a terminal of its own completes lines as far as they are clear when the tab key is pressed.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
if ! command -v zsh >/dev/null; then
    echo "there is no zsh: scripts/bootstrap --all installs it"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/functions" "$folder/files"
cp "$top/cli/completion.zsh" "$folder/functions/_rushlight"
touch "$folder/files/model.pte"
# What is typed before the tab key, and the line after it; _ stands for a blank at the end.
cat >"$folder/cases" <<'CASES'
rushlight insp|rushlight inspect_
rushlight compile --explic|rushlight compile --explicit-layout_
rushlight compile --quantizer st|rushlight compile --quantizer stock_
rushlight compile --io=in|rushlight compile --io=int8_
rushlight run model.pte --on ho|rushlight run model.pte --on host_
rushlight boards portenta-h|rushlight boards portenta-h7_
rushlight run mod|rushlight run model.pte_
rushlight compile --quan|rushlight compile --quantize
rushlight nothing --|rushlight nothing --
CASES
cat >"$folder/drive" <<'DRIVE'
zmodload zsh/zpty
zpty terminal "zsh -f -i"
zpty -w terminal "PROMPT= fpath=($1/functions \$fpath); cd $1/files; autoload -U compinit && compinit -u -d $1/dump"
zpty -w terminal "show() { print -r -- \"\${BUFFER/% /_}\" >>$1/found; BUFFER= }; zle -N show; bindkey '^X' show"
zpty -w terminal "print ready >$1/ready"
while [[ ! -s $1/ready ]] { sleep 0.1 }
integer done=0
while IFS='|' read -r typed expected; do
    zpty -w -n terminal "$typed"$'\t\x18'
    ((done += 1))
    repeat 100; do
        zpty -r -t terminal ignored 2>/dev/null
        [[ -s $1/found && $(wc -l <$1/found) -ge $done ]] && break
        sleep 0.1
    done
done <$1/cases
zpty -d terminal
DRIVE
ln -s "$(realpath "$RUSHLIGHT")" "$folder/functions/rushlight"
PATH=$folder/functions:$PATH timeout 120 zsh -f "$folder/drive" "$folder" >"$folder/log" 2>&1 || true
sed 's/.*|//' "$folder/cases" >"$folder/expected"
if ! diff "$folder/expected" "$folder/found"; then
    cat "$folder/log"
    exit 1
fi
