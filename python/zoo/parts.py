# SPDX-License-Identifier: Apache-2.0
"""What the networks share: the list of them, the kinds of samples, and the layers that occur everywhere.

All images are channels-first and all sequences in time have their channels before their steps, as PyTorch's layers
want them. Networks take any number of samples, so that their statistics can be drawn from several.
"""

import dataclasses

import torch
import torch.nn.functional as F
from torch import nn


@dataclasses.dataclass
class Network:
    """How to make a network and one sample of each of its inputs."""

    family: str
    build: object  # a call without arguments makes the module, in training mode
    inputs: tuple  # a call with a generator makes one sample, whose first size is 1
    steps: bool  # samples follow each other in time


NETWORKS = {}


def network(family, *inputs, steps=False):
    """Puts a class or function into the list, under its name."""

    def put(build):
        NETWORKS[build.__name__] = Network(family, build, inputs, steps)
        return build

    return put


def image(channels, height, width=None):
    """An image of blobs of several sizes with noise: neighbours are alike, as in photographs."""
    width = width or height

    def draw(generator):
        whole = 0.2 * torch.randn(1, channels, height, width, generator=generator)
        for size in (2, 4, 8):
            blobs = torch.randn(1, channels, size, size, generator=generator)
            whole = whole + F.interpolate(blobs, (height, width), mode="bicubic", align_corners=False)
        return whole / 2

    return draw


def signal(channels, length):
    """Sines of random pitch and loudness with noise."""

    def draw(generator):
        pitch, phase, loudness = torch.rand(3, 1, channels, 4, 1, generator=generator)
        time = torch.linspace(0, 1, length)
        waves = loudness * torch.sin(6.28 * (pitch * length / 4 * time + phase))
        return waves.sum(2) + 0.1 * torch.randn(1, channels, length, generator=generator)

    return draw


def numbers(*sizes):
    """Independent numbers from a normal distribution."""
    return lambda generator: torch.randn(1, *sizes, generator=generator)


def words(length, vocabulary):
    """Indices of words."""
    return lambda generator: torch.randint(0, vocabulary, (1, length), generator=generator)


def adjacency(nodes):
    """The matrix of a random graph, normalized by rows."""

    def draw(generator):
        edges = (torch.rand(1, nodes, nodes, generator=generator) > 0.7).float()
        edges = ((edges + edges.transpose(1, 2)) > 0).float() + torch.eye(nodes)
        return edges.clamp(max=1) / edges.clamp(max=1).sum(2, keepdim=True)

    return draw


def conv(inputs, outputs, size=3, stride=1, groups=1, dilation=1, act=nn.ReLU, padding=None):
    """A convolution of images with a batch norm, and an activation unless `act` is None."""
    pad = dilation * (size // 2) if padding is None else padding
    layers = [nn.Conv2d(inputs, outputs, size, stride, pad, dilation, groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([act()] if act else []))


def conv1d(inputs, outputs, size=3, stride=1, groups=1, dilation=1, act=nn.ReLU):
    """The same for sequences."""
    pad = dilation * (size // 2)
    layers = [nn.Conv1d(inputs, outputs, size, stride, pad, dilation, groups, bias=False), nn.BatchNorm1d(outputs)]
    return nn.Sequential(*layers, *([act()] if act else []))


def separable(inputs, outputs, stride=1, act=nn.ReLU, size=3, dilation=1):
    """A depthwise convolution, then a pointwise one."""
    depthwise = conv(inputs, inputs, size, stride, inputs, dilation, act)
    return nn.Sequential(depthwise, conv(inputs, outputs, 1, act=act))


class Residual(nn.Module):
    """The sum of a branch and its input, through a projection where sizes differ, and an activation after it."""

    def __init__(self, branch, projection=None, act=None):
        super().__init__()
        self.branch = branch
        self.projection = projection or nn.Identity()
        self.act = act or nn.Identity()

    def forward(self, x):
        return self.act(self.branch(x) + self.projection(x))


class SqueezeExcite(nn.Module):
    """Channels weighed by what their averages say."""

    def __init__(self, channels, squeezed, act=nn.ReLU, gate=nn.Sigmoid):
        super().__init__()
        self.squeeze = nn.Conv2d(channels, squeezed, 1)
        self.excite = nn.Conv2d(squeezed, channels, 1)
        self.act, self.gate = act(), gate()

    def forward(self, x):
        averages = F.adaptive_avg_pool2d(x, 1)
        return x * self.gate(self.excite(self.act(self.squeeze(averages))))


class InvertedResidual(nn.Module):
    """Widens, filters each channel, narrows; its input is added where sizes agree."""

    def __init__(self, inputs, outputs, stride, widen, act=nn.ReLU6, size=3, excite=None):
        super().__init__()
        wide = inputs * widen
        layers = [conv(inputs, wide, 1, act=act)] if widen > 1 else []
        layers.append(conv(wide, wide, size, stride, wide, act=act))
        layers += [excite(wide)] if excite else []
        self.layers = nn.Sequential(*layers, conv(wide, outputs, 1, act=None))
        self.added = stride == 1 and inputs == outputs

    def forward(self, x):
        y = self.layers(x)
        return x + y if self.added else y


class Concatenated(nn.Module):
    """Several branches of one input, side by side in the channels."""

    def __init__(self, *branches):
        super().__init__()
        self.branches = nn.ModuleList(branches)

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], 1)


def classifier(channels, classes=10):
    """Averages of all places, then a linear layer."""
    return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes))


def transformer(width, heads, layers, hidden=None, norm_first=True):
    """PyTorch's own encoder with GELU."""
    layer = nn.TransformerEncoderLayer(
        width, heads, hidden or 2 * width, activation="gelu", batch_first=True, norm_first=norm_first
    )
    return nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
