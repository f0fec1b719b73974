# SPDX-License-Identifier: Apache-2.0
"""Networks on tables, words, points, graphs and pairs."""

import torch
import torch.nn.functional as F
from torch import nn

from .parts import Residual, adjacency, conv, image, network, numbers, signal, words


@network("table", numbers(16))
def mlp():
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4))


@network("table", numbers(16))
def selu_mlp():
    first = [nn.Linear(16, 32), nn.SELU(), nn.AlphaDropout(0.1)]
    return nn.Sequential(*first, nn.Linear(32, 32), nn.Mish(), nn.Linear(32, 4))


@network("table", numbers(20))
def tabular_resnet():
    def block():
        layers = [nn.BatchNorm1d(32), nn.Linear(32, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 32)]
        return Residual(nn.Sequential(*layers))

    return nn.Sequential(nn.Linear(20, 32), block(), block(), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 3))


@network("table", numbers(12), words(1, 30), words(1, 20))
class wide_and_deep(nn.Module):
    """Two kinds of words and numbers side by side."""

    def __init__(self):
        super().__init__()
        self.users, self.things = nn.Embedding(30, 8), nn.Embedding(20, 8)
        self.deep = nn.Sequential(nn.Linear(28, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
        self.out = nn.Linear(28, 1)

    def forward(self, x, user, thing):
        deep = self.deep(torch.cat([x, self.users(user).flatten(1), self.things(thing).flatten(1)], 1))
        return self.out(torch.cat([deep, x], 1)).sigmoid()


@network("table", numbers(13), words(3, 40))
class dlrm(nn.Module):
    """Products of all pairs of features."""

    def __init__(self, width=8):
        super().__init__()
        self.below = nn.Sequential(nn.Linear(13, 16), nn.ReLU(), nn.Linear(16, width), nn.ReLU())
        self.words = nn.Embedding(40, width)
        self.above = nn.Sequential(nn.Linear(width + 6, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
        rows, columns = torch.tril_indices(4, 4, -1)
        self.register_buffer("pairs", rows * 4 + columns)

    def forward(self, x, ids):
        below = self.below(x)
        features = torch.cat([below.unsqueeze(1), self.words(ids)], 1)
        products = torch.bmm(features, features.transpose(1, 2)).flatten(1)
        return self.above(torch.cat([below, products[:, self.pairs]], 1))


@network("table", numbers(12))
class mixture_of_experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 5)) for _ in range(4)])
        self.gate = nn.Linear(12, 4)

    def forward(self, x):
        weights = self.gate(x).softmax(1).unsqueeze(2)
        return (torch.stack([expert(x) for expert in self.experts], 1) * weights).sum(1)


@network("table", numbers(6))
class policy(nn.Module):
    """An actor and its critic."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh())
        self.act, self.judge = nn.Linear(32, 3), nn.Linear(32, 1)

    def forward(self, x):
        x = self.body(x)
        return torch.tanh(self.act(x)), self.judge(x)


@network("table", numbers(6))
class dueling_network(nn.Module):
    """Values of actions: that of the state, and what each adds to the mean."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 32), nn.ReLU())
        self.value, self.advantage = nn.Linear(32, 1), nn.Linear(32, 4)

    def forward(self, x):
        x = self.body(x)
        advantage = self.advantage(x)
        return self.value(x) + advantage - advantage.mean(1, keepdim=True)


@network("table", numbers(4))
class euler_ode(nn.Module):
    """Small steps of a learned differential equation."""

    def __init__(self):
        super().__init__()
        self.slope = nn.Sequential(nn.Linear(4, 24), nn.Softplus(), nn.Linear(24, 4))

    def forward(self, x):
        for _ in range(5):
            x = x + 0.2 * self.slope(x)
        return x


@network("text", words(20, 120))
class text_bag(nn.Module):
    """The mean of word vectors."""

    def __init__(self):
        super().__init__()
        self.words, self.out = nn.Embedding(120, 24, padding_idx=0), nn.Linear(24, 4)

    def forward(self, ids):
        return self.out(self.words(ids).mean(1))


@network("text", words(20, 120))
class text_cnn(nn.Module):
    """Windows of several lengths, the maximum of each."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(120, 16)
        self.windows = nn.ModuleList([nn.Conv1d(16, 12, size) for size in (3, 4, 5)])
        self.out = nn.Linear(36, 4)

    def forward(self, ids):
        x = self.words(ids).transpose(1, 2)
        maxima = [F.max_pool1d(F.relu(window(x)), x.shape[2] - window.kernel_size[0] + 1) for window in self.windows]
        return self.out(torch.cat(maxima, 1).flatten(1))


@network("points", numbers(3, 48))
class pointnet(nn.Module):
    def __init__(self):
        super().__init__()
        self.each = nn.Sequential(nn.Conv1d(3, 24, 1), nn.BatchNorm1d(24), nn.ReLU(), nn.Conv1d(24, 48, 1), nn.ReLU())
        self.all = nn.Sequential(nn.Linear(48, 24), nn.ReLU(), nn.Linear(24, 6))

    def forward(self, x):
        return self.all(torch.max(self.each(x), 2)[0])


@network("graph", numbers(12, 8), adjacency(12))
class graph_convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.out = nn.Linear(8, 16), nn.Linear(16, 16), nn.Linear(16, 3)

    def forward(self, x, edges):
        x = F.relu(edges @ self.first(x))
        x = F.relu(edges @ self.second(x))
        return self.out(x.mean(1))


@network("graph", numbers(10, 8))
class graph_attention(nn.Module):
    """A graph that is always the same; scores are sums of two numbers, one from each end."""

    def __init__(self):
        super().__init__()
        self.enter, self.left, self.right = nn.Linear(8, 16), nn.Linear(16, 1), nn.Linear(16, 1)
        self.out = nn.Linear(16, 4)
        edges = torch.zeros(10, 10, dtype=torch.bool)
        for i in range(10):
            edges[i, i] = edges[i, (i + 1) % 10] = edges[i, (3 * i + 2) % 10] = True
        self.register_buffer("edges", edges)

    def forward(self, x):
        x = self.enter(x)
        scores = F.leaky_relu(self.left(x) + self.right(x).transpose(1, 2), 0.2)
        weights = scores.masked_fill(~self.edges, float("-inf")).softmax(-1)
        return self.out(F.elu(weights @ x))


@network("graph", signal(3, 12 * 15))
class skeleton(nn.Module):
    """ST-GCN: joints of a body over time; einsum over the graph of joints."""

    def __init__(self):
        super().__init__()
        self.joints = nn.Parameter(torch.rand(15, 15) * (torch.rand(15, 15) > 0.6) / 4)
        self.enter, self.time = nn.Conv2d(3, 16, 1), conv(16, 16, (5, 1), padding=(2, 0))
        self.out = nn.Linear(16, 5)

    def forward(self, x):
        x = x.view(-1, 3, 12, 15)
        y = torch.einsum("nctv,vw->nctw", self.enter(x), self.joints)
        return self.out(self.time(y).mean((2, 3)))


@network("pair", image(1, 24), image(1, 24))
class siamese(nn.Module):
    """How far two images are from each other."""

    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(
            conv(1, 8), nn.MaxPool2d(2), conv(8, 16), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(64, 16)
        )

    def forward(self, first, second):
        first, second = self.encode(first), self.encode(second)
        return F.pairwise_distance(first, second), torch.sigmoid((first - second).abs().sum(1))


@network("pair", image(3, 32))
class facenet(nn.Module):
    """Vectors of length one."""

    def __init__(self):
        super().__init__()
        first = [conv(3, 16, stride=2, act=None), nn.PReLU(16)]
        self.body = nn.Sequential(*first, conv(16, 16, 3, 2, 16, act=None), nn.PReLU(16))
        self.out, self.norm = nn.Linear(1024, 32, bias=False), nn.BatchNorm1d(32)

    def forward(self, x):
        return F.normalize(self.norm(self.out(self.body(x).flatten(1))))


@network("pair", image(3, 32), words(8, 40))
class clip(nn.Module):
    """How well a text fits an image."""

    def __init__(self):
        super().__init__()
        self.see = nn.Sequential(conv(3, 16, stride=4), conv(16, 24, stride=2), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.words, self.read = nn.Embedding(40, 16), nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.from_image, self.from_text = nn.Linear(24, 12, bias=False), nn.Linear(16, 12, bias=False)

    def forward(self, picture, text):
        seen = F.normalize(self.from_image(self.see(picture)), dim=-1)
        told = F.normalize(self.from_text(self.read(self.words(text))[:, 0]), dim=-1)
        return 10 * (seen * told).sum(-1)


class SpatialGate(nn.Module):
    """Places weighed by what the mean and the maximum of their channels say."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(2, 1, 7, padding=3)

    def forward(self, x):
        both = torch.cat([x.mean(1, keepdim=True), x.amax(1, keepdim=True)], 1)
        return x * torch.sigmoid(self.layer(both))


class ChannelGate(nn.Module):
    """Channels weighed by a small convolution over their averages."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv1d(1, 1, 3, padding=1, bias=False)

    def forward(self, x):
        y = self.layer(x.mean((2, 3)).unsqueeze(1)).transpose(1, 2).unsqueeze(-1)
        return x * y.sigmoid()


@network("pair", image(3, 32))
def cbam():
    gates = [ChannelGate(), SpatialGate()]
    return nn.Sequential(conv(3, 16, stride=2), *gates, conv(16, 24, stride=2), nn.AdaptiveMaxPool2d(1), nn.Flatten())


@network("pair", image(1, 28))
class capsule(nn.Module):
    """Vectors whose length says how certain a class is; one round of agreement."""

    def __init__(self):
        super().__init__()
        self.enter, self.parts = nn.Conv2d(1, 16, 9, 2), nn.Conv2d(16, 16, 5, 2)
        self.votes = nn.Parameter(torch.randn(1, 18, 5, 8, 8) * 0.3)

    @staticmethod
    def squash(x):
        square = (x * x).sum(-1, keepdim=True)
        return x * square / ((1 + square) * torch.sqrt(square + 0.01))

    def forward(self, x):
        parts = self.squash(self.parts(F.relu(self.enter(x))).view(x.shape[0], 18, 1, 1, 8))
        votes = (parts @ self.votes).squeeze(3)
        first = self.squash(votes.mean(1))
        weights = (votes * first.unsqueeze(1)).sum(-1, keepdim=True).softmax(2)
        return self.squash((votes * weights).sum(1)).norm(dim=-1)
