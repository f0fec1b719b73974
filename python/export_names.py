# SPDX-License-Identifier: Apache-2.0
"""Writes float models of four kinds that keep from which module each node came, and what PyTorch says of that, and one
whose inputs and outputs have names.

    python python/export_names.py tests/fixtures/names

Needs torch. Writes NAME.pt2 with random weights and NAME.json: the module's path by the name of each node, and the
paths of the modules that have weights of a layer.
"""

import json
import pathlib
import sys

import torch
from fixture_files import save_program
from torch import nn

LAYERS = (nn.Conv2d, nn.Linear, nn.LSTM)


class Block(nn.Module):
    """Two convolutions with batch norms, and a sum with what came in."""

    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(x + y)


class Residual(nn.Module):
    """Like a ResNet: blocks in a sequence, one of them used twice."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.layer1 = nn.Sequential(Block(8), Block(8))
        self.fc = nn.Linear(8, 5)

    def forward(self, x):
        x = self.layer1[0](self.layer1(self.stem(x)))
        return self.fc(x.mean((2, 3)))


class Mobile(nn.Module):
    """Like a MobileNet: depthwise and pointwise convolutions with relu6 and hardswish."""

    def __init__(self):
        super().__init__()
        layers = [nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.Hardswish()]
        for _ in range(2):
            layers += [nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.BatchNorm2d(8), nn.ReLU6()]
            layers += [nn.Conv2d(8, 8, 1), nn.BatchNorm2d(8), nn.ReLU6()]
        self.features = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1))
        self.classifier = nn.Linear(8, 5)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1)).softmax(1)


class Transformer(nn.Module):
    """Two encoder layers, whose attention PyTorch writes itself."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(6, 16)
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(16, 2, 24, batch_first=True) for _ in range(2))
        self.head = nn.Linear(16, 4)

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


class Recurrent(nn.Module):
    """An LSTM of two layers and both directions."""

    def __init__(self):
        super().__init__()
        self.cells = nn.LSTM(6, 8, num_layers=2, bidirectional=True, batch_first=True)
        self.out = nn.Linear(16, 3)

    def forward(self, x):
        return self.out(self.cells(x)[0][:, -1])


class Outputs(nn.Module):
    """Containers in and out, with keys that are no identifiers or become the same one."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 3)
        self.out = nn.Linear(3, 2)

    def forward(self, feats, mask):
        h = torch.relu(self.hidden(feats["a.b"] + feats["a_b"])) * mask
        return {"logits": self.out(h), "aux out": {"h h": h}, "parts": (h + 1, h * 2), "aux_out": {"h_h": h - mask}}


MODELS = {
    "residual": (Residual, (1, 3, 12, 12)),
    "mobile": (Mobile, (1, 3, 12, 12)),
    "transformer": (Transformer, (1, 7, 6)),
    "recurrent": (Recurrent, (1, 5, 6)),
}


def layer_of(node):
    """The path of the innermost module of a node's stack."""
    return list(node.meta["nn_module_stack"].values())[-1][0]


def main(folder):
    for seed, (name, (model_type, shape)) in enumerate(MODELS.items()):
        torch.manual_seed(seed)
        model = model_type().eval()
        program = torch.export.export(model, (torch.randn(*shape),))
        layers = {node.name: layer_of(node) for node in program.graph.nodes if "nn_module_stack" in node.meta}
        weights = [path for path, module in model.named_modules() if isinstance(module, LAYERS)]
        # A transformer's projection is a parameter of its attention, whose own linear layer stands for both.
        weights = [path.removesuffix(".out_proj") for path in weights]
        save_program(program, folder / f"{name}.pt2", keep=("nn_module_stack",))
        facts = json.dumps({"layers": layers, "weights": weights}, indent=1, sort_keys=True)
        (folder / f"{name}.json").write_text(facts + "\n", encoding="utf-8")
    torch.manual_seed(0)
    feats = {"a.b": torch.randn(1, 4), "a_b": torch.randn(1, 4)}
    save_program(torch.export.export(Outputs().eval(), (feats, torch.randn(1, 3))), folder / "outputs.pt2")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
