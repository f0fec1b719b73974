# SPDX-License-Identifier: Apache-2.0
"""Convolutions over time: key words, speech, sensors."""

import torch
import torch.nn.functional as F
from torch import nn

from .parts import Residual, classifier, conv, conv1d, image, network, separable, signal


@network("sound", image(1, 49, 10))
def ds_cnn():
    blocks = [separable(64, 64) for _ in range(4)]
    return nn.Sequential(conv(1, 64, (10, 4), 2, padding=(5, 1)), nn.Dropout(0.2), *blocks, classifier(64, 12))


@network("sound", image(1, 40, 20))
def kws_cnn():
    """The small-footprint key-word network: two convolutions, a low-rank layer."""
    return nn.Sequential(
        nn.Conv2d(1, 16, (20, 8)),
        nn.ReLU(),
        nn.MaxPool2d((1, 3)),
        nn.Conv2d(16, 16, (10, 4)),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(192, 16),
        nn.Linear(16, 64),
        nn.ReLU(),
        nn.Linear(64, 12),
    )


@network("sound", signal(40, 98))
def tc_resnet():
    def block(inputs, outputs):
        branch = nn.Sequential(conv1d(inputs, outputs, 9, 2), conv1d(outputs, outputs, 9, act=None))
        return Residual(branch, conv1d(inputs, outputs, 1, 2), nn.ReLU())

    pool = nn.Sequential(nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(48, 12))
    return nn.Sequential(nn.Conv1d(40, 16, 3, padding=1, bias=False), block(16, 24), block(24, 32), block(32, 48), pool)


@network("sound", signal(39, 128))
def wav2letter():
    layers = [conv1d(39, 64, 49, 2), conv1d(64, 64, 7), conv1d(64, 64, 7), conv1d(64, 128, 33)]
    return nn.Sequential(*layers, nn.Conv1d(128, 29, 1), nn.LogSoftmax(1))


def time_separable(inputs, outputs, size, act=nn.ReLU):
    depthwise = nn.Conv1d(inputs, inputs, size, padding=size // 2, groups=inputs)
    return nn.Sequential(depthwise, conv1d(inputs, outputs, 1, act=act))


@network("sound", signal(40, 96))
def matchboxnet():
    """QuartzNet's blocks: separable convolutions in time, with a pointwise way around."""

    def block(inputs, outputs, size):
        branch = nn.Sequential(time_separable(inputs, outputs, size), time_separable(outputs, outputs, size, None))
        return Residual(branch, conv1d(inputs, outputs, 1, act=None), nn.ReLU())

    ends = [time_separable(32, 48, 29), conv1d(48, 48, 1), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(48, 12)]
    return nn.Sequential(conv1d(40, 48, 11), block(48, 32, 13), block(32, 32, 15), *ends)


@network("sound", signal(1, 2000))
def m5():
    """Raw sound, with a large first window."""
    layers = [conv1d(1, 16, 79, 4), nn.MaxPool1d(4), conv1d(16, 16), nn.MaxPool1d(4), conv1d(16, 32), nn.MaxPool1d(4)]
    return nn.Sequential(*layers, nn.AvgPool1d(7), nn.Flatten(), nn.Linear(32, 10), nn.LogSoftmax(dim=1))


class CausalBlock(nn.Module):
    """Two convolutions that do not see what comes later, normalized by their weights."""

    def __init__(self, inputs, outputs, dilation):
        super().__init__()
        norm = nn.utils.parametrizations.weight_norm
        self.cut = 2 * dilation
        self.first = norm(nn.Conv1d(inputs, outputs, 3, padding=self.cut, dilation=dilation))
        self.second = norm(nn.Conv1d(outputs, outputs, 3, padding=self.cut, dilation=dilation))
        self.project = nn.Conv1d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x):
        y = F.relu(self.first(x)[:, :, : -self.cut])
        y = F.relu(self.second(y)[:, :, : -self.cut])
        return F.relu(y + self.project(x))


@network("sound", signal(8, 64))
class tcn(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(CausalBlock(8, 16, 1), CausalBlock(16, 16, 2), CausalBlock(16, 16, 4))
        self.out = nn.Linear(16, 5)

    def forward(self, x):
        return self.out(self.blocks(x)[:, :, -1])


@network("sound", signal(1, 96))
class wavenet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.rates = (1, 2, 4, 8)
        self.enter = nn.Conv1d(1, width, 1)
        self.filters = nn.ModuleList([nn.Conv1d(width, width, 2, dilation=rate) for rate in self.rates])
        self.gates = nn.ModuleList([nn.Conv1d(width, width, 2, dilation=rate) for rate in self.rates])
        self.ways = nn.ModuleList([nn.Conv1d(width, width, 1) for _ in self.rates])
        self.skips = nn.ModuleList([nn.Conv1d(width, 24, 1) for _ in self.rates])
        self.leave = nn.Sequential(nn.ReLU(), nn.Conv1d(24, 24, 1), nn.ReLU(), nn.Conv1d(24, 32, 1))

    def forward(self, x):
        x, total = self.enter(x), 0
        for rate, filters, gate, way, skip in zip(self.rates, self.filters, self.gates, self.ways, self.skips):
            padded = F.pad(x, (rate, 0))
            y = torch.tanh(filters(padded)) * torch.sigmoid(gate(padded))
            total = total + skip(y)
            x = x + way(y)
        return self.leave(total)


@network("sound", signal(1, 320))
class conv_tasnet(nn.Module):
    """Separates two speakers: a mask each for a learned spectrum."""

    def __init__(self):
        super().__init__()
        self.encode = nn.Conv1d(1, 32, 16, 8, bias=False)
        self.enter = nn.Sequential(nn.GroupNorm(1, 32), nn.Conv1d(32, 16, 1))
        self.blocks = nn.ModuleList([self.block(rate) for rate in (1, 2)])
        self.mask = nn.Sequential(nn.PReLU(), nn.Conv1d(16, 64, 1), nn.Sigmoid())
        self.decode = nn.ConvTranspose1d(32, 1, 16, 8, bias=False)

    @staticmethod
    def block(rate):
        depthwise = nn.Conv1d(32, 32, 3, padding=rate, dilation=rate, groups=32)
        norms = [nn.GroupNorm(1, 32), nn.GroupNorm(1, 32)]
        layers = [nn.Conv1d(16, 32, 1), nn.PReLU(), norms[0], depthwise, nn.PReLU(), norms[1]]
        return nn.Sequential(*layers, nn.Conv1d(32, 16, 1))

    def forward(self, x):
        spectrum = F.relu(self.encode(x))
        y = self.enter(spectrum)
        for block in self.blocks:
            y = y + block(y)
        masks = self.mask(y).view(x.shape[0], 2, 32, -1)
        return self.decode((masks * spectrum.unsqueeze(1)).flatten(0, 1))


class Res2(nn.Module):
    """Channels in four parts, each filtered after the one before was added; then weighed."""

    def __init__(self, channels, dilation):
        super().__init__()
        quarter = channels // 4
        self.enter, self.leave = conv1d(channels, channels, 1), conv1d(channels, channels, 1)
        self.parts = nn.ModuleList([conv1d(quarter, quarter, dilation=dilation) for _ in range(3)])
        self.squeeze, self.excite = nn.Conv1d(channels, 8, 1), nn.Conv1d(8, channels, 1)

    def forward(self, x):
        first, *rest = self.enter(x).chunk(4, 1)
        done, last = [first], 0
        for part, layer in zip(rest, self.parts):
            last = layer(part + last)
            done.append(last)
        y = self.leave(torch.cat(done, 1))
        return x + y * torch.sigmoid(self.excite(F.relu(self.squeeze(y.mean(2, keepdim=True)))))


@network("sound", signal(24, 64))
class ecapa(nn.Module):
    """Who speaks: averages weighed by attention over time, and deviations from them."""

    def __init__(self):
        super().__init__()
        self.enter, self.blocks = conv1d(24, 32, 5), nn.ModuleList([Res2(32, 2), Res2(32, 3)])
        self.join = nn.Sequential(nn.Conv1d(64, 48, 1), nn.ReLU())
        self.attend = nn.Sequential(nn.Conv1d(48, 16, 1), nn.Tanh(), nn.Conv1d(16, 48, 1), nn.Softmax(2))
        self.out = nn.Linear(96, 24)

    def forward(self, x):
        x, steps = self.enter(x), []
        for block in self.blocks:
            x = block(x)
            steps.append(x)
        y = self.join(torch.cat(steps, 1))
        weight = self.attend(y)
        mean = (y * weight).sum(2)
        deviation = ((y * y * weight).sum(2) - mean * mean).clamp(min=1e-2).sqrt()
        return self.out(torch.cat([mean, deviation], 1))


@network("sound", signal(1, 1024))
class mel_front_end(nn.Module):
    """Spectra by convolution with sines, their powers in bands, logarithms, a small network."""

    def __init__(self, size=128, bands=20):
        super().__init__()
        time, pitch = torch.arange(float(size)), torch.arange(size // 2)[:, None]
        window = torch.hann_window(size)
        self.register_buffer("cosines", (window * torch.cos(6.2832 * pitch * time / size)).unsqueeze(1) / 8)
        self.register_buffer("sines", (window * torch.sin(6.2832 * pitch * time / size)).unsqueeze(1) / 8)
        centres = torch.linspace(0, (size // 2 - 1) ** 0.5, bands)[:, None] ** 2
        self.register_buffer("bands", (1 - (pitch.T - centres).abs() / (1 + centres / 4)).clamp(min=0))
        self.net = nn.Sequential(conv1d(bands, 24, 5, 2), conv1d(24, 24), nn.Flatten(), nn.Linear(192, 6))

    def forward(self, x):
        power = F.conv1d(x, self.cosines, stride=64) ** 2 + F.conv1d(x, self.sines, stride=64) ** 2
        return self.net(torch.log(self.bands @ power + 0.01))


@network("sound", signal(1, 1024))
class mel_spectrogram(nn.Module):
    """The short-time Fourier transform of PyTorch, powers in bands, decibels, a small network."""

    def __init__(self, size=128, bands=20):
        super().__init__()
        self.register_buffer("window", torch.hann_window(size))
        centres = torch.linspace(0, (size // 2 - 1) ** 0.5, bands)[:, None] ** 2
        pitch = torch.arange(size // 2 + 1)
        self.register_buffer("bands", (1 - (pitch - centres).abs() / (1 + centres / 4)).clamp(min=0))
        self.net = nn.Sequential(conv1d(bands, 24, 5, 2), conv1d(24, 24), nn.Flatten(), nn.Linear(216, 6))

    def forward(self, x):
        power = torch.stft(x.squeeze(1), 128, 64, window=self.window, return_complex=True).abs().pow(2)
        return self.net((10 * torch.log10(torch.clamp(self.bands @ power, min=0.1)) + 10) / 20)


@network("sound", signal(1, 1024))
class spectral_mask(nn.Module):
    """Takes noise off a signal: each frequency times a factor that a GRU finds, and back."""

    def __init__(self, size=64):
        super().__init__()
        self.size = size
        self.bands = nn.Linear(size // 2 + 1, 16)
        self.gru = nn.GRU(16, 24, batch_first=True)
        self.mask = nn.Linear(24, size // 2 + 1)
        self.register_buffer("window", torch.hann_window(size))

    def forward(self, x):
        spectrum = torch.stft(x[:, 0], self.size, self.size // 2, window=self.window, return_complex=True)
        steps = F.relu(self.bands(spectrum.abs().transpose(1, 2)))
        factors = torch.sigmoid(self.mask(self.gru(steps)[0])).transpose(1, 2)
        return torch.istft(spectrum * factors, self.size, self.size // 2, window=self.window)


@network("sound", signal(24, 30))
class projected_lstm(nn.Module):
    """Layers whose state is smaller than their gates, as recognizers of speech have them."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(24, 32, num_layers=2, batch_first=True, proj_size=16)
        self.last = nn.Linear(16, 12)

    def forward(self, x):
        return self.last(self.lstm(x.transpose(1, 2))[0])


@network("sound", signal(1, 300))
def ecg_resnet():
    """Beats of a heart: wide windows, residual blocks, pools of maxima."""

    def block(inputs, outputs):
        branch = nn.Sequential(conv1d(inputs, outputs, 15, 2), nn.Dropout(0.2), conv1d(outputs, outputs, 15, act=None))
        around = nn.Sequential(nn.MaxPool1d(2), nn.Conv1d(inputs, outputs, 1))
        return Residual(branch, around, nn.ReLU())

    return nn.Sequential(
        conv1d(1, 8, 15), nn.MaxPool1d(3, 3), block(8, 16), nn.MaxPool1d(2), nn.Flatten(), nn.Linear(400, 5)
    )
