# SPDX-License-Identifier: Apache-2.0
# For scripts that call the program and build what it writes; sourced with `top` set. They work in a folder of their
# own, which is removed when they end.
# shellcheck shell=sh disable=SC2034,SC2154
digits=$top/tests/fixtures/digits
folder=$(mktemp -d)
proxy= # of `serve`
trap '[ -z "$proxy" ] || kill "$proxy"; rm -rf "$folder"' EXIT
cd "$folder" || exit 1

fail() {
    echo "$*" >&2
    exit 1
}

# refused STATUS SENTENCE COMMAND...: the command ends with this status and a message that has the sentence.
refused() {
    expected=$1 sentence=$2 status=0
    shift 2
    "$@" >log 2>&1 || status=$?
    [ $status -eq "$expected" ] || fail "status $status, not $expected: $(cat log)"
    grep -q -- "$sentence" log || fail "no '$sentence' in: $(cat log)"
}

# build PROJECT [TARGET]: with the commands of its README, without a warning.
build() {
    (cd "$1" && cmake -B build && cmake --build build -j2 ${2:+--target "$2"}) >log 2>&1 ||
        fail "$1 does not build: $(tail -n 20 log)"
    ! grep -i 'warning:' log || fail "$1 builds with a warning"
}

# validated STATUS SENTENCE OPTION...: `validate` ends with this status and tells the sentence.
validated() {
    expected=$1 sentence=$2 status=0
    shift 2
    timeout 120 "$RUSHLIGHT" validate "$@" >log 2>&1 || status=$?
    [ $status -eq "$expected" ] || fail "validate $*: status $status, not $expected: $(cat log)"
    grep -q -- "$sentence" log || fail "validate $*: no '$sentence' in: $(cat log)"
}

# serve LINE FAULT WAY BYTE MACHINE ELF: runs a firmware behind a serial line (faulty_line.c) until `unserve`. Its port
# is in the file `port`.
serve() {
    rm -f port
    "$@" >port 2>proxy.log &
    proxy=$!
    tries=0
    until [ -s port ]; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || fail "no line: $(cat proxy.log)"
        sleep 0.05
    done
}

unserve() {
    kill "$proxy"
    wait "$proxy" 2>/dev/null || true
    proxy=
}
