# SPDX-License-Identifier: Apache-2.0
"""Records what torchao and ExecuTorch's CortexMQuantizer choose for a whole model: tests/fixtures/quantize/MODEL.txt.

    python python/record_quantizer.py MODEL.pt2 CALIBRATION.npz tests/fixtures/quantize/MODEL.txt

Needs torch, torchao and executorch.

Lines of the record, in the order of the converted graph:
    value OP SCALE ZERO_POINT            a quantize node and the operator that makes its input
    weight OP SCALE... CHECKSUM          an int8 constant of an operator: its scales and sum of q[i] * (i % 251 + 1)
    bias OP SCALE... CHECKSUM            likewise, int32
Scales are the bits of a float32; operators have the names that they have in our canonical form.
"""

import sys

import numpy as np
import torch
import torchao
from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

decomposed = torch.ops.quantized_decomposed
CANONICAL = {
    "aten::flatten": "aten::view_copy",
    "aten::view": "aten::view_copy",
    "aten::reshape": "aten::view_copy",
    "aten::permute": "aten::permute_copy",
    "aten::pad": "aten::constant_pad_nd",
    "aten::softmax": "aten::_softmax",
}
DEQUANTIZE = (decomposed.dequantize_per_tensor.default, decomposed.dequantize_per_channel.default)


def samples(program, arrays):
    """One tuple of inputs after the other, in the memory layout of the exported sample inputs."""
    names = [spec.arg.name for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    examples = program.example_inputs[0]
    keys = [name if name in arrays else list(arrays)[i] for i, name in enumerate(names)]
    for k in range(len(arrays[keys[0]])):
        tensors = [torch.from_numpy(arrays[key][k]).reshape(example.shape) for key, example in zip(keys, examples)]
        yield tuple(torch.empty_like(example).copy_(tensor) for tensor, example in zip(tensors, examples))


def quantize(model, calibration):
    program = torch.export.load(model)
    prepared = prepare_pt2e(program.module(check_guards=False), CortexMQuantizer())
    with torch.no_grad():
        for inputs in samples(program, np.load(calibration)):
            prepared(*inputs)
        return convert_pt2e(prepared)


def operator_name(node):
    if node.op == "placeholder":
        return "input"
    name = node.target._schema.name.rstrip("_")
    return CANONICAL.get(name, name)


def bits(scale):
    return f"{np.float32(scale).view(np.uint32):08x}"


def checksum(integers):
    flat = integers.flatten().to(torch.int64)
    return int((flat * (torch.arange(flat.numel()) % 251 + 1)).sum())


def constant_line(model, node):
    integers = getattr(model, node.args[0].target)
    scales = [node.args[1]] if isinstance(node.args[1], float) else getattr(model, node.args[1].target).tolist()
    user = next(iter(node.users))
    kind = "bias" if integers.dtype == torch.int32 else "weight"
    return " ".join([kind, operator_name(user), *map(bits, scales), str(checksum(integers))])


def record(model, out):
    for node in model.graph.nodes:
        if node.target == decomposed.quantize_per_tensor.default:
            source = node.args[0]
            print("value", operator_name(source), bits(node.args[1]), node.args[2], file=out)
        elif node.target in DEQUANTIZE and node.args[0].op == "get_attr":
            print(constant_line(model, node), file=out)


def main():
    torch.set_num_threads(1)
    model, calibration, target = sys.argv[1:]
    with open(target, "w") as out:
        print(
            f"# Written by python/record_quantizer.py with torch {torch.__version__.split('+')[0]}, "
            f"torchao {torchao.__version__.split('+')[0]}, CortexMQuantizer of executorch 1.5.1.",
            file=out,
        )
        record(quantize(model, calibration), out)


if __name__ == "__main__":
    main()
