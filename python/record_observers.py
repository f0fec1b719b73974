# SPDX-License-Identifier: Apache-2.0
"""Records what torchao's observers answer on reproducible data: tests/fixtures/quantize/observers.txt.

    python python/record_observers.py tests/fixtures/quantize/observers.txt      (needs torch and torchao)

No data is stored: both sides draw it from the same generator, in float32 operations that round equally everywhere.
tests/compiler/quantize_observers_test.c holds the same generator in C.
"""

import sys

import numpy as np
import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed
import torchao
from torchao.quantization.pt2e import HistogramObserver, MinMaxObserver, PerChannelMinMaxObserver

DISTRIBUTIONS = ("uniform", "bell", "relu", "relu6", "cubed", "spikes", "positive", "negative", "lattice", "constant")


def uniforms(seed, count):
    """`count` numbers k / 2^24 from the upper bits of a linear congruential generator modulo 2^32."""
    state = seed
    numbers = np.empty(count, np.float32)
    for i in range(count):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        numbers[i] = np.float32((state >> 8) / 2**24)
    return numbers


def draw(distribution, seed, count, gain):
    u = uniforms(seed, 4 * count).reshape(count, 4)
    f = np.float32
    bell = ((u[:, 0] + u[:, 1]) + (u[:, 2] + u[:, 3])) - f(2)
    values = {
        "uniform": lambda: u[:, 0] * f(4) - f(1),
        "bell": lambda: bell,
        "relu": lambda: np.maximum(bell, f(0)),
        "relu6": lambda: np.minimum(np.maximum(bell * f(5), f(0)), f(6)),
        "cubed": lambda: bell * bell * bell,
        "spikes": lambda: np.where(u[:, 1] < f(1 / 512), u[:, 0] * f(90), bell).astype(f),
        "positive": lambda: f(1) / (u[:, 0] + f(1 / 64)),
        "negative": lambda: bell * f(0.5) - f(7),
        "lattice": lambda: np.rint(bell * f(8)) * f(0.25),
        "constant": lambda: np.full(count, -1.375, f),
    }[distribution]()
    return values * f(gain)


def batches_of(distribution, seed, batches, size, growth):
    gain = np.float32(1)
    for batch in range(batches):
        yield draw(distribution, seed + batch, size, gain)
        gain = gain * np.float32(growth)


def checksum(integers):
    flat = integers.flatten().to(torch.int64)
    return int((flat * (torch.arange(flat.numel()) % 251 + 1)).sum())


def record_activations(out):
    print(
        "# activation distribution seed batches size growth | minmax scale zero_point | histogram scale zero_point",
        file=out,
    )
    shapes = [
        (1, 1, 1.0),
        (1, 64, 1.0),
        (1, 5000, 1.0),
        (3, 2, 1.0),
        (8, 100, 1.25),
        (16, 1000, 1.0),
        (32, 640, 1.0625),
    ]
    for number, distribution in enumerate(DISTRIBUTIONS):
        for batches, size, growth in shapes:
            seed = 1000 * number + 10 * batches + size
            simple = MinMaxObserver(dtype=torch.int8, qscheme=torch.per_tensor_affine)
            histogram = HistogramObserver(dtype=torch.int8, qscheme=torch.per_tensor_affine)
            for values in batches_of(distribution, seed, batches, size, growth):
                simple(torch.from_numpy(values))
                histogram(torch.from_numpy(values))
            answers = [
                f"{float(scale).hex()} {int(zero_point)}"
                for scale, zero_point in (simple.calculate_qparams(), histogram.calculate_qparams())
            ]
            print("activation", distribution, seed, batches, size, growth, *answers, file=out)


def record_weights(out):
    print(
        "# weight distribution seed channels size axis | scale of each channel | checksum of the int8 weights", file=out
    )
    for number, distribution in enumerate(DISTRIBUTIONS):
        for axis in (0, 1):
            channels, size, seed = 5, 36, 77 + number
            shape = (channels, size) if axis == 0 else (size, channels)
            weight = torch.from_numpy(draw(distribution, seed, channels * size, 0.125)).reshape(shape)
            observer = PerChannelMinMaxObserver(dtype=torch.int8, qscheme=torch.per_channel_symmetric, ch_axis=axis)
            observer(weight)
            scales, zero_points = observer.calculate_qparams()
            integers = torch.ops.quantized_decomposed.quantize_per_channel(
                weight, scales, zero_points, axis, -128, 127, torch.int8
            )
            print(
                "weight",
                distribution,
                seed,
                channels,
                size,
                axis,
                *(float(s).hex() for s in scales),
                checksum(integers),
                file=out,
            )


def record_quantized(out):
    print("# quantized distribution seed size bits scale zero_point | checksum of the integers", file=out)
    for number, distribution in enumerate(DISTRIBUTIONS):
        for bits, scale, zero_point in ((8, 0.037109375, -11), (8, 0.0123, 5), (32, 1.7e-6, 0)):
            seed, size = 500 + number, 777
            scale = float(np.float32(scale))
            dtype, low, high = (torch.int8, -128, 127) if bits == 8 else (torch.int32, -(2**31), 2**31 - 2)
            integers = torch.ops.quantized_decomposed.quantize_per_tensor(
                torch.from_numpy(draw(distribution, seed, size, 1)), scale, zero_point, low, high, dtype
            )
            print("quantized", distribution, seed, size, bits, scale.hex(), zero_point, checksum(integers), file=out)


def main():
    torch.set_num_threads(1)
    with open(sys.argv[1], "w") as out:
        print(
            f"# Written by python/record_observers.py with torch {torch.__version__.split('+')[0]}, "
            f"torchao {torchao.__version__.split('+')[0]}.",
            file=out,
        )
        record_activations(out)
        record_weights(out)
        record_quantized(out)


if __name__ == "__main__":
    main()
