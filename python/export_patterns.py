# SPDX-License-Identifier: Apache-2.0
"""Writes a small model in which every pattern of the quantizer occurs, and its calibration data.

    python python/export_patterns.py tests/fixtures/quantize/patterns.pt2 tests/fixtures/quantize/patterns.npz
    python python/record_quantizer.py tests/fixtures/quantize/patterns.pt2 tests/fixtures/quantize/patterns.npz \\
        tests/fixtures/quantize/patterns.txt

The weights are random: the model computes nothing, it is there to be quantized.
"""

import sys

import numpy as np
import torch
from fixture_files import save_program
from torch import nn
from torch.nn import functional as F


class Patterns(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU6())
        self.depthwise = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.Hardtanh())
        self.project = nn.Conv2d(8, 8, 1)
        self.squeeze = nn.Conv2d(8, 8, 1)
        self.pad_then_conv = nn.Conv2d(8, 4, 3)
        self.head = nn.Linear(4, 6)
        self.normalized = nn.BatchNorm2d(4)
        self.tied = nn.Linear(8, 8)
        self.scores = nn.Linear(8, 4, bias=False)
        self.mixing = nn.Parameter(torch.randn(1, 8, 12, 12))
        self.enlarge = nn.ConvTranspose2d(8, 8, 3, 2, padding=1)
        self.spread = nn.Sequential(nn.ConvTranspose2d(8, 8, 2, bias=False), nn.BatchNorm2d(8), nn.ReLU())

    def residual(self, x):
        shortcut = x
        x = self.project(self.depthwise(x))
        x = F.relu(x + shortcut)  # add and relu in one kernel
        gate = torch.clamp(self.squeeze(F.adaptive_avg_pool2d(x, 1)), 0, 1)
        return x * gate  # one value for each channel

    def upsample(self, x):
        return self.spread(self.enlarge(F.max_pool2d(x, 2)))  # 12 rows, 6, 11 and 12 again

    def classify(self, x):
        x = F.relu(F.max_pool2d(x * self.mixing, 2))
        x = self.pad_then_conv(F.pad(x, (1, 1, 1, 1), value=0.5))
        both = F.relu(x) + x  # a convolution with two users
        kept = self.normalized(both)  # a batch norm that no convolution can take
        pooled = F.avg_pool2d(kept, 3, 2, 1)
        return F.softmax(self.head(pooled.mean([2, 3])), -1)

    def attend(self, x):
        x = self.tied(F.relu(self.tied(x)))  # one weight, two layers
        weights = F.softmax(x, -1)
        across = F.softmax(x, 1)  # not the innermost dimension
        return self.scores(weights.permute(0, 2, 1).reshape(1, 5, 8)), across * 2.0

    def forward(self, image, sequence):
        scores, across = self.attend(sequence)
        return self.classify(self.upsample(self.residual(self.stem(image)))), scores, across


def main():
    torch.manual_seed(7)
    model = Patterns().eval()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_()
            module.running_var.uniform_(0.5, 2)
            nn.init.normal_(module.weight, 1, 0.2)
            nn.init.normal_(module.bias)
    image = torch.randn(1, 3, 12, 12).to(memory_format=torch.channels_last)
    program = torch.export.export(model, (image, torch.randn(1, 5, 8)))
    save_program(program, sys.argv[1])
    generator = np.random.default_rng(7)
    growth = np.linspace(1, 2, 8, dtype=np.float32)[:, None, None, None]
    np.savez(
        sys.argv[2],
        image=generator.standard_normal((8, 3, 12, 12), np.float32) * growth,
        sequence=generator.standard_normal((8, 5, 8), np.float32) * growth[:, 0],
    )


if __name__ == "__main__":
    main()
