# SPDX-License-Identifier: Apache-2.0
"""Networks that remember: recurrent layers, and streams that keep state from run to run."""

import torch
import torch.nn.functional as F
from torch import nn

from .parts import conv, conv1d, image, network, numbers, signal, words


@network("recurrent", numbers(20, 12))
class lstm_classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.out = nn.LSTM(12, 24, batch_first=True), nn.Linear(24, 6)

    def forward(self, x):
        _, (hidden, _) = self.layer(x)
        return self.out(hidden[-1])


@network("recurrent", words(16, 80))
class gru_tagger(nn.Module):
    """A tag for each word, from both directions."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(80, 16)
        self.layer, self.out = nn.GRU(16, 20, bidirectional=True, batch_first=True), nn.Linear(40, 9)

    def forward(self, ids):
        return self.out(self.layer(self.words(ids))[0]).log_softmax(-1)


@network("recurrent", words(16, 80))
class bilstm_tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(80, 16)
        self.layer = nn.LSTM(16, 16, 2, bidirectional=True, batch_first=True, dropout=0.2)
        self.out = nn.Linear(32, 9)

    def forward(self, ids):
        return self.out(self.layer(self.words(ids))[0])


@network("recurrent", numbers(24, 6))
class rnn_forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.out = nn.RNN(6, 20, batch_first=True), nn.Linear(20, 3)

    def forward(self, x):
        return self.out(self.layer(x)[0][:, -1])


@network("recurrent", image(1, 16, 48))
class crnn(nn.Module):
    """Text in a line of an image: convolutions, then both directions of a recurrent layer."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(1, 8), nn.MaxPool2d(2), conv(8, 16), nn.MaxPool2d((2, 1)), conv(16, 16))
        self.layer, self.out = nn.LSTM(64, 24, bidirectional=True), nn.Linear(48, 14)

    def forward(self, x):
        steps = self.body(x).flatten(1, 2).permute(2, 0, 1)
        return F.log_softmax(self.out(self.layer(steps)[0]), 2)


@network("recurrent", signal(6, 64))
class activity(nn.Module):
    """What a wearer does: convolutions over sensors, an LSTM, its last step."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv1d(6, 24, 5), nn.MaxPool1d(2), conv1d(24, 24, 5), nn.MaxPool1d(2))
        self.layer, self.out = nn.LSTM(24, 24, batch_first=True), nn.Linear(24, 6)

    def forward(self, x):
        return self.out(self.layer(self.body(x).transpose(1, 2))[0][:, -1, :])


@network("recurrent", numbers(16, 22))
class denoiser(nn.Module):
    """RNNoise: three GRUs that take each other's results, and gains for bands."""

    def __init__(self):
        super().__init__()
        self.enter, self.voice, self.active = nn.Linear(22, 12), nn.GRU(12, 12, batch_first=True), nn.Linear(12, 1)
        self.noise, self.clean = nn.GRU(46, 16, batch_first=True), nn.GRU(50, 24, batch_first=True)
        self.gains = nn.Linear(24, 22)

    def forward(self, x):
        enter = torch.tanh(self.enter(x))
        voice, _ = self.voice(enter)
        noise, _ = self.noise(torch.cat([enter, voice, x], -1))
        clean, _ = self.clean(torch.cat([noise, voice, x], -1))
        return torch.sigmoid(self.gains(clean)), torch.sigmoid(self.active(voice))


@network("recurrent", numbers(14, 10))
class attentive_gru(nn.Module):
    """Steps weighed by attention, then summed."""

    def __init__(self):
        super().__init__()
        self.layer, self.score, self.out = nn.GRU(10, 16, batch_first=True), nn.Linear(16, 1), nn.Linear(16, 5)

    def forward(self, x):
        steps, _ = self.layer(x)
        weights = torch.softmax(self.score(torch.tanh(steps)), dim=1)
        return self.out((steps * weights).sum(dim=1))


@network("recurrent", numbers(8), numbers(12), numbers(12))
class lstm_cell_step(nn.Module):
    """One step; the caller keeps the state."""

    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.LSTMCell(8, 12), nn.Linear(12, 4)

    def forward(self, x, hidden, cell):
        hidden, cell = self.cell(x, (torch.tanh(hidden), cell))
        return self.out(hidden), hidden, cell


@network("recurrent", numbers(10, 8))
class unrolled_gates(nn.Module):
    """A minimal gated unit, written step by step."""

    def __init__(self):
        super().__init__()
        self.forget, self.new, self.out = nn.Linear(20, 12), nn.Linear(20, 12), nn.Linear(12, 3)

    def forward(self, x):
        hidden = torch.zeros(x.shape[0], 12)
        for step in x.unbind(1):
            forget = torch.sigmoid(self.forget(torch.cat([step, hidden], 1)))
            new = torch.tanh(self.new(torch.cat([step, forget * hidden], 1)))
            hidden = hidden + forget * (new - hidden)
        return self.out(hidden)


@network("stream", numbers(1, 10), steps=True)
class stream_gru(nn.Module):
    """A GRU that remembers from run to run."""

    def __init__(self):
        super().__init__()
        self.layer, self.out = nn.GRU(10, 16, batch_first=True), nn.Linear(16, 3)
        self.register_buffer("hidden", torch.zeros(1, 1, 16))

    def forward(self, x):
        y, hidden = self.layer(x, self.hidden)
        self.hidden.copy_(hidden)
        return self.out(y[:, -1])


class RingConv(nn.Module):
    """A convolution over time that keeps the steps it still needs."""

    def __init__(self, inputs, outputs, size, dilation=1):
        super().__init__()
        self.layer = nn.Conv1d(inputs, outputs, size, dilation=dilation)
        self.register_buffer("past", torch.zeros(1, inputs, dilation * (size - 1)))

    def forward(self, x):
        whole = torch.cat([self.past, x], 2)
        self.past.copy_(whole[:, :, x.shape[2] :])
        return F.relu(self.layer(whole))


@network("stream", signal(20, 2), steps=True)
class stream_tcn(nn.Module):
    """Two new steps a run."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(RingConv(20, 24, 3), RingConv(24, 24, 3, 2), RingConv(24, 24, 3, 4))
        self.out = nn.Linear(24, 4)

    def forward(self, x):
        return self.out(self.body(x).mean(2))


@network("stream", numbers(1, 16), steps=True)
class stream_wakeword(nn.Module):
    """Separable convolutions over rows that were seen before, and a pool over the last of them."""

    def __init__(self, width=24):
        super().__init__()
        self.enter = nn.Linear(16, width)
        self.register_buffer("rows", torch.zeros(1, 8, width))
        self.register_buffer("seen", torch.zeros(1, 6, width))
        self.depth = nn.Conv1d(width, width, 9, groups=width)
        self.point, self.out = nn.Linear(width, width), nn.Linear(width, 2)

    def forward(self, x):
        rows = torch.cat([self.rows, F.relu(self.enter(x))], 1)
        self.rows.copy_(rows[:, 1:])
        y = F.relu(self.point(self.depth(rows.transpose(1, 2)).transpose(1, 2)))
        seen = torch.cat([self.seen[:, 1:], y], 1)
        self.seen.copy_(seen)
        return self.out(seen.mean(1)).softmax(-1)


@network("stream", numbers(1, 12), steps=True)
class stream_attention(nn.Module):
    """Keys and values of the last steps are kept."""

    def __init__(self, width=12):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(12, width) for _ in range(3))
        self.register_buffer("keys", torch.zeros(1, 8, width))
        self.register_buffer("values", torch.zeros(1, 8, width))
        self.out = nn.Linear(width, 4)

    def forward(self, x):
        keys = torch.cat([self.keys[:, 1:], self.key(x)], 1)
        values = torch.cat([self.values[:, 1:], self.value(x)], 1)
        self.keys.copy_(keys)
        self.values.copy_(values)
        return self.out(F.scaled_dot_product_attention(self.query(x), keys, values)[:, 0])
