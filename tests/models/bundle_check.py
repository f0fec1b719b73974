# SPDX-License-Identifier: Apache-2.0
"""Bundled programs between `rushlight` and ExecuTorch: each reads and runs what the other one wrote.

usage: bundle_check.py MODEL.pt2 CALIBRATION.npz
"""

import importlib.util
import json
import os
import struct
import subprocess
import sys
import tempfile

if importlib.util.find_spec("torch") is None:
    print("skipped: ExecuTorch's bundled programs need PyTorch: scripts/bootstrap --python installs it")
    sys.exit(77)

from executorch.devtools.bundled_program import schema
from executorch.devtools.bundled_program.serialize import (
    _bundled_program_schema_to_flatbuffer,
    deserialize_from_flatbuffer_to_bundled_program,
)
from executorch.extension.pybindings.portable_lib import _load_bundled_program_from_buffer

RUSHLIGHT = os.environ["RUSHLIGHT"]


def run(*words, status=0):
    result = subprocess.run([RUSHLIGHT, *words, "--json"], capture_output=True, text=True)
    if result.returncode != status:
        sys.exit(f"rushlight {' '.join(words)}: status {result.returncode}, {result.stderr}")
    return json.loads(result.stdout)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def expect(holds, what):
    if not holds:
        sys.exit(f"does not hold: {what}")


def check_reading(folder, model, data):
    """ExecuTorch's reader finds the program, its cases, and in them the outputs that `run` gives."""
    program, bundle = os.path.join(folder, "int8.pte"), os.path.join(folder, "int8.bpte")
    report = run("compile", model, "-o", program, "--calibrate", data, "--bundle")
    parts = deserialize_from_flatbuffer_to_bundled_program(read(bundle))
    (suite,) = parts.method_test_suites
    expect(bytes(parts.program) == read(program), "the program in the bundle is the one beside it")
    expect(suite.method_name == "forward", "the cases are those of forward")
    expect(len(suite.test_cases) == report["bundle"]["cases"] > 1, "there are as many cases as compile says")
    found = run("run", program, "--input", data)["outputs"][0]
    first = suite.test_cases[0].expected_outputs[0].val
    expect(list(first.sizes) == [1, *found["shape"][1:]], "outputs have the sizes that run gives")
    expect(len(bytes(first.data)) == 4 * len(found["data"]) // found["shape"][0], "and as many elements")
    return parts


def check_their_runtime(folder, model, data):
    """ExecuTorch's runtime, with its own kernels, passes the cases of a float program."""
    path = os.path.join(folder, "float.bpte")
    run("compile", model, "-o", path, "--calibrate", data, "--quantize", "none", "--bundle")
    content = read(path)
    for case in range(2):
        bundle = _load_bundled_program_from_buffer(content)
        try:
            print(bundle.verify_result_with_bundled_expected_output("forward", case, 1e-4, 1e-5))
        except RuntimeError as error:
            sys.exit(f"ExecuTorch's runtime does not give what case {case} expects: {error}")
    number = deserialize_from_flatbuffer_to_bundled_program(content).method_test_suites[0].test_cases[0]
    first = struct.unpack_from("<f", bytes(number.expected_outputs[0].val.data))[0]
    at = content.index(struct.pack("<f", first))
    damaged = content[:at] + struct.pack("<f", first + 1) + content[at + 4 :]
    try:
        _load_bundled_program_from_buffer(damaged).verify_result_with_bundled_expected_output("forward", 0, 1e-4, 1e-5)
    except RuntimeError:
        return
    sys.exit("ExecuTorch's runtime did not compare the outputs")


def check_theirs(folder, parts):
    """`run` passes the cases of a bundle that ExecuTorch's writer made, and notices a wrong one."""
    path = os.path.join(folder, "theirs.bpte")
    with open(path, "wb") as file:
        file.write(_bundled_program_schema_to_flatbuffer(parts))
    found = run("run", path)["bundle"]
    expect(found["identical"] == found["passed"] == found["cases"] > 1, f"all cases pass: {found}")
    last = parts.method_test_suites[0].test_cases[-1].expected_outputs[0].val
    expect(isinstance(last, schema.Tensor), "an output is a tensor")
    data = bytearray(bytes(last.data))
    data[3] ^= 0x80  # the sign of the first float
    last.data = bytes(data)
    with open(path, "wb") as file:
        file.write(_bundled_program_schema_to_flatbuffer(parts))
    found = run("run", path, status=1)["bundle"]
    expect(found["failed"] == [found["cases"] - 1], f"the changed case fails: {found}")


def main(model, data):
    with tempfile.TemporaryDirectory() as folder:
        parts = check_reading(folder, model, data)
        check_their_runtime(folder, model, data)
        check_theirs(folder, parts)
    print("bundles agree")


if __name__ == "__main__":
    main(*sys.argv[1:])
