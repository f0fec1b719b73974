# SPDX-License-Identifier: Apache-2.0
"""More networks that give each pixel a class."""

import torch
import torch.nn.functional as F
from torch import nn

from .parts import Concatenated, InvertedResidual, Residual, conv, image, network, separable


class Averaged(nn.Module):
    """The average of an image at each of its places, or of `cells` by `cells` parts."""

    def __init__(self, inputs, outputs, cells=1):
        super().__init__()
        self.cells = cells
        self.layer = nn.Sequential(nn.Conv2d(inputs, outputs, 1), nn.ReLU())

    def forward(self, x):
        y = self.layer(F.adaptive_avg_pool2d(x, self.cells))
        return F.interpolate(y, size=x.shape[-2:], mode="bilinear", align_corners=False)


@network("segmentation", image(3, 64))
class deeplab_v3(nn.Module):
    def __init__(self):
        super().__init__()
        layers = [conv(3, 16, stride=2), separable(16, 24, 2), separable(24, 32), separable(32, 32, dilation=2)]
        self.body = nn.Sequential(*layers)
        branches = [conv(32, 16, 1)] + [conv(32, 16, dilation=rate) for rate in (2, 4, 6)]
        self.pyramid = nn.Sequential(Concatenated(*branches, Averaged(32, 16)), conv(80, 24, 1))
        self.out = nn.Conv2d(24, 4, 1)

    def forward(self, x):
        y = self.out(self.pyramid(self.body(x)))
        return F.interpolate(y, size=x.shape[-2:], mode="bilinear", align_corners=False)


@network("segmentation", image(3, 64))
class lraspp(nn.Module):
    """Two scales, of which one is weighed by a gate."""

    def __init__(self):
        super().__init__()
        self.low = nn.Sequential(conv(3, 16, stride=2, act=nn.Hardswish), InvertedResidual(16, 16, 2, 3, nn.ReLU))
        self.high = nn.Sequential(InvertedResidual(16, 32, 2, 4, nn.Hardswish), conv(32, 32, 1, act=nn.Hardswish))
        self.scale = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(32, 16, 1, bias=False), nn.Sigmoid())
        self.across = conv(32, 16, 1)
        self.from_low, self.from_high = nn.Conv2d(16, 4, 1), nn.Conv2d(16, 4, 1)

    def forward(self, x):
        low = self.low(x)
        high = self.high(low)
        y = self.across(high) * self.scale(high)
        y = F.interpolate(y, size=low.shape[-2:], mode="bilinear", align_corners=False)
        y = self.from_low(low) + self.from_high(y)
        return F.interpolate(y, size=x.shape[-2:], mode="bilinear", align_corners=False)


@network("segmentation", image(3, 64))
class fast_scnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.shallow = nn.Sequential(conv(3, 12, stride=2), separable(12, 16, 2))
        self.deep = nn.Sequential(InvertedResidual(16, 16, 2, 4, nn.ReLU), InvertedResidual(16, 24, 1, 4, nn.ReLU))
        averages = Concatenated(nn.Identity(), Averaged(24, 6, 2), Averaged(24, 6, 4))
        self.pyramid = nn.Sequential(averages, conv(36, 24, 1))
        self.from_shallow = conv(16, 24, 1, act=None)
        self.from_deep = nn.Sequential(conv(24, 24, 3, groups=24), nn.Conv2d(24, 24, 1))
        self.out = nn.Sequential(separable(24, 24), nn.Dropout(0.1), nn.Conv2d(24, 4, 1))

    def forward(self, x):
        shallow = self.shallow(x)
        deep = self.pyramid(self.deep(shallow))
        deep = self.from_deep(F.interpolate(deep, scale_factor=2.0, mode="bilinear", align_corners=True))
        y = self.out(F.relu(self.from_shallow(shallow) + deep))
        return F.interpolate(y, scale_factor=4.0, mode="bilinear", align_corners=True)


@network("segmentation", image(3, 48))
class pspnet(nn.Module):
    """Averages over grids of several sizes, which do not divide the image evenly."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(3, 16, stride=2), conv(16, 24, stride=2), Residual(conv(24, 24, dilation=2)))
        self.pyramid = Concatenated(nn.Identity(), *[Averaged(24, 8, cells) for cells in (1, 2, 3, 5)])
        self.out = nn.Sequential(conv(56, 16), nn.Conv2d(16, 4, 1))

    def forward(self, x):
        y = self.out(self.pyramid(self.body(x)))
        return F.interpolate(y, size=x.shape[-2:], mode="bilinear", align_corners=True)


class EnetBottleneck(nn.Module):
    """Narrow, filtered in one of several ways, wide again; a slope per channel."""

    def __init__(self, channels, middle):
        super().__init__()
        narrow = channels // 2
        self.layers = nn.Sequential(
            conv(channels, narrow, 1, act=None),
            nn.PReLU(narrow),
            middle(narrow),
            nn.PReLU(narrow),
            conv(narrow, channels, 1, act=None),
            nn.Dropout2d(0.1),
        )
        self.slope = nn.PReLU(channels)

    def forward(self, x):
        return self.slope(x + self.layers(x))


@network("segmentation", image(3, 64))
def enet():
    def asymmetric(width):
        return nn.Sequential(
            conv(width, width, (5, 1), padding=(2, 0), act=None), conv(width, width, (1, 5), padding=(0, 2), act=None)
        )

    blocks = [
        EnetBottleneck(24, lambda width: conv(width, width, act=None)),
        EnetBottleneck(24, lambda width: conv(width, width, dilation=2, act=None)),
        EnetBottleneck(24, asymmetric),
        EnetBottleneck(24, lambda width: conv(width, width, dilation=4, act=None)),
    ]
    stem = Concatenated(nn.Conv2d(3, 13, 3, 2, 1), nn.MaxPool2d(2))
    up = nn.ConvTranspose2d(24, 4, 4, 4)
    return nn.Sequential(stem, nn.BatchNorm2d(16), nn.PReLU(16), conv(16, 24, stride=2), *blocks, up)


@network("segmentation", image(3, 48))
class attention_unet(nn.Module):
    """What crosses over is weighed by what comes from below."""

    def __init__(self):
        super().__init__()
        self.first, self.second = conv(3, 12), conv(12, 24)
        self.up = nn.Sequential(nn.Upsample(scale_factor=2), conv(24, 12))
        self.gate, self.skip = conv(12, 6, 1, act=None), conv(12, 6, 1, act=None)
        self.weigh = nn.Sequential(conv(6, 1, 1, act=None), nn.Sigmoid())
        self.out = nn.Sequential(conv(24, 12), nn.Conv2d(12, 2, 1))

    def forward(self, x):
        first = self.first(x)
        up = self.up(self.second(F.max_pool2d(first, 2)))
        weight = self.weigh(F.relu(self.gate(up) + self.skip(first)))
        return self.out(torch.cat([first * weight, up], 1)).softmax(1)


@network("segmentation", image(3, 48))
class fcn(nn.Module):
    """Scores of three scales, added up and enlarged."""

    def __init__(self):
        super().__init__()
        sizes = ((3, 8), (8, 16), (16, 24))
        self.stages = nn.ModuleList([nn.Sequential(conv(i, o), nn.MaxPool2d(2)) for i, o in sizes])
        self.scores = nn.ModuleList([nn.Conv2d(width, 3, 1) for width in (8, 16, 24)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(3, 3, 4, 2, 1, groups=3, bias=False) for _ in range(3)])

    def forward(self, x):
        scores = []
        for stage, score in zip(self.stages, self.scores):
            x = stage(x)
            scores.append(score(x))
        y = self.up[2](scores[2]) + scores[1]
        return self.up[0](self.up[1](y) + scores[0])
