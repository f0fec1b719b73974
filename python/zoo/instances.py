# SPDX-License-Identifier: Apache-2.0
"""Makes networks: weights at random with a fixed seed, statistics from samples."""

import torch
from torch import nn

STATISTICS = 16  # samples from which batch norms take theirs
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.LayerNorm, nn.GroupNorm, nn.InstanceNorm2d, nn.RMSNorm)


def make(network, count):
    """The module with weights and statistics, and `count` samples: a tuple of tensors each."""
    torch.manual_seed(14)
    module = network.build()
    with torch.no_grad():
        for layer in module.modules():
            if isinstance(layer, NORMS) and layer.weight is not None:
                layer.weight.uniform_(0.6, 1.4)
            if isinstance(layer, NORMS) and getattr(layer, "bias", None) is not None:
                layer.bias.normal_(0, 0.2)
            if isinstance(layer, nn.PReLU):
                layer.weight.uniform_(0, 0.5)
            if isinstance(layer, (nn.BatchNorm1d, nn.BatchNorm2d)):
                layer.momentum = None  # the mean of what all samples show
    generator = torch.Generator().manual_seed(15)
    samples = [tuple(draw(generator) for draw in network.inputs) for _ in range(STATISTICS + count)]
    if any(isinstance(layer, (nn.BatchNorm1d, nn.BatchNorm2d)) for layer in module.modules()):
        with torch.no_grad():
            module(*[torch.cat(parts) for parts in zip(*samples[:STATISTICS])])
    return module.eval(), samples[STATISTICS:]


def arrays(program, samples):
    """The samples as the arrays of a .npz: one for each input, under its name."""
    specs = program.graph_signature.input_specs
    names = [spec.arg.name for spec in specs if spec.kind.name == "USER_INPUT"]
    return {name: torch.stack(parts).numpy() for name, parts in zip(names, zip(*samples))}
