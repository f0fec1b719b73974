# SPDX-License-Identifier: Apache-2.0
"""Transformers and what took their form."""

import torch
import torch.nn.functional as F
from torch import nn

from .parts import classifier, conv, image, network, numbers, transformer, words


class Patches(nn.Module):
    """An image as a sequence of patches."""

    def __init__(self, width, size):
        super().__init__()
        self.layer = nn.Conv2d(3, width, size, size)

    def forward(self, x):
        return self.layer(x).flatten(2).transpose(1, 2)


@network("attention", image(3, 48))
class vit(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.patches = Patches(width, 12)
        self.token = nn.Parameter(torch.randn(1, 1, width) * 0.5)
        self.places = nn.Parameter(torch.randn(1, 17, width) * 0.2)
        self.layers, self.norm, self.out = transformer(width, 4, 2), nn.LayerNorm(width), nn.Linear(width, 10)

    def forward(self, x):
        x = self.patches(x)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        return self.out(self.norm(self.layers(x))[:, 0])


class Heads(nn.Module):
    """Attention written out with products and a softmax."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x, mask):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(query, key.transpose(-1, -2)) / query.shape[-1] ** 0.5 + mask
        y = torch.matmul(scores.softmax(-1), value)
        return self.out(y.transpose(1, 2).reshape(x.shape))


class BertLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attend, self.first, self.second = Heads(width, heads), nn.LayerNorm(width), nn.LayerNorm(width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask):
        x = self.first(x + self.attend(x, mask))
        return self.second(x + self.narrow(F.gelu(self.wide(x))))


@network("attention", words(16, 100))
class bert(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.words, self.places, self.parts = nn.Embedding(100, width), nn.Embedding(32, width), nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList([BertLayer(width, 4) for _ in range(2)])
        self.pool, self.out = nn.Linear(width, width), nn.Linear(width, 3)

    def forward(self, ids):
        places = torch.arange(ids.shape[1], device=ids.device).unsqueeze(0)
        x = self.norm(self.words(ids) + self.places(places) + self.parts(torch.zeros_like(ids)))
        mask = (1.0 - torch.ones_like(ids)[:, None, None, :]) * torch.finfo(torch.float32).min
        for layer in self.layers:
            x = layer(x, mask)
        return self.out(torch.tanh(self.pool(x[:, 0])))


@network("attention", words(16, 60))
class gpt(nn.Module):
    """The next word: each place sees those before it."""

    def __init__(self, width=32):
        super().__init__()
        self.words, self.places = nn.Embedding(60, width), nn.Parameter(torch.randn(16, width) * 0.3)
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(3)])
        self.mix, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.hidden = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU("tanh"), nn.Linear(4 * width, width))
        self.head = nn.Linear(width, 60, bias=False)

    def attend(self, x):
        n, steps, width = x.shape
        query, key, value = (t.view(n, steps, 4, width // 4).transpose(1, 2) for t in self.mix(x).split(width, 2))
        y = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(n, steps, width))

    def forward(self, ids):
        x = self.words(ids) + self.places
        x = x + self.attend(self.norms[0](x))
        x = x + self.hidden(self.norms[1](x))
        return self.head(self.norms[2](x))


class RmsNorm(nn.Module):
    """Written out, as many models have it."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


@network("attention", words(12, 40))
class llama(nn.Module):
    """Turned pairs for places, a norm without mean, a gated hidden layer, fewer keys than queries."""

    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads = heads
        self.words, self.head = nn.Embedding(40, width), nn.Linear(width, 40, bias=False)
        self.first, self.second, self.last = nn.RMSNorm(width, eps=1e-6), RmsNorm(width), RmsNorm(width)
        self.query, self.out = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.key, self.value = nn.Linear(width, width // 2, bias=False), nn.Linear(width, width // 2, bias=False)
        self.gate, self.up = nn.Linear(width, 64, bias=False), nn.Linear(width, 64, bias=False)
        self.down = nn.Linear(64, width, bias=False)
        angles = torch.arange(12.0)[:, None] / 100 ** (torch.arange(4.0) / 4)
        self.register_buffer("cos", torch.cat([angles.cos(), angles.cos()], 1))
        self.register_buffer("sin", torch.cat([angles.sin(), angles.sin()], 1))

    def turn(self, x):
        left, right = x.chunk(2, -1)
        return x * self.cos + torch.cat([-right, left], -1) * self.sin

    def attend(self, x):
        n, steps, width = x.shape
        query = self.turn(self.query(x).view(n, steps, self.heads, -1).transpose(1, 2))
        key = self.turn(self.key(x).view(n, steps, self.heads // 2, -1).transpose(1, 2))
        value = self.value(x).view(n, steps, self.heads // 2, -1).transpose(1, 2)
        key, value = key.repeat_interleave(2, 1), value.repeat_interleave(2, 1)
        y = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(n, steps, width))

    def forward(self, ids):
        x = self.words(ids)
        x = x + self.attend(self.first(x))
        y = self.second(x)
        x = x + self.down(F.silu(self.gate(y)) * self.up(y))
        return self.head(self.last(x))


@network("attention", words(12, 50), words(8, 50))
class translator(nn.Module):
    """PyTorch's transformer with both of its halves."""

    def __init__(self, width=32):
        super().__init__()
        self.source, self.target = nn.Embedding(50, width), nn.Embedding(50, width)
        self.body = nn.Transformer(width, 4, 1, 1, 64, batch_first=True)
        self.register_buffer("mask", torch.full((8, 8), float("-inf")).triu(1))
        self.out = nn.Linear(width, 50)

    def forward(self, source, target):
        return self.out(self.body(self.source(source), self.target(target), tgt_mask=self.mask, tgt_is_causal=True))


@network("attention", image(3, 48))
class mixer(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.patches, self.first, self.second = Patches(width, 12), nn.LayerNorm(width), nn.LayerNorm(width)
        self.places = nn.Sequential(nn.Linear(16, 24), nn.GELU(), nn.Linear(24, 16))
        self.channels = nn.Sequential(nn.Linear(width, 64), nn.GELU(), nn.Linear(64, width))
        self.out = nn.Linear(width, 10)

    def forward(self, x):
        x = self.patches(x)
        x = x + self.places(self.first(x).transpose(1, 2)).transpose(1, 2)
        x = x + self.channels(self.second(x))
        return self.out(x.mean(1))


@network("attention", image(3, 48))
class gated_mlp(nn.Module):
    """gMLP: places are mixed by a linear layer that gates."""

    def __init__(self, width=24):
        super().__init__()
        self.patches, self.norm, self.inner = Patches(width, 12), nn.LayerNorm(width), nn.LayerNorm(width)
        self.enter, self.leave = nn.Linear(width, 2 * width), nn.Linear(width, width)
        self.places, self.out = nn.Conv1d(16, 16, 1), nn.Linear(width, 10)

    def forward(self, x):
        x = self.patches(x)
        left, right = F.gelu(self.enter(self.norm(x))).chunk(2, -1)
        x = x + self.leave(left * (self.places(self.inner(right)) + 1))
        return self.out(x.mean(1))


class ConvNextBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.filter, self.norm = nn.Conv2d(width, width, 7, padding=3, groups=width), nn.LayerNorm(width, eps=1e-6)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.scale = nn.Parameter(torch.rand(width) * 0.5)

    def forward(self, x):
        y = self.norm(self.filter(x).permute(0, 2, 3, 1))
        return x + (self.scale * self.narrow(F.gelu(self.wide(y)))).permute(0, 3, 1, 2)


@network("attention", image(3, 64))
def convnext():
    blocks = [ConvNextBlock(16), nn.Conv2d(16, 32, 2, 2), ConvNextBlock(32)]
    return nn.Sequential(nn.Conv2d(3, 16, 4, 4), *blocks, classifier(32))


@network("attention", image(3, 32))
class swin(nn.Module):
    """Attention in windows that are moved by half their size, with a bias for each distance."""

    def __init__(self, width=16):
        super().__init__()
        self.patches, self.norm, self.mix = nn.Conv2d(3, width, 4, 4), nn.LayerNorm(width), nn.Linear(width, 3 * width)
        self.out, self.bias = nn.Linear(width, width), nn.Parameter(torch.randn(49, 2))
        place = torch.stack(torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij")).flatten(1)
        distance = place[:, :, None] - place[:, None] + 3
        self.register_buffer("which", distance[0] * 7 + distance[1])
        self.join, self.head = nn.Linear(4 * width, 2 * width, bias=False), nn.Linear(2 * width, 10)

    def windows(self, x):
        n = x.shape[0]
        rows = x.view(n, 2, 4, 2, 4, 16).permute(0, 1, 3, 2, 4, 5).reshape(4 * n, 16, 16)
        query, key, value = self.mix(rows).reshape(4 * n, 16, 3, 2, 8).permute(2, 0, 3, 1, 4)
        scores = (query * 8**-0.5) @ key.transpose(-2, -1)
        scores = scores + self.bias[self.which.view(-1)].view(16, 16, 2).permute(2, 0, 1).unsqueeze(0)
        rows = self.out((scores.softmax(-1) @ value).transpose(1, 2).reshape(4 * n, 16, 16))
        return rows.view(n, 2, 2, 4, 4, 16).permute(0, 1, 3, 2, 4, 5).reshape(n, 8, 8, 16)

    def forward(self, x):
        x = self.patches(x).permute(0, 2, 3, 1)
        y = torch.roll(self.norm(x), (-2, -2), (1, 2))
        x = x + torch.roll(self.windows(y), (2, 2), (1, 2))
        x = torch.cat([x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]], -1)
        return self.head(self.join(x).mean((1, 2)))


@network("attention", image(3, 48))
class poolformer(nn.Module):
    """Averages of neighbours in the place of attention."""

    def __init__(self, width=24):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 7, 4, 3)
        self.first, self.second = nn.GroupNorm(1, width), nn.GroupNorm(1, width)
        self.pool = nn.AvgPool2d(3, 1, 1, count_include_pad=False)
        self.hidden = nn.Sequential(nn.Conv2d(width, 4 * width, 1), nn.GELU(), nn.Conv2d(4 * width, width, 1))
        self.out = classifier(width)

    def forward(self, x):
        x = self.patches(x)
        y = self.first(x)
        x = x + self.pool(y) - y
        return self.out(x + self.hidden(self.second(x)))


@network("attention", image(3, 48))
class detr(nn.Module):
    """Boxes asked for by learned queries."""

    def __init__(self, width=32):
        super().__init__()
        self.body = nn.Sequential(conv(3, 16, stride=4), conv(16, width, stride=2))
        self.layers = nn.TransformerDecoderLayer(width, 4, 64, batch_first=True)
        self.places = nn.Parameter(torch.randn(1, 36, width) * 0.5)
        self.queries = nn.Parameter(torch.randn(1, 6, width))
        self.classes, self.boxes = nn.Linear(width, 4), nn.Sequential(nn.Linear(width, 16), nn.ReLU(), nn.Linear(16, 4))

    def forward(self, x):
        memory = self.body(x).flatten(2).transpose(1, 2) + self.places
        y = self.layers(self.queries.expand(x.shape[0], -1, -1), memory)
        return self.classes(y), self.boxes(y).sigmoid()


class Conformer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.before, self.after = self.hidden(width), self.hidden(width)
        self.norm, self.attend = nn.LayerNorm(width), nn.MultiheadAttention(width, 4, batch_first=True)
        self.middle, self.last = nn.LayerNorm(width), nn.LayerNorm(width)
        self.enter, self.leave = nn.Conv1d(width, 2 * width, 1), nn.Conv1d(width, width, 1)
        self.filter, self.batch = nn.Conv1d(width, width, 15, padding=7, groups=width), nn.BatchNorm1d(width)

    @staticmethod
    def hidden(width):
        layers = [nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.SiLU(), nn.Dropout(0.1)]
        return nn.Sequential(*layers, nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + 0.5 * self.before(x)
        y = self.norm(x)
        x = x + self.attend(y, y, y, need_weights=False)[0]
        y = F.glu(self.enter(self.middle(x).transpose(1, 2)), 1)
        x = x + self.leave(F.silu(self.batch(self.filter(y)))).transpose(1, 2)
        return self.last(x + 0.5 * self.after(x))


@network("attention", numbers(24, 32))
def conformer():
    return nn.Sequential(Conformer(32), Conformer(32), nn.Linear(32, 20), nn.LogSoftmax(-1))


@network("attention", numbers(24, 16))
class linear_attention(nn.Module):
    """Keys and values are summed up before queries meet them."""

    def __init__(self, width=16):
        super().__init__()
        self.mix, self.out = nn.Linear(width, 3 * width), nn.Linear(width, 8)

    def forward(self, x):
        query, key, value = self.mix(x).chunk(3, -1)
        query, key = F.elu(query) + 1, F.elu(key) + 1
        whole = query @ (key.transpose(1, 2) @ value)
        return self.out(whole / (query @ key.sum(1, keepdim=True).transpose(1, 2) + 1.0))
