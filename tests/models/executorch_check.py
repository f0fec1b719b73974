# SPDX-License-Identifier: Apache-2.0
"""ExecuTorch's own deserializer must find in our programs what `rushlight inspect` says, and its runtime must compute
the float program's outputs.

usage: executorch_check.py FOLDER   (with a model, calibration and test data like tests/fixtures/digits)"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

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


def check_deserialized(path):
    """Compares operators, calls, tensors, sizes and memory."""
    from executorch.exir import schema
    from executorch.exir._serialize._program import deserialize_pte_binary

    with open(path, "rb") as file:
        loaded = deserialize_pte_binary(file.read())
    program = getattr(loaded, "program", loaded)
    inspected = rushlight("inspect", path)
    (plan,) = program.execution_plan
    check(plan.name, "forward", "method")
    (chain,) = plan.chains
    check(len(plan.values), inspected["values"], "number of values")
    check(sum(plan.non_const_buffer_sizes), inspected["arena_bytes"], "arena")
    calls = [plan.operators[call.instr_args.op_index] for call in chain.instructions]
    check([(op.name, op.overload) for op in calls], [(c["op"], c["overload"]) for c in inspected["instructions"]], "calls")
    tensors = {t["value"]: t for t in inspected["tensors"]}
    for index, value in enumerate(plan.values):
        check(isinstance(value.val, schema.Tensor), index in tensors, f"value {index} is a tensor")
        if index not in tensors:
            continue
        tensor, ours = value.val, tensors[index]
        check(SCALAR_TYPES[tensor.scalar_type.name], ours["dtype"], f"type of value {index}")
        check(list(tensor.sizes), ours["shape"], f"sizes of value {index}")
        check(list(tensor.dim_order), ours["dim_order"], f"dim_order of value {index}")
        check(tensor.data_buffer_idx, ours.get("constant", 0), f"constant of value {index}")
        if tensor.allocation_info is not None:
            check(tensor.allocation_info.memory_offset_low, ours["offset"], f"offset of value {index}")
    for name, indices in (("inputs", plan.inputs), ("outputs", plan.outputs)):
        check(list(indices), [t["value"] for t in inspected[name]], name)
    print(f"{os.path.basename(path)}: {len(calls)} calls, {len(tensors)} tensors agree")


def check_float_outputs(path, data):
    """Runs the program in ExecuTorch's runtime, if the package has one for this machine."""
    try:
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
            ("float", ["--quantize", "none"]),
        ):
            path = os.path.join(temporary, f"{name}.pte")
            rushlight("compile", model, "-o", path, "--calibrate", calibration, *options)
            check_deserialized(path)
        check_float_outputs(os.path.join(temporary, "float.pte"), os.path.join(folder, "test.npz"))


if __name__ == "__main__":
    main(sys.argv[1])
