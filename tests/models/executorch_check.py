# SPDX-License-Identifier: Apache-2.0
"""ExecuTorch's own deserializer must find in our programs what `rushlight inspect` says, and its runtime must compute
what ours does with float programs.

usage: executorch_check.py FOLDER [MODELS]
FOLDER has a model, calibration and test data like tests/fixtures/digits. MODELS is a folder of more: MODEL/float.pt2,
calib.npz, eval.npz; it may be absent.
"""

import importlib.util
import json
import math
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


def argument(values, index):
    """A value as `rushlight inspect` shows it in a call."""
    kind, value = values[index]["val_type"], values[index]["val"]
    if kind == "Null":
        return None
    if kind == "Tensor":
        return f"%{index}"
    if kind in ("Int", "Double", "Bool", "String"):
        return value[{"Int": "int_val", "Double": "double_val", "Bool": "bool_val", "String": "string_val"}[kind]]
    items = value["items"]
    if kind == "IntList":
        return [values[item]["val"]["int_val"] for item in items]
    return [f"%{item}" for item in items] if kind in ("TensorList", "OptionalTensorList") else items


def agree(theirs, ours):
    """flatc prints twelve decimals of a number."""
    if isinstance(theirs, float) and isinstance(ours, float):
        return math.isclose(theirs, ours, rel_tol=1e-11, abs_tol=1e-12)
    return theirs == ours


def check_tensor(tensor, ours, index):
    check(SCALAR_TYPES[tensor["scalar_type"]], ours["dtype"], f"type of value {index}")
    check(tensor["sizes"], ours["shape"], f"sizes of value {index}")
    check(tensor["dim_order"], ours["dim_order"], f"dim_order of value {index}")
    check(tensor["data_buffer_idx"], ours.get("constant", 0), f"constant of value {index}")
    if "allocation_info" in tensor:
        check(tensor["allocation_info"]["memory_id"], ours["memory"], f"memory of value {index}")
        check(tensor["allocation_info"]["memory_offset_low"], ours["offset"], f"offset of value {index}")


def check_grids(plans, inspected):
    """The methods that tell scale and zero point of int8 inputs and outputs, as by ExecuTorch's QuantizeInputs."""
    told = {plan["name"]: argument(plan["values"], plan["outputs"][0]) for plan in plans}
    for side in ("input", "output"):
        for index, tensor in enumerate(inspected[side + "s"]):
            if tensor["dtype"] == "int8":
                check(agree(told.pop(f"{side}{index}_scale"), tensor["scale"]), True, f"scale of {side} {index}")
                check(told.pop(f"{side}{index}_zp"), tensor["zero_point"], f"zero point of {side} {index}")
    check(told, {}, "other methods")


def check_deserialized(path, folder):
    """Compares operators, calls, tensors, sizes and memory."""
    inspected = rushlight("inspect", path)
    plans = deserialize(path, folder)["execution_plan"]
    check([plan["name"] for plan in plans], inspected["methods"], "methods")
    plan = plans[0]
    check(plan["name"], "forward", "method")
    check_grids(plans[1:], inspected)
    (chain,) = plan["chains"]
    check(len(plan["values"]), inspected["values"], "number of values")
    check(sum(plan["non_const_buffer_sizes"]), inspected["arena_bytes"], "arena")
    calls = [plan["operators"][call["instr_args"]["op_index"]] for call in chain["instructions"]]
    expected = [(call["op"], call["overload"]) for call in inspected["instructions"]]
    check([(call["name"], call["overload"]) for call in calls], expected, "calls")
    for number, call in enumerate(chain["instructions"]):
        arguments = [argument(plan["values"], index) for index in call["instr_args"]["args"]]
        expected = inspected["instructions"][number]["args"]
        check(len(arguments), len(expected), f"number of arguments of call {number}")
        if not all(map(agree, arguments, expected)):
            check(arguments, expected, f"arguments of call {number}")
    frames = [trace["items"] for trace in chain.get("stacktrace", [])]
    check(len(frames), len(calls) if inspected["has_names"] else 0, "number of names")
    for call, (frame,) in zip(inspected["instructions"], frames):
        check((frame.get("name"), frame.get("context")), (call["layer"], call["node"]), "names")
    tensors = {tensor["value"]: tensor for tensor in inspected["tensors"]}
    for index, value in enumerate(plan["values"]):
        check(value["val_type"] == "Tensor", index in tensors, f"value {index} is a tensor")
        if index in tensors:
            check_tensor(value["val"], tensors[index], index)
    for name in ("inputs", "outputs"):
        check(plan[name], [tensor["value"] for tensor in inspected[name]], name)
    print(f"{os.path.basename(path)}: {len(calls)} calls, {len(tensors)} tensors agree")


def import_runtime():
    """numpy, torch and ExecuTorch's runtime, or None where this machine has not all of them."""
    try:
        import numpy as np
        import torch
        from executorch.runtime import Runtime
    except ImportError as error:
        print(f"no runtime to compare with: {error}")
        return None
    return np, torch, Runtime


def check_float_outputs(runtime, path, model, data, folder, samples=8):
    """Runs a program in both runtimes, on the arrays in `data` that have the names of the model's inputs."""
    np, torch, Runtime = runtime
    arrays = np.load(data)
    names = [tensor["name"] for tensor in rushlight("inspect", model)["inputs"]]
    if len(names) == 1 and names[0] not in arrays:
        names = ["input"]
    inputs = [arrays[name][:samples] for name in names]
    samples_path, taken = os.path.join(folder, "samples.npz"), os.path.join(folder, "taken.npz")
    np.savez(samples_path, **{f"input{place}": array for place, array in enumerate(inputs)})
    rushlight("run", path, "--input", samples_path, "--output", taken)
    ours = list(np.load(taken).values())
    described = rushlight("inspect", path)["inputs"]
    method = Runtime.get().load_program(path).load_method("forward")
    for index in range(len(inputs[0])):
        given = []
        for tensor, array in zip(described, inputs):
            layout = torch.channels_last if tensor["dim_order"] == [0, 2, 3, 1] else torch.contiguous_format
            sample = torch.from_numpy(array[index].copy()).reshape(tensor["shape"])
            given.append(sample.contiguous(memory_format=layout))
        results = [result.numpy() for result in method.execute(given)]
        check(len(results), len(ours), f"{path}: number of outputs")
        for theirs, found in zip(results, ours):
            worst = np.abs(theirs.reshape(found[index].shape) - found[index]).max()
            if not worst <= 1e-5 * max(1.0, np.abs(theirs).max()):
                sys.exit(f"{path}: sample {index}: ExecuTorch's runtime differs by {worst} from ours")
    print(f"{os.path.basename(path)}: ExecuTorch's runtime computes what ours does")


def check_model(name, model, calibration, data, runtime, folder):
    """Compiles a model for every kind of core and compares."""
    for suffix, options in (
        ("m55", ["--target", "cortex-m55"]),
        ("m4", ["--target", "cortex-m4"]),
        ("any", ["--target", "any", "--for", "executorch"]),
        ("int8", ["--target", "any", "--io", "int8"]),
        ("explicit", ["--target", "any", "--for", "executorch", "--explicit-layout"]),
        ("float", ["--quantize", "none", "--for", "executorch"]),
    ):
        path = os.path.join(folder, f"{name}.{suffix}.pte")
        rushlight("compile", model, "-o", path, "--calibrate", calibration, *options)
        check_deserialized(path, folder)
    if runtime is not None:
        check_float_outputs(runtime, path, model, data, folder)


def main(fixture, models=""):
    runtime = import_runtime()
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(fixture, name) for name in ("digits.pt2", "calibration.npz", "test.npz")]
        check_model("digits", *files, runtime, folder)
        for name in sorted(os.listdir(models)) if os.path.isdir(models) else []:
            files = [os.path.join(models, name, file) for file in ("float.pt2", "calib.npz", "eval.npz")]
            check_model(name, *files, runtime, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
