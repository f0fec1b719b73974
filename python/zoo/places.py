# SPDX-License-Identifier: Apache-2.0
"""Networks that say where things are: detection, key points and segmentation."""

import torch
import torch.nn.functional as F
from torch import nn

from .parts import InvertedResidual, Residual, conv, image, network, separable


def rows(feature, values):
    """The values of each place and each anchor, one row each."""
    return feature.permute(0, 2, 3, 1).reshape(feature.shape[0], -1, values)


@network("detection", image(3, 64))
class ssd(nn.Module):
    def __init__(self, classes=4, anchors=3):
        super().__init__()
        self.classes = classes
        self.stages = nn.ModuleList(
            [nn.Sequential(conv(3, 16, stride=2), separable(16, 32, 2)), separable(32, 48, 2), separable(48, 48, 2)]
        )
        self.boxes = nn.ModuleList([nn.Conv2d(width, 4 * anchors, 3, padding=1) for width in (32, 48, 48)])
        self.scores = nn.ModuleList([nn.Conv2d(width, classes * anchors, 3, padding=1) for width in (32, 48, 48)])

    def forward(self, x):
        boxes, scores = [], []
        for stage, box, score in zip(self.stages, self.boxes, self.scores):
            x = stage(x)
            boxes.append(rows(box(x), 4))
            scores.append(rows(score(x), self.classes))
        return torch.cat(boxes, 1), torch.cat(scores, 1).softmax(-1)


def leaky():
    return nn.LeakyReLU(0.1)


@network("detection", image(3, 64))
class yolo_v3(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(conv(3, 8, act=leaky), nn.MaxPool2d(2), conv(8, 16, act=leaky), nn.MaxPool2d(2))
        self.middle = conv(16, 32, act=leaky)
        self.deep = nn.Sequential(nn.MaxPool2d(2), conv(32, 64, act=leaky), conv(64, 32, 1, act=leaky))
        self.coarse = nn.Conv2d(32, 21, 1)
        self.across = conv(32, 16, 1, act=leaky)
        self.fine = nn.Sequential(conv(48, 32, act=leaky), nn.Conv2d(32, 21, 1))

    def forward(self, x):
        middle = self.middle(self.stem(x))
        deep = self.deep(middle)
        up = F.interpolate(self.across(deep), scale_factor=2.0, mode="nearest")
        return self.coarse(deep), self.fine(torch.cat([up, middle], 1))


class CrossStage(nn.Module):
    """Splits its channels, filters one part step by step, joins every step."""

    def __init__(self, channels):
        super().__init__()
        half = channels // 2
        self.enter = conv(channels, channels, 1, act=nn.SiLU)
        self.inner = nn.Sequential(conv(half, half, act=nn.SiLU), conv(half, half, act=nn.SiLU))
        self.leave = conv(3 * half, channels, 1, act=nn.SiLU)

    def forward(self, x):
        parts = list(self.enter(x).chunk(2, 1))
        parts.append(parts[-1] + self.inner(parts[-1]))
        return self.leave(torch.cat(parts, 1))


class PyramidPool(nn.Module):
    """Maxima of growing windows, side by side."""

    def __init__(self, channels):
        super().__init__()
        self.enter = conv(channels, channels // 2, 1, act=nn.SiLU)
        self.leave = conv(2 * channels, channels, 1, act=nn.SiLU)

    def forward(self, x):
        pools = [self.enter(x)]
        for _ in range(3):
            pools.append(F.max_pool2d(pools[-1], 5, 1, 2))
        return self.leave(torch.cat(pools, 1))


@network("detection", image(3, 64))
class yolo_v8(nn.Module):
    """With its decoder: a softmax over distances, anchors added, steps multiplied."""

    def __init__(self, classes=3, bins=8):
        super().__init__()
        self.bins, self.classes = bins, classes
        self.stem = nn.Sequential(conv(3, 8, stride=2, act=nn.SiLU), conv(8, 16, stride=2, act=nn.SiLU), CrossStage(16))
        self.deep = nn.Sequential(conv(16, 32, stride=2, act=nn.SiLU), CrossStage(32), PyramidPool(32))
        self.join = nn.Sequential(conv(48, 16, act=nn.SiLU), CrossStage(16))
        self.boxes = nn.ModuleList([nn.Conv2d(16, 4 * bins, 1), nn.Conv2d(32, 4 * bins, 1)])
        self.scores = nn.ModuleList([nn.Conv2d(16, classes, 1), nn.Conv2d(32, classes, 1)])
        places, steps = [], []
        for size in (16, 8):
            line = torch.arange(size) + 0.5
            places.append(torch.stack(torch.meshgrid(line, line, indexing="xy")).flatten(1))
            steps.append(torch.full((1, size * size), 64.0 / size))
        self.register_buffer("anchors", torch.cat(places, 1)[None])
        self.register_buffer("steps", torch.cat(steps, 1)[None])
        self.register_buffer("distances", torch.arange(float(bins)).view(1, bins, 1, 1))

    def forward(self, x):
        fine = self.stem(x)
        deep = self.deep(fine)
        fine = self.join(torch.cat([F.interpolate(deep, scale_factor=2.0), fine], 1))
        maps = list(zip((fine, deep), self.boxes, self.scores))
        boxes = torch.cat([box(feature).flatten(2) for feature, box, _ in maps], 2)
        scores = torch.cat([score(feature).flatten(2) for feature, _, score in maps], 2)
        spread = boxes.view(boxes.shape[0], 4, self.bins, -1).transpose(1, 2).softmax(1)
        near, far = (spread * self.distances).sum(1).chunk(2, 1)
        low, high = self.anchors - near, self.anchors + far
        boxes = torch.cat([(low + high) / 2, high - low], 1) * self.steps
        return boxes, scores.sigmoid()


@network("detection", image(3, 64))
class feature_pyramid(nn.Module):
    """RetinaNet: three scales, joined from the top down, with heads that they share."""

    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList([conv(3, 16, 5, 4), conv(16, 24, stride=2), conv(24, 32, stride=2)])
        self.across = nn.ModuleList([nn.Conv2d(width, 16, 1) for width in (16, 24, 32)])
        self.smooth = nn.ModuleList([nn.Conv2d(16, 16, 3, padding=1) for _ in range(3)])
        self.scores = nn.Sequential(nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 6, 3, padding=1))
        self.boxes = nn.Sequential(nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 8, 3, padding=1))

    def forward(self, x):
        features = []
        for stage, across in zip(self.stages, self.across):
            x = stage(x)
            features.append(across(x))
        for i in (1, 0):
            features[i] = features[i] + F.interpolate(features[i + 1], size=features[i].shape[-2:], mode="nearest")
        features = [smooth(feature) for smooth, feature in zip(self.smooth, features)]
        scores = torch.cat([rows(self.scores(feature), 3) for feature in features], 1)
        return scores.sigmoid(), torch.cat([rows(self.boxes(feature), 4) for feature in features], 1)


@network("detection", image(3, 64))
class centernet(nn.Module):
    """Centres are places that are the maximum of their neighbourhood."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(3, 16, stride=2), separable(16, 32, 2), separable(32, 48, 2))
        self.up = nn.Sequential(nn.ConvTranspose2d(48, 24, 4, 2, 1, bias=False), nn.BatchNorm2d(24), nn.ReLU())
        self.heat = nn.Sequential(conv(24, 24), nn.Conv2d(24, 3, 1))
        self.sizes = nn.Sequential(conv(24, 24), nn.Conv2d(24, 2, 1))

    def forward(self, x):
        x = self.up(self.body(x))
        heat = self.heat(x).sigmoid()
        peaks = F.max_pool2d(heat, 3, 1, 1)
        return torch.where(peaks == heat, heat, torch.zeros_like(heat)), F.relu(self.sizes(x))


@network("detection", image(3, 64))
class blazeface(nn.Module):
    """Residual blocks with a stride: pooled, and padded in the channels."""

    def __init__(self):
        super().__init__()
        self.stem = conv(3, 16, 5, 2)
        self.branches = nn.ModuleList(
            [nn.Sequential(conv(i, i, 5, s, i, act=None), conv(i, o, 1, act=None)) for i, o, s in self.sizes()]
        )
        self.scores, self.boxes = nn.Conv2d(48, 2, 1), nn.Conv2d(48, 32, 1)

    @staticmethod
    def sizes():
        return ((16, 16, 1), (16, 32, 2), (32, 32, 1), (32, 48, 2))

    def forward(self, x):
        x = self.stem(x)
        for branch, (inputs, outputs, stride) in zip(self.branches, self.sizes()):
            y = F.max_pool2d(x, 2) if stride == 2 else x
            x = F.relu(branch(x) + F.pad(y, (0, 0, 0, 0, 0, outputs - inputs)))
        return rows(self.scores(x), 1).sigmoid(), rows(self.boxes(x), 16)


@network("detection", image(1, 96))
def fomo():
    """Which object each cell of an image shows."""
    blocks = [InvertedResidual(16, 8, 1, 1), InvertedResidual(8, 16, 2, 6), InvertedResidual(16, 16, 1, 6)]
    head = nn.Sequential(conv(16, 24, stride=2, act=nn.ReLU6), nn.Conv2d(24, 32, 1), nn.ReLU6(), nn.Conv2d(32, 3, 1))
    return nn.Sequential(conv(1, 16, stride=2, act=nn.ReLU6), *blocks, head, nn.Softmax(1))


@network("detection", image(3, 24))
class mtcnn(nn.Module):
    """The refining network for faces, with a slope per channel."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 16, 3),
            nn.PReLU(16),
            nn.MaxPool2d(3, 2, ceil_mode=True),
            nn.Conv2d(16, 24, 3),
            nn.PReLU(24),
            nn.MaxPool2d(3, 2, ceil_mode=True),
            nn.Conv2d(24, 32, 2),
            nn.PReLU(32),
            nn.Flatten(),
        )
        self.hidden, self.slope = nn.Linear(288, 64), nn.PReLU(64)
        self.scores, self.boxes = nn.Linear(64, 2), nn.Linear(64, 4)

    def forward(self, x):
        x = self.slope(self.hidden(self.body(x)))
        return F.softmax(self.scores(x), dim=1), self.boxes(x)


@network("key points", image(3, 64))
class hourglass(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.stem = conv(3, width, 5, 2)
        self.down = nn.ModuleList([Residual(conv(width, width, act=None), None, nn.ReLU()) for _ in range(3)])
        self.skip = nn.ModuleList([Residual(conv(width, width, act=None), None, nn.ReLU()) for _ in range(2)])
        self.up = nn.ModuleList([conv(width, width) for _ in range(2)])
        self.heat = nn.Conv2d(width, 5, 1)

    def forward(self, x):
        first = self.down[0](self.stem(x))
        second = self.down[1](F.max_pool2d(first, 2))
        third = self.down[2](F.max_pool2d(second, 2))
        second = self.up[0](F.interpolate(third, scale_factor=2.0)) + self.skip[0](second)
        return self.heat(self.up[1](F.interpolate(second, scale_factor=2.0)) + self.skip[1](first))


@network("key points", image(3, 64))
class simple_pose(nn.Module):
    """Heat maps by transposed convolutions, and the mean place of each."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(3, 16, stride=2), separable(16, 32, 2), separable(32, 32, 2))
        up = [nn.ConvTranspose2d(32, 24, 4, 2, 1, bias=False), nn.BatchNorm2d(24), nn.ReLU(), nn.Conv2d(24, 5, 1)]
        self.up = nn.Sequential(*up)
        self.register_buffer("line", torch.linspace(-1, 1, 16))

    def forward(self, x):
        heat = self.up(self.body(x))
        chance = heat.flatten(2).softmax(-1).view(heat.shape)
        across = (chance.sum(2) * self.line).sum(-1, keepdim=True)
        down = (chance.sum(3) * self.line).sum(-1, keepdim=True)
        return heat, torch.cat([across, down], -1)


class unet(nn.Module):
    """Down, up, and across; `up` says how images grow."""

    def __init__(self, up):
        super().__init__()
        self.up, grown = up, (8, 16) if up == "transposed" else (16, 32)
        self.first, self.second, self.third = conv(3, 8), conv(8, 16), conv(16, 32)
        if up == "transposed":
            self.grow = nn.ModuleList([nn.ConvTranspose2d(16, 8, 2, 2), nn.ConvTranspose2d(32, 16, 2, 2)])
        self.join = nn.ModuleList([conv(8 + grown[0], 8), conv(16 + grown[1], 16)])
        self.out = nn.Conv2d(8, 3, 1)

    def enlarge(self, x, i):
        if self.up == "transposed":
            return self.grow[i](x)
        return F.interpolate(x, scale_factor=2.0, mode=self.up, align_corners=None if self.up == "nearest" else False)

    def forward(self, x):
        first = self.first(x)
        second = self.second(F.max_pool2d(first, 2))
        third = self.third(F.max_pool2d(second, 2))
        second = self.join[1](torch.cat([self.enlarge(third, 1), second], 1))
        return self.out(self.join[0](torch.cat([self.enlarge(second, 0), first], 1)))


@network("segmentation", image(3, 48))
def unet_transposed():
    return unet("transposed")


@network("segmentation", image(3, 48))
def unet_nearest():
    return unet("nearest")


@network("segmentation", image(3, 48))
def unet_bilinear():
    return unet("bilinear")
