# SPDX-License-Identifier: Apache-2.0
"""Writes a model whose biases outweigh their weights, as channels that training has switched off have them.

    python python/export_heavy_biases.py tests/fixtures/quantize

Needs torch. Writes heavy_biases.pt2 and heavy_biases.npz, its samples. In the channels named below a bias is above
2^31 steps of input scale times weight scale; the layer `dead` gives zeros whatever comes in.
"""

import pathlib
import sys

import numpy as np
import torch
from fixture_files import save_program
from torch import nn
from torch.nn import functional as F

SIZE = 13


class HeavyBiases(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, 2)
        self.depthwise = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.point = nn.Conv2d(8, 6, 1)
        self.grow = nn.ConvTranspose2d(6, 4, 2, 2)
        self.dead = nn.Linear(4, 8)
        self.head = nn.Linear(12, 5)
        with torch.no_grad():
            for channel, factor, bias in ((0, 1e-9, -5.0), (1, 1e-7, 12.0), (2, 1e-6, -300.0)):
                self.stem.weight[channel] *= factor
                self.stem.bias[channel] = bias
            self.depthwise.weight[2] *= 1e-8
            self.depthwise.bias[2] = 40
            self.point.weight[1] *= 1e-8
            self.point.bias[1] = -30
            self.grow.weight[:, 3] *= 1e-9
            self.grow.bias[3] = 20
            self.dead.bias -= 1000
            self.head.weight[0] *= 1e-10
            self.head.bias[0] = 9

    def forward(self, input):
        x = F.relu(self.depthwise(F.relu(self.stem(input))))
        x = self.grow(self.point(x)).mean((2, 3))
        return self.head(torch.cat((x, F.relu(self.dead(x))), 1))


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.manual_seed(0)
    model = HeavyBiases().eval()
    samples = torch.randn(32, 3, SIZE, SIZE)
    save_program(torch.export.export(model, (samples[:1],)), folder / "heavy_biases.pt2")
    np.savez(folder / "heavy_biases.npz", input=samples.numpy())


if __name__ == "__main__":
    main()
