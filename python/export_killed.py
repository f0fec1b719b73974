# SPDX-License-Identifier: Apache-2.0
"""Writes a model with channels that training might have killed.

    python python/export_killed.py tests/fixtures/quantize

Needs torch. Writes killed.pt2 and killed.npz, its samples. The model has separable blocks, padding, relu, relu6 and
prelu, a residual sum, a pool, and a linear layer behind a flattened image. In each layer about 40 % of the channels
have weights of zero; some of those have biases that leave another constant than zero.
"""

import pathlib
import sys

import numpy as np
import torch
from fixture_files import save_program
from torch import nn
from torch.nn import functional as F

SIZE = 13
PART = 0.4
GAIN = 2.5  # so that the samples still differ behind the last layer


def kill(layer):
    """Kills outputs of a layer: most for good, with a bias at or below zero, others with a bias above."""
    with torch.no_grad():
        dead = torch.rand(layer.out_channels) < PART
        layer.weight *= GAIN
        layer.weight[dead] = 0
        layer.bias[dead] = torch.randn(int(dead.sum())) - 0.5
    return layer


def ignore(layer, channels):
    """Lets a layer ignore inputs."""
    with torch.no_grad():
        layer.weight[:, torch.rand(channels) < PART] = 0
    return layer


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.depthwise = kill(nn.Conv2d(inputs, inputs, 3, stride, 1, groups=inputs))
        self.point = ignore(kill(nn.Conv2d(inputs, outputs, 1)), inputs)

    def forward(self, x):
        return self.point(F.relu6(self.depthwise(x)))


class Killed(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = kill(nn.Conv2d(3, 16, 3, 2, 1))
        self.first = Block(16, 24, 1)
        self.second = Block(24, 24, 1)
        self.prelu = nn.PReLU(24)
        self.third = Block(24, 32, 2)
        self.head = nn.Linear(32 * 4, 5)

    def forward(self, input):
        x = F.relu(self.first(F.relu(self.stem(input))))
        x = self.prelu(x + self.second(x))
        x = F.max_pool2d(F.relu(self.third(x)), 2)
        return self.head(x.flatten(1))


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.manual_seed(0)
    model = Killed().eval()
    with torch.no_grad():
        model.prelu.weight.uniform_(0.1, 0.4)
    samples = torch.randn(16, 3, SIZE, SIZE)
    save_program(torch.export.export(model, (samples[:1],)), folder / "killed.pt2")
    np.savez(folder / "killed.npz", input=samples.numpy())


if __name__ == "__main__":
    main()
