# SPDX-License-Identifier: Apache-2.0
# What the tests of the packages share, to be read with `.`: $top, the sources; $folder, which goes away at the end;
# $out, where packages are made. Skips where the tools for an emulated core are missing.
# shellcheck shell=sh disable=SC2034
top=$(cd "$(dirname "$0")/../.." && pwd)
for tool in arm-none-eabi-gcc qemu-system-arm cmake ninja make zip xmllint; do
    if ! command -v $tool >/dev/null; then
        echo "$tool is not installed: scripts/bootstrap does"
        exit 77
    fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
out=$folder/packages
gcc="${CMAKE_C_COMPILER_LAUNCHER:-} arm-none-eabi-gcc"
# ccache, where it is used, finds what an earlier run compiled in another folder.
export CCACHE_BASEDIR="$folder"
cd "$folder" || exit 1

# fail SENTENCE
fail() {
    echo "FAIL: $1"
    exit 1
}

# make_package NAME
make_package() {
    "$top/scripts/package" "$1" -o "$out" >"$folder/log" 2>&1 || fail "no package $1: $(cat "$folder/log")"
}

# expect_lines: writes $folder/expected, the lines that the example prints, as the host computes them.
expect_lines() {
    digits=$top/tests/fixtures/digits
    "$RUSHLIGHT" compile "$digits/digits.pt2" -o "$folder/digits.pte" --calibrate "$digits/calibration.npz" \
        --target any >"$folder/log" || fail "the digits do not compile"
    drawing=$(sed -n 's/^static const char drawing.*"\(.*\)";$/\1/p' "$top/packages/example/digits.c")
    {
        printf '\223NUMPY\001\000\166\000'
        printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 8, 8), }"
        # shellcheck disable=SC2059
        printf "$(echo "$drawing" | sed 's/ /\\000\\000\\000\\000/g; s/+/\\000\\000\\000\\077/g;
            s/#/\\000\\000\\200\\077/g')"
    } >"$folder/image.npy"
    "$RUSHLIGHT" run "$folder/digits.pte" --input "$folder/image.npy" -o "$folder/scores.npz" --json >"$folder/json"
    mkdir "$folder/scores"
    (cd "$folder/scores" && cmake -E tar xf ../scores.npz && tail -c 40 ./*.npy | od -An -v -tx4 -w4) >"$folder/bits"
    awk '/"data"/ { inside = 1; next } /]/ { inside = 0 } inside { printf "%d\n", $1 * 1000 }' "$folder/json" |
        paste - "$folder/bits" | awk '{ print NR - 1 ": " $1 " thousandths (" $2 ")" }' >"$folder/expected"
    [ "$(grep -c ': .* thousandths (........)$' "$folder/expected")" -eq 10 ] || fail "the host gives no ten scores"
    [ "$(sort -k2 -n "$folder/expected" | tail -n 1 | cut -c1)" = 3 ] || fail "the host does not see a three"
}

# flags_of CORE: those of the board.
flags_of() {
    sed -n 's/^set(RL_BOARD_FLAGS "\(.*\)")$/\1 -mthumb/p' "$top/boards/$1/board.cmake"
}

# cmake_build SOURCE BUILD [OPTION...]
cmake_build() {
    source=$1 build=$2
    shift 2
    { cmake -G Ninja -S "$source" -B "$build" "$@" && nice ninja -j2 -C "$build"; } >"$folder/log" 2>&1 ||
        fail "$source does not build: $(grep -v '^\[' "$folder/log" | tail -30)"
}

# compile OBJECTS FLAGS: compiles the files that standard input names, two at a time, into the folder OBJECTS. Objects
# have the names of files without their folders, so two files of one name are an error.
compile() {
    mkdir -p "$1"
    cat >"$folder/list"
    twice=$(sed 's/.*\///' "$folder/list" | sort | uniq -d)
    [ -z "$twice" ] || fail "there are two files with each of these names: $twice"
    # shellcheck disable=SC2016
    tr '\n' '\0' <"$folder/list" | gcc=$gcc flags=$2 objects=$1 nice xargs -0 -P 2 -n 1 \
        sh -c '$gcc $flags -c "$1" -o "$objects/$(basename "$1").o"' - >"$folder/log" 2>&1 ||
        fail "does not compile with $2: $(head -40 "$folder/log")"
    [ ! -s "$folder/log" ] || fail "warnings with $2: $(head -40 "$folder/log")"
}

# add_board CORE OBJECTS TREE: the start-up code of the emulated board, with the headers in TREE.
add_board() {
    find "$top/boards/common" -name '*.c' | sort |
        compile "$2" "$(flags_of "$1") -std=c11 -O2 -I$3 -I$top/boards/common"
}

# link CORE OBJECTS ELF [OPTION...]: all objects as a firmware for the emulated board.
link() {
    core=$1 objects=$2 elf=$3
    shift 3
    # shellcheck disable=SC2046
    arm-none-eabi-gcc $(flags_of "$core") "$objects"/*.o --specs=nano.specs -nostartfiles -L"$top/boards/$core" \
        -T"$top/boards/common/sections.ld" -Wl,--gc-sections "$@" -lm -o "$elf" >"$folder/log" 2>&1 ||
        fail "does not link for $core: $(head -20 "$folder/log")"
}

# expect_scores CORE ELF: the firmware prints what the host computes.
expect_scores() {
    RL_TIMEOUT=60 "$top/scripts/run-on" "$1" "$2" >"$folder/output" || fail "status $?: $(cat "$folder/output")"
    grep thousandths "$folder/output" | diff "$folder/expected" - || fail "other scores on $1 than on the host"
}
