# SPDX-License-Identifier: Apache-2.0
"""ExecuTorch's own deserializer must find in our programs what `rushlight inspect` says, and its runtime must compute
the float program's outputs.

usage: executorch_check.py FOLDER   (with a model, calibration and test data like tests/fixtures/digits)"""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

RUSHLIGHT = os.environ["RUSHLIGHT"]
SCALAR_TYPES = {"BYTE": "uint8", "CHAR": "int8", "SHORT": "int16", "INT": "int32", "LONG": "int64", "FLOAT": "float32"}


def rushlight(*words):
    """The JSON object that a verb prints."""
    result = subprocess.run([RUSHLIGHT, *words, "--json"], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"rushlight {' '.join(words)}: {result.stderr}")
    return json.loads(result.stdout)


def check(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: expected {expected}, found {found}")


def package_folder():
    """Where the package is, found without importing it: its modules need torch, its deserializer does not."""
    return importlib.util.find_spec("executorch").submodule_search_locations[0]


def deserialize(path, folder):
    """The program as ExecuTorch's flatc and schema read it, every default filled in."""
    package = package_folder()
    flatc, schema = os.path.join(package, "data/bin/flatc"), os.path.join(package, "schema/program.fbs")
    os.chmod(flatc, 0o755)
    options = ["--json", "--strict-json", "--defaults-json", "--raw-binary", "-o", folder]
    subprocess.run([flatc, *options, schema, "--", path], check=True)
    with open(os.path.splitext(path)[0] + ".json", encoding="utf-8") as file:
        return json.load(file)


def check_tensor(tensor, ours, index):
    check(SCALAR_TYPES[tensor["scalar_type"]], ours["dtype"], f"type of value {index}")
    check(tensor["sizes"], ours["shape"], f"sizes of value {index}")
    check(tensor["dim_order"], ours["dim_order"], f"dim_order of value {index}")
    check(tensor["data_buffer_idx"], ours.get("constant", 0), f"constant of value {index}")
    if "allocation_info" in tensor:
        check(tensor["allocation_info"]["memory_offset_low"], ours["offset"], f"offset of value {index}")


def check_deserialized(path, folder):
    """Compares operators, calls, tensors, sizes and memory."""
    inspected = rushlight("inspect", path)
    (plan,) = deserialize(path, folder)["execution_plan"]
    check(plan["name"], "forward", "method")
    (chain,) = plan["chains"]
    check(len(plan["values"]), inspected["values"], "number of values")
    check(sum(plan["non_const_buffer_sizes"]), inspected["arena_bytes"], "arena")
    calls = [plan["operators"][call["instr_args"]["op_index"]] for call in chain["instructions"]]
    expected = [(call["op"], call["overload"]) for call in inspected["instructions"]]
    check([(call["name"], call["overload"]) for call in calls], expected, "calls")
    tensors = {tensor["value"]: tensor for tensor in inspected["tensors"]}
    for index, value in enumerate(plan["values"]):
        check(value["val_type"] == "Tensor", index in tensors, f"value {index} is a tensor")
        if index in tensors:
            check_tensor(value["val"], tensors[index], index)
    for name in ("inputs", "outputs"):
        check(plan[name], [tensor["value"] for tensor in inspected[name]], name)
    print(f"{os.path.basename(path)}: {len(calls)} calls, {len(tensors)} tensors agree")


def check_float_outputs(path, data):
    """Runs the program in ExecuTorch's runtime, if the package has one for this machine."""
    try:
        import numpy as np
        import torch
        from executorch.runtime import Runtime
    except ImportError as error:
        print(f"no runtime to compare with: {error}")
        return
    arrays = np.load(data)
    inputs = arrays["image" if "image" in arrays else "input"][:8]
    method = Runtime.get().load_program(path).load_method("forward")
    for index, sample in enumerate(inputs):
        output = method.execute([torch.from_numpy(sample[None].copy())])[0].numpy()
        worst = np.abs(output[0] - arrays["output"][index]).max()
        if not worst < 1e-3:
            sys.exit(f"{path}: sample {index}: ExecuTorch's runtime differs by {worst} from PyTorch")
    print(f"{os.path.basename(path)}: ExecuTorch's runtime computes what PyTorch did")


def main(folder):
    model = os.path.join(folder, "digits.pt2")
    calibration = os.path.join(folder, "calibration.npz")
    with tempfile.TemporaryDirectory() as temporary:
        for name, options in (
            ("m55", ["--target", "cortex-m55"]),
            ("m4", ["--target", "cortex-m4"]),
            ("any", ["--target", "any", "--for", "executorch"]),
            ("int8", ["--target", "any", "--io", "int8"]),
            ("float", ["--quantize", "none", "--for", "executorch"]),
        ):
            path = os.path.join(temporary, f"{name}.pte")
            rushlight("compile", model, "-o", path, "--calibrate", calibration, *options)
            check_deserialized(path, temporary)
        check_float_outputs(os.path.join(temporary, "float.pte"), os.path.join(folder, "test.npz"))


if __name__ == "__main__":
    main(sys.argv[1])
