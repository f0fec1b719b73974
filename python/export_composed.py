# SPDX-License-Identifier: Apache-2.0
"""Writes float models whose parts become integers by composing integer operators.

    python python/export_composed.py tests/fixtures/composed [NAME...]

Needs torch. Writes NAME.pt2 with random weights, and beside it NAME.npz with samples of its only input.
"""

import math
import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F
from fixture_files import save_program
from torch import nn

STEPS, WIDTH, HEADS = 12, 16, 4


class Attention(nn.Module):
    """Every way to write attention: one call, products and a softmax, masks of each kind."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(WIDTH, 3 * WIDTH)
        self.layer = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        past = torch.ones(STEPS, STEPS).tril()
        self.register_buffer("past", past.view(1, 1, STEPS, STEPS))
        self.register_buffer("window", (past + past.T > 0) & (torch.rand(STEPS, STEPS) > 0.5) | (past * past.T > 0))
        self.register_buffer("bias", torch.randn(STEPS, STEPS).masked_fill(past == 0, float("-inf")))

    def heads(self, x):
        batch = x.shape[0]
        parts = self.project(x).view(batch, STEPS, 3, HEADS, WIDTH // HEADS)
        return parts.permute(2, 0, 3, 1, 4).unbind(0)

    def written_out(self, x):
        query, key, value = self.heads(x)
        scores = query @ key.transpose(-2, -1) / (WIDTH // HEADS) ** 0.5
        scores = scores.masked_fill(self.past[:, :, :STEPS, :STEPS] == 0, -1e9)
        return (scores.softmax(-1) @ value).transpose(1, 2).reshape(x.shape)

    def forward(self, x):
        query, key, value = self.heads(x)
        scaled = F.scaled_dot_product_attention
        return (
            scaled(query, key, value),
            scaled(query, key, value, is_causal=True),
            scaled(query, key, value, attn_mask=self.window, scale=0.7),
            scaled(query, key, value, attn_mask=self.bias),
            self.written_out(x),
            self.layer(x, x, x, need_weights=False)[0],
            *self.layer(x, x, x, need_weights=True),
            query.softmax(1),
        )


class Masks(nn.Module):
    """Attention that leaves out the padding of sentences, as PyTorch's layers and BERT-like models write it."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, WIDTH)
        self.project = nn.Linear(WIDTH, 3 * WIDTH)
        self.layer = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.encoder = nn.TransformerEncoderLayer(WIDTH, HEADS, 2 * WIDTH, batch_first=True)
        self.decoder = nn.TransformerDecoderLayer(WIDTH, HEADS, 2 * WIDTH)
        self.register_buffer("future", nn.Transformer.generate_square_subsequent_mask(STEPS))

    def attend(self, x, added):
        query, key, value = self.project(x).view(len(x), STEPS, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-2, -1) / (WIDTH // HEADS) ** 0.5 + added
        return (scores.softmax(-1) @ value).transpose(1, 2).reshape(x.shape)

    def forward(self, ids):
        padding, x = ids == 0, self.words(ids)
        turned = x.transpose(0, 1)
        present = (ids != 0).long()[:, None, None]
        absent = 1.0 - present.float()
        return (
            self.layer(x, x, x, key_padding_mask=padding, need_weights=False)[0],
            *self.layer(x, x, x, key_padding_mask=padding, need_weights=True),
            self.layer(x, x, x, key_padding_mask=padding, attn_mask=self.future, need_weights=False)[0],
            self.encoder(x, src_key_padding_mask=padding),
            self.decoder(turned, turned, self.future, memory_key_padding_mask=padding),
            self.attend(x, (1 - present) * -10000.0),
            self.attend(x, absent.masked_fill(absent.bool(), torch.finfo(torch.float32).min)),
            self.attend(x, torch.where(present > 0, 0.0, float("-inf")) + self.future),
        )


class Arithmetic(nn.Module):
    """Sums, differences, products, quotients and extremes of operands of many sizes; sums over any dimensions."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 6, 3, padding=1)
        self.second = nn.Conv2d(3, 6, 3, padding=1)
        self.mask = nn.Conv2d(3, 1, 3, padding=1)
        self.rows = nn.Linear(8, 8)
        self.scale = nn.Parameter(torch.rand(8) + 0.5)
        self.places = nn.Parameter(torch.randn(6, 1, 1))
        self.grid = nn.Parameter(torch.randn(8, 8))

    def forward(self, x):
        a, b, mask = self.first(x), self.second(x), self.mask(x)
        wide = self.rows(x)
        return (
            a * mask,
            a + b.mean(3, keepdim=True),
            torch.maximum(a, b.mean(2, keepdim=True)),
            a / (mask.abs() + 2),
            wide * self.scale,
            wide / self.scale,
            wide[0] - self.grid,
            wide[0, 0] + wide[0, 1, :, :1],
            a + self.places,
            a[:, :1, :, :1] * b[:, :1, :1],
            torch.maximum(a.sum(1), b.mean((0, 1))),
            b.sum((1, 2, 3), keepdim=True),
            wide.mean(),
        )


class Layers(nn.Module):
    """Layers without a kernel of their own."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 6, 3, padding=1)
        self.slopes = nn.PReLU(6)
        self.steep = nn.PReLU(6)
        self.up = nn.ConvTranspose2d(6, 6, 4, 2, 1, groups=3)
        self.spread = nn.ConvTranspose2d(6, 4, 3, 1, 1, dilation=2)
        self.norm = nn.BatchNorm1d(6)
        self.line = nn.ConvTranspose1d(6, 6, 3, 3, 1, 2, groups=6)
        with torch.no_grad():
            self.slopes.weight.copy_(torch.rand(6))
            self.steep.weight.copy_(torch.tensor([-0.5, 0.1, 1.5, 0.0, 2.0, 1.0]))

    def forward(self, x):
        a = self.first(x)
        return (
            F.glu(a, 1),
            self.slopes(a),
            self.steep(a[:, :, 0]),
            self.up(a),
            self.spread(a),
            self.line(a[:, :, 0]),
            F.adaptive_avg_pool2d(a, (3, 5)),
            F.interpolate(a, scale_factor=2, mode="bilinear"),
            F.interpolate(a, size=(5, 11), mode="bilinear", align_corners=True),
            F.interpolate(a, scale_factor=2, mode="bicubic"),
            F.normalize(a, dim=1),
            F.cosine_similarity(a, self.first(x.flip(1))),
            F.pairwise_distance(a[:, :, 0], a[:, :, 1] + 1),
            self.norm(a.amax((2, 3))),
            F.interpolate(F.interpolate(a, scale_factor=4), scale_factor=(2, 3), mode="bilinear")[:, :2],
        )


class Windows(nn.Module):
    """Pools of every kind of window; running sums, variances and the logarithm of softmax."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 6, 3, padding=1)
        self.rows = nn.Linear(11, 16)

    def forward(self, x):
        a, rows = self.first(x), self.rows(x)
        return (
            F.avg_pool2d(a, 3, 2, divisor_override=5),
            F.avg_pool2d(a, 3, 2, padding=1, ceil_mode=True, divisor_override=4),
            F.avg_pool2d(a, (2, 3), 2, padding=1, ceil_mode=True),
            F.avg_pool2d(a, 3, 2, padding=1, count_include_pad=False),
            F.avg_pool1d(a[:, :, 0], 4, 3, padding=1, ceil_mode=True),
            F.max_pool2d(a, 3, 2, padding=1, dilation=2),
            F.max_pool2d(a, (2, 3), (1, 2), padding=1, dilation=(3, 1), ceil_mode=True, return_indices=True)[0],
            F.max_pool1d(a[:, :, 0], 3, 1, padding=1, dilation=3),
            F.log_softmax(rows, -1),
            F.log_softmax(a, 1),
            torch.cumsum(rows, -1),
            torch.cumsum(a, 1),
            rows.var(-1),
            rows.std((1, 3), correction=0, keepdim=True),
            a.std(),
        )


class Volumes(nn.Module):
    """Convolutions and pools of volumes."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv3d(2, 6, 3, padding=1)
        self.norm = nn.BatchNorm3d(6)
        self.second = nn.Conv3d(6, 6, (2, 3, 3), stride=(2, 1, 1), dilation=(2, 1, 1), groups=2)
        self.deep = nn.Conv3d(6, 4, (4, 3, 3))

    def forward(self, x):
        a = F.relu(self.norm(self.first(x)))
        return (
            self.second(a),
            self.deep(a),
            F.max_pool3d(a, 2),
            F.avg_pool3d(a, (2, 3, 3), 2, (1, 1, 1)),
            F.adaptive_avg_pool3d(a, 1).flatten(1),
        )


class Norms(nn.Module):
    """Layer norms and RMS norms that are written out in each way."""

    def __init__(self):
        super().__init__()
        self.rows = nn.Linear(WIDTH, WIDTH)
        self.image = nn.Conv2d(1, WIDTH, 1)
        self.weight, self.bias = nn.Parameter(torch.rand(WIDTH) + 0.5), nn.Parameter(torch.randn(WIDTH) * 0.3)

    def forward(self, x):
        a, image = self.rows(x), self.image(x.unsqueeze(1))
        mean, image_mean = a.mean(-1, keepdim=True), image.mean(1, keepdim=True)
        squares = (a - mean).pow(2).mean(-1, keepdim=True)
        variance, other_mean = torch.var_mean(a, -1, keepdim=True, correction=0)
        image_squares = (image - image_mean).pow(2).mean(1, keepdim=True)
        weight, bias = self.weight[:, None, None], self.bias[:, None, None]
        return (
            self.weight * (a.float() * torch.rsqrt(a.float().pow(2).mean(-1, keepdim=True) + 1e-6)).type_as(a),
            a / torch.sqrt((a * a).mean(-1, keepdim=True) + 1e-6) * self.weight,
            a * (a.square().mean(-1, keepdim=True) + 1e-6) ** -0.5,
            (a - mean) / torch.sqrt(a.var(-1, keepdim=True, unbiased=False) + 1e-5) * self.weight + self.bias,
            self.weight * ((a - mean) * torch.rsqrt(squares + 1e-5)) + self.bias,
            (a - other_mean) * torch.rsqrt(variance + 1e-5),
            weight * ((image - image_mean) / torch.sqrt(image_squares + 1e-6)) + bias,
        )


class Spectra(nn.Module):
    """Logarithms of spectra in bands, each part written in each way."""

    def __init__(self, size=32, bands=6):
        super().__init__()
        time, pitch = torch.arange(float(size)), torch.arange(size // 2)[:, None]
        angle, window = 2 * math.pi * pitch * time / size, torch.hann_window(size)
        self.register_buffer("cosines", (window * torch.cos(angle)).unsqueeze(1) / 8)
        self.register_buffer("sines", (window * torch.sin(angle)).unsqueeze(1) / 8)
        centres = torch.linspace(1, size // 2 - 2, bands)[:, None]
        self.register_buffer("bands", (1 - (pitch.T - centres).abs() / 3).clamp(min=0))

    def parts(self, x):
        return F.conv1d(x, self.cosines, stride=16), F.conv1d(x, self.sines, stride=16)

    def forward(self, x):
        a, b = self.parts(x)
        c, d = self.parts(F.pad(x, (16, 16), mode="reflect"))
        both = F.conv1d(x, torch.cat([self.cosines, self.sines]), stride=16)
        e, f = both.chunk(2, 1)
        g, h = self.parts(x)
        pairs = torch.stack([g, h], -1)
        return (
            torch.log(self.bands @ (a**2 + b**2) + 0.05),
            10 * torch.log10(torch.clamp(self.bands @ (c * c + d * d), min=1e-2)),
            torch.log1p(torch.matmul((e.square() + f.square()).transpose(1, 2), self.bands.T)),
            torch.log(F.linear(torch.linalg.vector_norm(pairs, dim=-1).transpose(1, 2), self.bands) + 0.05),
            (torch.log(pairs.pow(2).sum(-1) + 0.1) - 0.5) / 2,
            torch.log(self.bands @ torch.sqrt(g * g + h * h + 1e-3) + 0.05),
            torch.hypot(g, h) ** 0.3,
        )


class Transforms(nn.Module):
    """Fourier transforms in the forms in which models have them, to magnitudes, logarithms, parts and angles."""

    def __init__(self, size=32, bands=6):
        super().__init__()
        self.register_buffer("window", torch.hamming_window(24))
        centres = torch.linspace(1, size // 2 - 2, bands)[:, None]
        self.register_buffer("bands", (1 - (torch.arange(size // 2 + 1) - centres).abs() / 3).clamp(min=0))

    def forward(self, x):
        whole = torch.stft(x, 32, 16, window=torch.hann_window(32), return_complex=True)
        short = torch.stft(x, 32, 8, 24, self.window, center=False, normalized=True, return_complex=True)
        frames = torch.fft.rfft(x.unfold(-1, 32, 16) * torch.hann_window(32, periodic=False))
        pairs = torch.view_as_real(frames)
        return (
            torch.log(self.bands @ whole.abs().square() + 0.05),
            whole.abs(),
            torch.log10(short.abs().pow(2) + 1e-2),
            torch.log1p(pairs.pow(2).sum(-1)),
            pairs[..., 1] * 0.5,
            (2 * frames[:, 1:].transpose(1, 2)).real,
            torch.fft.rfft(x[..., :40], n=48, norm="ortho").imag,
            torch.stft(x[0], 31, 10, center=False, onesided=False, return_complex=True).abs(),
        )


class Words(nn.Module):
    """What PyTorch says in one word: diagonals, splits, products of several matrices, ranks, limited weights."""

    def __init__(self):
        super().__init__()
        self.image = nn.Conv2d(3, 8, 3, padding=1)
        self.place = nn.Linear(8, 6)
        self.weight = nn.Parameter(torch.randn(4, 8))
        self.mixing = nn.Parameter(torch.randn(2, 8))

    def forward(self, x):
        y = self.image(x)
        left, right = torch.hsplit(y, 2)
        row, column = y[0, 0, 0], y[0, 1, :, 0]
        theta = self.place(row).view(1, 2, 3)
        return (
            torch.fmax(left, right),
            torch.vsplit(y[0], 2)[1] + torch.diag_embed(column),
            torch.block_diag(y[0, 2], row),
            torch.addr(y[0, 3], row, column, alpha=0.5),
            torch.linalg.multi_dot((self.mixing, y[0, 4], self.weight.T)),
            torch.kron(self.mixing, y[0, 5]),
            (y / 8 + 1).cumprod(-1),
            y.quantile(0.4, 1),
            torch.nanmean(y, (2, 3)),
            torch.take(y, torch.tensor([0, -1, 77])),
            F.affine_grid(theta, (1, 1, 3, 3), align_corners=False),
            F.pixel_shuffle(y[0], 2),
            torch.take_along_dim(y, torch.arange(8).flip(0).view(1, 1, 1, 8), -1),
            F.linear(y, torch.renorm(self.weight, 2, 0, 1.0)),
            torch.where(torch.arange(8) > 4, row, torch.arange(8) - 2),
            torch.add(left, right, alpha=-1.25),
            torch.linalg.vector_norm(y, 3, 1),
            torch.rsub(left, right, alpha=0.5),
            F.fold(F.unfold(y, 3, stride=2, padding=1), (8, 8), 3, stride=2, padding=1),
        )


class Excluded(nn.Module):
    """Attention whose masks exclude all of some rows, which are 0 then."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(WIDTH, 3 * WIDTH)
        self.layer = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        some = torch.rand(STEPS, STEPS) > 0.4
        some[2], some[:, 5], some[7] = False, True, False
        self.register_buffer("some", some)
        self.register_buffer("bias", torch.randn(STEPS, STEPS).masked_fill(~some, float("-inf")))

    def forward(self, x):
        scaled, batch = F.scaled_dot_product_attention, x.shape[0]
        query, key, value = self.project(x).view(batch, STEPS, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        pairs = (x[:, :, 0, None] > 0.75) & (x[:, None, :, 1] > -0.25)
        weights = (query @ key.mT).masked_fill(~pairs[:, None], float("-inf")).softmax(-1)
        others = (query @ key.mT / 2).masked_fill(~pairs[:, None], float("-inf")).softmax(-1)
        return (
            scaled(query, key, value, attn_mask=self.some),
            scaled(query, key, value, attn_mask=self.bias),
            scaled(query, key, value, attn_mask=pairs[:, None]),
            scaled(query, key, value, attn_mask=pairs[:, None, :, :1]),
            scaled(query, key, value, attn_mask=torch.zeros(1, STEPS, STEPS).masked_fill(~pairs, float("-inf"))),
            self.layer(x, x, x, key_padding_mask=(x[:, :1, 0] > 0.25).expand(batch, STEPS), need_weights=False)[0],
            torch.nan_to_num(weights) @ value,
            others.masked_fill(torch.isnan(others), 0) @ value,
        )


class Places(nn.Module):
    """What is written to places, and functions of signs and tolerances."""

    def __init__(self):
        super().__init__()
        self.image = nn.Conv2d(3, 8, 3, padding=1)
        self.rows = nn.Linear(8, 8)
        self.volume = nn.Conv3d(3, 4, 3, padding=1)
        self.words = nn.Embedding(6, 8, max_norm=1.0)
        self.register_buffer("index", torch.randint(8, (4, 8)))
        self.register_buffer("signs", torch.randn(8))

    def forward(self, x):
        y, rows = self.image(x), self.rows(x[0, 0])
        row, places = rows[0], torch.tensor([1, 6, 3, 0])
        return (
            torch.where(torch.isnan(y), 0.0, y),
            y.masked_fill(~torch.isfinite(y), 0.5),
            torch.copysign(rows, self.signs),
            torch.where(torch.signbit(self.signs), rows, y[0, 1]),
            torch.where(torch.isclose(rows.abs() + 9, row, rtol=0.5, atol=0.1), rows, y[0, 3]),
            torch.diagonal_scatter(rows, row),
            torch.put(rows, places, row[:4]),
            rows.index_fill(0, places, 0.5),
            torch.combinations(row),
            torch.linalg.vander(row / 2, N=4),
            torch.scatter_reduce(rows, 0, self.index, y[0, 4, :4], "amax"),
            torch.scatter_reduce(rows, 1, self.index, y[0, 4], "amin", include_self=False),
            torch.index_reduce(rows, 0, places, y[0, 5, :4], "amax"),
            torch.index_add(rows, 0, places, y[0, 6, :4]),
            torch.scatter_add(rows, 0, self.index, y[0, 7, :4]),
            torch.scatter(rows, 0, self.index, y[0, 7, :4], reduce="add"),
            F.adaptive_max_pool3d(self.volume(torch.stack([x, -x], 2)), (1, 3, 4)),
            torch.hypot(rows, y[0, 1]),
            self.words(torch.tensor([1, 5, 0])) + rows[:3],
            torch.linalg.matrix_power(rows, 0) + rows,
        )


class Rectifiers(nn.Module):
    """Convolutions with a rectifier behind that has a slope below zero."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.PReLU(12))
        self.second = nn.Sequential(nn.Conv2d(12, 8, 1), nn.PReLU())
        self.third = nn.Sequential(nn.Conv2d(8, 10, 3, stride=2), nn.LeakyReLU(0.2))
        self.grouped = nn.Sequential(nn.Conv2d(12, 12, 3, groups=4), nn.PReLU(12))
        self.line = nn.Sequential(nn.Conv1d(12, 8, 3), nn.PReLU(8), nn.Conv1d(8, 4, 3))
        with torch.no_grad():
            self.first[1].weight.copy_(torch.linspace(-0.5, 1.7, 12))

    def forward(self, x):
        y = self.first(x)
        return self.third(self.second(y)), self.grouped(y), self.line(y.flatten(2))


class Edges(nn.Module):
    """Convolutions at few places, most of whose taps meet padding only: of lines, and of an image."""

    def __init__(self):
        super().__init__()
        self.line = nn.Conv1d(6, 25, 9, padding=4)
        self.shorter = nn.Conv1d(25, 18, 9, stride=2, padding=4)
        self.image = nn.Conv2d(9, 30, 5, padding=2)

    def forward(self, x):
        x = self.shorter(torch.relu(self.line(x)))
        return self.image(torch.relu(x).reshape(1, 9, 2, 2))


class Blocks(nn.Module):
    """Rows of linear layers and a product of matrices, which take most work space on cores with DSP instructions."""

    def __init__(self):
        super().__init__()
        self.wide = nn.Linear(6, 372)
        self.narrow = nn.Linear(372, 64)

    def forward(self, x):
        x = self.narrow(torch.relu(self.wide(x)))
        return x @ x.transpose(1, 2)


MODELS = {"attention": (Attention, (1, STEPS, WIDTH)), "arithmetic": (Arithmetic, (1, 3, 8, 8))}
MODELS["masks"] = (Masks, (2, STEPS))
MODELS["layers"] = (Layers, (1, 3, 8, 8))
MODELS["windows"] = (Windows, (1, 3, 9, 11))
MODELS["volumes"] = (Volumes, (1, 2, 4, 7, 8))
MODELS["norms"] = (Norms, (1, STEPS, WIDTH))
MODELS["spectra"] = (Spectra, (1, 1, 160))
MODELS["transforms"] = (Transforms, (1, 160))
MODELS["excluded"] = (Excluded, (1, STEPS, WIDTH))
MODELS["places"] = (Places, (1, 3, 8, 8))
MODELS["rectifiers"] = (Rectifiers, (1, 3, 8, 8))
MODELS["edges"] = (Edges, (1, 6, 3))
MODELS["blocks"] = (Blocks, (1, 40, 6))
MODELS["words"] = (Words, (1, 3, 8, 8))


def make_samples(name, count, sizes):
    if name == "masks":  # sentences of 4 words and more
        ids, lengths = torch.randint(1, 20, (count, *sizes)), torch.randint(4, STEPS + 1, (count, sizes[0], 1))
        return ids * (torch.arange(STEPS) < lengths)
    if name == "excluded":  # its comparisons do not depend on how numbers are rounded
        return torch.randn(count, *sizes).mul(2).round() / 2
    return torch.randn(count, *sizes)


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, (model, sizes) in MODELS.items():
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        torch.manual_seed(14)
        program = torch.export.export(model().eval(), (make_samples(name, 1, sizes)[0],))
        save_program(program, folder / f"{name}.pt2")
        arrays = {"input": make_samples(name, 8, sizes)}
        if name == "transforms":  # the only ones that no other test compares with PyTorch
            results = zip(*(program.module()(sample) for sample in arrays["input"]))
            arrays |= {f"output_{k}": torch.cat(samples) for k, samples in enumerate(results)}
        np.savez(folder / f"{name}.npz", **{key: array.numpy() for key, array in arrays.items()})


if __name__ == "__main__":
    main()
