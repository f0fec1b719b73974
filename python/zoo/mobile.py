# SPDX-License-Identifier: Apache-2.0
"""Classifiers of images made for small machines."""

import torch
from torch import nn

from .parts import (
    Concatenated,
    InvertedResidual,
    Residual,
    SqueezeExcite,
    classifier,
    conv,
    image,
    network,
    separable,
    transformer,
)


@network("mobile", image(3, 64))
def mobilenet_v1():
    widths = [(8, 16, 1), (16, 32, 2), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2), (128, 128, 1)]
    return nn.Sequential(conv(3, 8, stride=2), *[separable(*sizes) for sizes in widths], classifier(128))


@network("mobile", image(3, 64))
def mobilenet_v2():
    blocks = [(16, 8, 1, 1), (8, 12, 2, 6), (12, 12, 1, 6), (12, 16, 2, 6), (16, 16, 1, 6), (16, 24, 2, 6)]
    return nn.Sequential(
        conv(3, 16, stride=2, act=nn.ReLU6),
        *[InvertedResidual(*block) for block in blocks],
        conv(24, 96, 1, act=nn.ReLU6),
        nn.Dropout(0.2),
        classifier(96),
    )


@network("mobile", image(3, 64))
def mobilenet_v3():
    def excite(channels):
        return SqueezeExcite(channels, channels // 4, gate=nn.Hardsigmoid)

    swish = nn.Hardswish
    return nn.Sequential(
        conv(3, 16, stride=2, act=swish),
        InvertedResidual(16, 16, 2, 1, nn.ReLU, excite=excite),
        InvertedResidual(16, 24, 2, 4, nn.ReLU),
        InvertedResidual(24, 24, 1, 4, nn.ReLU),
        InvertedResidual(24, 40, 2, 4, swish, 5, excite),
        InvertedResidual(40, 40, 1, 4, swish, 5, excite),
        conv(40, 96, 1, act=swish),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(96, 64),
        nn.Hardswish(),
        nn.Linear(64, 10),
    )


@network("mobile", image(3, 64))
def efficientnet_lite():
    blocks = [(16, 8, 1, 1, 3), (8, 16, 2, 6, 3), (16, 16, 1, 6, 3), (16, 24, 2, 6, 5), (24, 40, 2, 6, 3)]
    layers = [InvertedResidual(i, o, s, w, nn.ReLU6, size) for i, o, s, w, size in blocks]
    return nn.Sequential(conv(3, 16, stride=2, act=nn.ReLU6), *layers, conv(40, 128, 1, act=nn.ReLU6), classifier(128))


@network("mobile", image(3, 64))
def efficientnet():
    blocks = [(16, 8, 1, 1, 3), (8, 16, 2, 6, 3), (16, 16, 1, 6, 3), (16, 24, 2, 6, 5), (24, 40, 2, 6, 3)]

    def excite(channels):
        return SqueezeExcite(channels, max(4, channels // 24), nn.SiLU)

    layers = [InvertedResidual(i, o, s, w, nn.SiLU, size, excite) for i, o, s, w, size in blocks]
    return nn.Sequential(conv(3, 16, stride=2, act=nn.SiLU), *layers, conv(40, 128, 1, act=nn.SiLU), classifier(128))


@network("mobile", image(3, 64))
def mnasnet():
    def excite(channels):
        return SqueezeExcite(channels, channels // 4)

    return nn.Sequential(
        conv(3, 16, stride=2),
        separable(16, 8),
        InvertedResidual(8, 16, 2, 3, nn.ReLU),
        InvertedResidual(16, 16, 1, 3, nn.ReLU, 5, excite),
        InvertedResidual(16, 24, 2, 6, nn.ReLU, 5, excite),
        InvertedResidual(24, 24, 1, 6, nn.ReLU),
        conv(24, 96, 1),
        classifier(96),
    )


class ShuffleUnit(nn.Module):
    """The first ShuffleNet: pointwise convolutions in groups, channels exchanged between groups."""

    def __init__(self, inputs, outputs, stride, groups=4):
        super().__init__()
        self.stride = stride
        narrow, rest = outputs // 4, outputs - inputs if stride == 2 else outputs
        self.first = conv(inputs, narrow, 1, groups=groups)
        self.shuffle = nn.ChannelShuffle(groups)
        self.rest = nn.Sequential(
            conv(narrow, narrow, 3, stride, narrow, act=None), conv(narrow, rest, 1, groups=groups, act=None)
        )
        self.pool = nn.AvgPool2d(3, 2, 1)

    def forward(self, x):
        y = self.rest(self.shuffle(self.first(x)))
        return torch.relu(torch.cat([self.pool(x), y], 1) if self.stride == 2 else x + y)


@network("mobile", image(3, 64))
def shufflenet_v1():
    units = [ShuffleUnit(16, 48, 2), ShuffleUnit(48, 48, 1), ShuffleUnit(48, 96, 2), ShuffleUnit(96, 96, 1)]
    return nn.Sequential(conv(3, 16, stride=2), nn.MaxPool2d(3, 2, 1), *units, classifier(96))


class SplitUnit(nn.Module):
    """The second ShuffleNet: half of the channels pass by, written out with views."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        half = outputs // 2
        self.stride = stride
        here = inputs if stride == 2 else half
        middle = conv(half, half, 3, stride, half, act=None)
        self.right = nn.Sequential(conv(here, half, 1), middle, conv(half, half, 1))
        self.left = nn.Sequential(conv(inputs, inputs, 3, 2, inputs, act=None), conv(inputs, half, 1))

    def forward(self, x):
        if self.stride == 2:
            y = torch.cat([self.left(x), self.right(x)], 1)
        else:
            left, right = x.chunk(2, 1)
            y = torch.cat([left, self.right(right)], 1)
        n, channels, height, width = y.shape
        return y.view(n, 2, channels // 2, height, width).transpose(1, 2).reshape(n, channels, height, width)


@network("mobile", image(3, 64))
def shufflenet_v2():
    units = [SplitUnit(16, 32, 2), SplitUnit(32, 32, 1), SplitUnit(32, 64, 2), SplitUnit(64, 64, 1)]
    for unit in units:
        if unit.stride == 1:
            del unit.left
    return nn.Sequential(conv(3, 16, stride=2), *units, conv(64, 128, 1), classifier(128))


class Fire(nn.Sequential):
    """SqueezeNet's: a narrow layer, then two wide ones side by side."""

    def __init__(self, inputs, narrow, wide):
        layers = [nn.Sequential(nn.Conv2d(narrow, wide, size, padding=size // 2), nn.ReLU()) for size in (1, 3)]
        super().__init__(nn.Conv2d(inputs, narrow, 1), nn.ReLU(), Concatenated(*layers))


@network("mobile", image(3, 64))
def squeezenet():
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, 2),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, ceil_mode=True),
        Fire(16, 8, 16),
        Fire(32, 8, 16),
        nn.MaxPool2d(3, 2, ceil_mode=True),
        Fire(32, 12, 32),
        nn.Dropout(0.5),
        nn.Conv2d(64, 10, 1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )


class Ghost(nn.Module):
    """GhostNet's layer: half of the channels are cheap copies of the other half."""

    def __init__(self, inputs, outputs, act=nn.ReLU):
        super().__init__()
        half = outputs // 2
        self.first = conv(inputs, half, 1, act=act)
        self.cheap = conv(half, half, 3, groups=half, act=act)

    def forward(self, x):
        y = self.first(x)
        return torch.cat([y, self.cheap(y)], 1)


@network("mobile", image(3, 64))
def ghostnet():
    def block(inputs, wide, outputs):
        branch = nn.Sequential(Ghost(inputs, wide), SqueezeExcite(wide, wide // 4, gate=nn.Hardsigmoid))
        projection = None if inputs == outputs else conv(inputs, outputs, 1, act=None)
        return Residual(nn.Sequential(branch, Ghost(wide, outputs, None)), projection)

    return nn.Sequential(
        conv(3, 16, stride=2), block(16, 32, 16), nn.AvgPool2d(2), block(16, 48, 24), nn.AvgPool2d(2), classifier(24)
    )


class MobileVitBlock(nn.Module):
    """Convolutions, attention among the same places of all patches, convolutions."""

    def __init__(self, channels, width, patch):
        super().__init__()
        self.patch, self.width = patch, width
        self.enter = nn.Sequential(conv(channels, channels, act=nn.SiLU), nn.Conv2d(channels, width, 1, bias=False))
        self.attend = transformer(width, 2, 1)
        self.leave = conv(width, channels, 1, act=nn.SiLU)
        self.join = conv(2 * channels, channels, act=nn.SiLU)

    def forward(self, x):
        y = self.enter(x)
        n, width, height, _ = y.shape
        p, rows = self.patch, height // self.patch
        y = y.reshape(n, width, rows, p, rows, p).permute(0, 3, 5, 2, 4, 1).reshape(n * p * p, rows * rows, width)
        y = self.attend(y).reshape(n, p, p, rows, rows, width).permute(0, 5, 3, 1, 4, 2).reshape(n, width, height, -1)
        return self.join(torch.cat([x, self.leave(y)], 1))


@network("mobile", image(3, 32))
def mobilevit():
    return nn.Sequential(
        conv(3, 16, stride=2, act=nn.SiLU),
        InvertedResidual(16, 16, 2, 2, nn.SiLU),
        MobileVitBlock(16, 24, 2),
        classifier(16),
    )
