# SPDX-License-Identifier: Apache-2.0
"""Classifiers of images as they were made for large machines, made narrow."""

import torch
from torch import nn

from .parts import Concatenated, Residual, SqueezeExcite, classifier, conv, image, network, separable


@network("classical", image(1, 28))
def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2),
        nn.Tanh(),
        nn.AvgPool2d(2),
        nn.Conv2d(6, 16, 5),
        nn.Tanh(),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Linear(400, 120),
        nn.Tanh(),
        nn.Linear(120, 84),
        nn.Tanh(),
        nn.Linear(84, 10),
        nn.Softmax(1),
    )


@network("classical", image(3, 64))
def alexnet():
    return nn.Sequential(
        nn.Conv2d(3, 16, 11, 4, 2),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2),
        nn.Conv2d(16, 32, 5, padding=2),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2),
        nn.Conv2d(32, 32, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Dropout(),
        nn.Linear(128, 64),
        nn.ReLU(inplace=True),
        nn.Linear(64, 10),
    )


@network("classical", image(3, 32))
def vgg():
    layers, inputs = [], 3
    for outputs in (8, "pool", 16, "pool", 32, 32, "pool", 64, 64, "pool"):
        if outputs == "pool":
            layers.append(nn.MaxPool2d(2))
        else:
            layers.append(conv(inputs, outputs))
            inputs = outputs
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(256, 64), nn.ReLU(), nn.Dropout(), nn.Linear(64, 10))


@network("classical", image(3, 32))
def network_in_network():
    def block(inputs, outputs, size):
        layers = [nn.Conv2d(inputs, outputs, size, padding=size // 2), nn.ReLU()]
        for _ in range(2):
            layers += [nn.Conv2d(outputs, outputs, 1), nn.ReLU()]
        return nn.Sequential(*layers)

    first, second = (block(3, 24, 5), nn.MaxPool2d(3, 2, 1)), (block(24, 24, 5), nn.AvgPool2d(3, 2, 1))
    return nn.Sequential(*first, *second, block(24, 10, 3), nn.AvgPool2d(8), nn.Flatten())


def basic_block(inputs, outputs, stride=1):
    branch = nn.Sequential(conv(inputs, outputs, 3, stride), conv(outputs, outputs, act=None))
    projection = None if inputs == outputs else conv(inputs, outputs, 1, stride, act=None)
    return Residual(branch, projection, nn.ReLU())


@network("classical", image(3, 64))
def resnet18():
    stem = nn.Sequential(conv(3, 16, 7, 2), nn.MaxPool2d(3, 2, 1))
    blocks = [basic_block(16, 16), basic_block(16, 32, 2), basic_block(32, 32), basic_block(32, 64, 2)]
    return nn.Sequential(stem, *blocks, classifier(64))


def bottleneck(inputs, narrow, outputs, stride=1, groups=1, excite=None):
    layers = [conv(inputs, narrow, 1), conv(narrow, narrow, 3, stride, groups), conv(narrow, outputs, 1, act=None)]
    layers += [excite] if excite else []
    same = inputs == outputs and stride == 1
    return Residual(nn.Sequential(*layers), None if same else conv(inputs, outputs, 1, stride, act=None), nn.ReLU())


@network("classical", image(3, 64))
def resnet50():
    stem = nn.Sequential(conv(3, 16, 7, 2), nn.MaxPool2d(3, 2, 1))
    blocks = [bottleneck(16, 16, 64), bottleneck(64, 16, 64), bottleneck(64, 32, 128, 2), bottleneck(128, 32, 128)]
    return nn.Sequential(stem, *blocks, classifier(128))


@network("classical", image(3, 48))
def resnext():
    blocks = [bottleneck(16, 32, 64, 2, 8), bottleneck(64, 32, 64, 1, 8), bottleneck(64, 64, 128, 2, 8)]
    return nn.Sequential(conv(3, 16, stride=2), *blocks, classifier(128))


@network("classical", image(3, 48))
def senet():
    blocks = [
        bottleneck(16, 16, 48, 2, excite=SqueezeExcite(48, 6)),
        bottleneck(48, 16, 48, excite=SqueezeExcite(48, 6)),
    ]
    return nn.Sequential(conv(3, 16, stride=2), *blocks, classifier(48))


@network("classical", image(3, 48))
def regnet():
    blocks = [bottleneck(16, 24, 24, 2, 3), bottleneck(24, 24, 24, 1, 3), bottleneck(24, 56, 56, 2, 7)]
    return nn.Sequential(conv(3, 16, stride=2), *blocks, classifier(56))


class PreActivation(nn.Module):
    """The later residual block: norms and activations come before convolutions."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.enter = nn.Sequential(nn.BatchNorm2d(inputs), nn.ReLU())
        self.branch = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False),
        )
        self.project = nn.Conv2d(inputs, outputs, 1, stride, bias=False) if inputs != outputs else None

    def forward(self, x):
        y = self.enter(x)
        return self.branch(y) + (self.project(y) if self.project else x)


@network("classical", image(3, 32))
def preactivation_resnet():
    blocks = [PreActivation(16, 16, 1), PreActivation(16, 32, 2), PreActivation(32, 64, 2)]
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), *blocks, nn.BatchNorm2d(64), nn.ReLU(), classifier(64))


class DenseLayer(nn.Module):
    """Adds `growth` channels to those it is given."""

    def __init__(self, inputs, growth):
        super().__init__()
        self.layers = nn.Sequential(
            nn.BatchNorm2d(inputs),
            nn.ReLU(),
            nn.Conv2d(inputs, 4 * growth, 1, bias=False),
            nn.BatchNorm2d(4 * growth),
            nn.ReLU(),
            nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False),
        )

    def forward(self, x):
        return torch.cat([x, self.layers(x)], 1)


@network("classical", image(3, 48))
def densenet():
    layers, channels = [conv(3, 16, stride=2)], 16
    for _ in range(2):
        for _ in range(3):
            layers.append(DenseLayer(channels, 8))
            channels += 8
        layers.append(nn.Sequential(nn.BatchNorm2d(channels), nn.ReLU(), nn.Conv2d(channels, channels // 2, 1)))
        layers.append(nn.AvgPool2d(2))
        channels //= 2
    return nn.Sequential(*layers, nn.BatchNorm2d(channels), nn.ReLU(), classifier(channels))


def inception(inputs, one, three, five, pooled):
    return Concatenated(
        conv(inputs, one, 1),
        nn.Sequential(conv(inputs, three // 2, 1), conv(three // 2, three)),
        nn.Sequential(conv(inputs, five // 2, 1), conv(five // 2, five, 5)),
        nn.Sequential(nn.MaxPool2d(3, 1, 1), conv(inputs, pooled, 1)),
    )


@network("classical", image(3, 64))
def googlenet():
    return nn.Sequential(
        conv(3, 16, 7, 2),
        nn.MaxPool2d(3, 2, ceil_mode=True),
        inception(16, 8, 16, 4, 4),
        inception(32, 16, 24, 8, 8),
        nn.MaxPool2d(3, 2, ceil_mode=True),
        inception(56, 24, 32, 8, 8),
        classifier(72),
    )


def tall_and_wide(inputs, outputs, size):
    """A square convolution as a row and a column."""
    row = conv(inputs, outputs, (1, size), padding=(0, size // 2))
    return nn.Sequential(row, conv(outputs, outputs, (size, 1), padding=(size // 2, 0)))


@network("classical", image(3, 64))
def inception_v3():
    block = Concatenated(
        conv(24, 16, 1),
        tall_and_wide(24, 16, 7),
        nn.Sequential(conv(24, 8, 1), tall_and_wide(8, 16, 7)),
        nn.Sequential(nn.AvgPool2d(3, 1, 1), conv(24, 8, 1)),
    )
    reduce = Concatenated(conv(56, 32, 3, 2, padding=0), nn.MaxPool2d(3, 2))
    return nn.Sequential(conv(3, 16, 3, 2, padding=0), conv(16, 24, 3, 2), block, reduce, classifier(88))


@network("classical", image(3, 48))
def xception():
    def block(inputs, outputs):
        branch = [nn.ReLU(), separable(inputs, outputs), separable(outputs, outputs), nn.MaxPool2d(3, 2, 1)]
        return Residual(nn.Sequential(*branch), conv(inputs, outputs, 1, 2, act=None))

    return nn.Sequential(conv(3, 16, stride=2), block(16, 32), block(32, 48), classifier(48))


class RepVggBlock(nn.Module):
    """Three branches that could be merged into one convolution, before they are."""

    def __init__(self, channels):
        super().__init__()
        self.three = conv(channels, channels, act=None)
        self.one = conv(channels, channels, 1, act=None)
        self.same = nn.BatchNorm2d(channels)

    def forward(self, x):
        return torch.relu(self.three(x) + self.one(x) + self.same(x))


@network("classical", image(3, 32))
def repvgg():
    return nn.Sequential(
        conv(3, 16, stride=2), RepVggBlock(16), conv(16, 32, stride=2), RepVggBlock(32), RepVggBlock(32), classifier(32)
    )
