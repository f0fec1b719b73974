# SPDX-License-Identifier: Apache-2.0
"""Networks that make images and signals: autoencoders, generators, super resolution."""

import torch
import torch.nn.functional as F
from torch import nn

from .parts import Residual, conv, image, network, numbers, signal


@network("autoencoder", numbers(128))
def dense_autoencoder():
    layers = []
    for inputs, outputs in ((128, 64), (64, 64), (64, 8), (8, 64), (64, 64)):
        layers += [nn.Linear(inputs, outputs), nn.BatchNorm1d(outputs), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(64, 128))


@network("autoencoder", image(1, 28))
def conv_autoencoder():
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, 2, 1),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, 2, 1),
        nn.ReLU(),
        nn.ConvTranspose2d(16, 8, 3, 2, 1, 1),
        nn.ReLU(),
        nn.ConvTranspose2d(8, 1, 3, 2, 1, 1),
        nn.Sigmoid(),
    )


@network("autoencoder", image(1, 32))
class vae(nn.Module):
    """Mean and deviation of the code, and the image of the mean."""

    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(conv(1, 8, stride=2), conv(8, 16, stride=2), nn.Flatten())
        self.mean, self.variance, self.enter = nn.Linear(1024, 8), nn.Linear(1024, 8), nn.Linear(8, 1024)
        self.decode = nn.Sequential(
            nn.ConvTranspose2d(16, 8, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Sigmoid()
        )

    def forward(self, x):
        code = self.encode(x)
        mean = self.mean(code)
        picture = self.decode(F.relu(self.enter(mean)).view(-1, 16, 8, 8))
        return picture, mean, torch.exp(0.5 * self.variance(code))


@network("autoencoder", signal(2, 96))
class vq_encoder(nn.Module):
    """A codec of signals: the distances to all codes, and what the nearest stands for."""

    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Conv1d(2, 16, 8, 4, 2), nn.ELU(), nn.Conv1d(16, 8, 4, 2, 1))
        self.codes = nn.Parameter(torch.randn(24, 8))

    def forward(self, x):
        y = self.encode(x).transpose(1, 2)
        distance = (y * y).sum(-1, keepdim=True) - 2 * y @ self.codes.T + (self.codes * self.codes).sum(-1)
        return distance


@network("generator", numbers(32))
class dcgan(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(32, 512)
        self.body = nn.Sequential(
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.ConvTranspose2d(32, 16, 4, 2, 1, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.ConvTranspose2d(16, 8, 4, 2, 1, bias=False),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.ConvTranspose2d(8, 3, 4, 2, 1),
            nn.Tanh(),
        )

    def forward(self, x):
        return self.body(self.enter(x).view(-1, 32, 4, 4))


@network("generator", image(3, 32))
def discriminator():
    def leaky():
        return nn.LeakyReLU(0.2)

    return nn.Sequential(
        nn.Conv2d(3, 12, 4, 2, 1),
        nn.LeakyReLU(0.2),
        conv(12, 24, 4, 2, padding=1, act=leaky),
        conv(24, 32, 4, 2, padding=1, act=leaky),
        nn.Conv2d(32, 1, 4),
        nn.Flatten(),
        nn.Sigmoid(),
    )


@network("generator", image(3, 48))
def style_transfer():
    """Instance norms, reflected borders, enlargement by repetition."""

    def layer(inputs, outputs, size, stride=1):
        pad = nn.ReflectionPad2d(size // 2)
        norm = nn.InstanceNorm2d(outputs, affine=True)
        return nn.Sequential(pad, nn.Conv2d(inputs, outputs, size, stride), norm, nn.ReLU())

    last = [nn.Conv2d(24, 24, 3, padding=1), nn.InstanceNorm2d(24, affine=True)]
    middle = Residual(nn.Sequential(layer(24, 24, 3), *last))
    up = nn.Sequential(nn.Upsample(scale_factor=2), layer(24, 12, 3))
    return nn.Sequential(layer(3, 12, 9), layer(12, 24, 3, 2), middle, up, nn.ReflectionPad2d(4), nn.Conv2d(12, 3, 9))


@network("super resolution", image(1, 24))
def espcn():
    return nn.Sequential(
        nn.Conv2d(1, 24, 5, padding=2),
        nn.Tanh(),
        nn.Conv2d(24, 16, 3, padding=1),
        nn.Tanh(),
        nn.Conv2d(16, 9, 3, padding=1),
        nn.PixelShuffle(3),
    )


@network("super resolution", image(1, 24))
def fsrcnn():
    layers = [nn.Conv2d(1, 24, 5, padding=2), nn.PReLU(24), nn.Conv2d(24, 8, 1), nn.PReLU(8)]
    for _ in range(2):
        layers += [nn.Conv2d(8, 8, 3, padding=1), nn.PReLU(8)]
    return nn.Sequential(*layers, nn.Conv2d(8, 24, 1), nn.PReLU(24), nn.ConvTranspose2d(24, 1, 9, 2, 4, 1))


@network("super resolution", image(3, 24))
class edsr(nn.Module):
    """Residual blocks without norms, whose results are made small, around an enlarged image."""

    def __init__(self, width=16):
        super().__init__()
        self.enter, self.leave = nn.Conv2d(3, width, 3, padding=1), nn.Conv2d(width, 3, 3, padding=1)
        self.blocks = nn.ModuleList(
            [
                nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1))
                for _ in range(2)
            ]
        )
        self.up = nn.Sequential(nn.Conv2d(width, 4 * width, 3, padding=1), nn.PixelShuffle(2))

    def forward(self, x):
        first = y = self.enter(x)
        for block in self.blocks:
            y = y + 0.1 * block(y)
        return self.leave(self.up(first + y)) + F.interpolate(x, scale_factor=2.0, mode="bicubic", align_corners=False)


@network("super resolution", image(3, 24))
def srgan():
    """With batch norms, one slope for all channels and two enlargements."""
    block = nn.Sequential(conv(16, 16, act=nn.PReLU), conv(16, 16, act=None))
    up = [nn.Sequential(nn.Conv2d(16, 64, 3, padding=1), nn.PixelShuffle(2), nn.PReLU()) for _ in range(2)]
    enter, leave = nn.Conv2d(3, 16, 9, padding=4), nn.Conv2d(16, 3, 9, padding=4)
    return nn.Sequential(enter, nn.PReLU(), Residual(block), *up, leave)


@network("super resolution", image(1, 32))
def dncnn():
    """The noise of an image, taken off it."""

    class Clean(nn.Module):
        def __init__(self):
            super().__init__()
            middle = [nn.ReLU()] + [conv(16, 16) for _ in range(3)]
            enter, leave = nn.Conv2d(1, 16, 3, padding=1), nn.Conv2d(16, 1, 3, padding=1)
            self.noise = nn.Sequential(enter, *middle, leave)

        def forward(self, x):
            return x - self.noise(x)

    return Clean()


class TimeStep(nn.Module):
    """The step of a diffusion as sines, for all channels of an image."""

    def __init__(self, width):
        super().__init__()
        self.register_buffer("pitches", torch.exp(-torch.arange(8.0)))
        self.layers = nn.Sequential(nn.Linear(16, width), nn.SiLU(), nn.Linear(width, width))

    def forward(self, step):
        angle = step * self.pitches
        return self.layers(torch.cat([angle.sin(), angle.cos()], 1))[:, :, None, None]


@network("generator", image(1, 24), lambda generator: 10 * torch.rand(1, 1, generator=generator))
class diffusion_unet(nn.Module):
    """Group norms, SiLU, and which step it is."""

    def __init__(self, width=16):
        super().__init__()
        self.enter, self.step = nn.Conv2d(1, width, 3, padding=1), TimeStep(width)
        self.first = nn.Sequential(nn.GroupNorm(4, width), nn.SiLU(), nn.Conv2d(width, width, 3, padding=1))
        self.down, self.up = nn.Conv2d(width, width, 3, 2, 1), nn.Conv2d(width, width, 3, padding=1)
        self.second = nn.Sequential(nn.GroupNorm(4, width), nn.SiLU(), nn.Conv2d(width, width, 3, padding=1))
        self.leave = nn.Sequential(nn.GroupNorm(8, 2 * width), nn.SiLU(), nn.Conv2d(2 * width, 1, 3, padding=1))

    def forward(self, x, step):
        first = self.enter(x)
        first = first + self.first(first + self.step(step))
        deep = self.down(first)
        deep = deep + self.second(deep)
        return self.leave(torch.cat([first, self.up(F.interpolate(deep, scale_factor=2.0))], 1))
