# SPDX-License-Identifier: Apache-2.0
"""Quantization-aware training: goes on training the digits with int8 weights and activations.

    python python/train_quantized_digits.py tests/fixtures/graphs

Needs torch, torchao, executorch and scikit-learn. Starts from tests/fixtures/digits/digits.pt2 and writes
qat_digits.pt2, whose batch norms are folded as training saw them. The data and their division are those of
train_digits.py; tests/fixtures/digits/test.npz holds the held-out part.
"""

import pathlib
import sys

import numpy as np
import torch
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from fixture_files import save_program
from torchao.quantization.pt2e import disable_observer, move_exported_model_to_eval, move_exported_model_to_train
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_qat_pt2e
from train_digits import Digits, load_images

EPOCHS = 6


def prepare(model, images):
    """The model with fake quantization at the places that the quantizer chooses, still in training mode."""
    batch = torch.export.Dim("batch", min=1, max=256)
    graph = torch.export.export(model.train(), (images[:64],), dynamic_shapes=({0: batch},)).module()
    config = get_symmetric_quantization_config(is_per_channel=True, is_qat=True)
    return prepare_qat_pt2e(graph, XNNPACKQuantizer().set_global(config))


def train(graph, images, labels):
    optimizer = torch.optim.SGD(graph.parameters(), lr=2e-3, momentum=0.9)
    loss_function = torch.nn.CrossEntropyLoss()
    for epoch in range(EPOCHS):
        move_exported_model_to_train(graph)
        if epoch == EPOCHS - 1:
            graph.apply(disable_observer)  # the last epoch trains the weights on the final scales
        for batch in torch.randperm(len(images)).split(64):
            optimizer.zero_grad()
            loss_function(graph(images[batch]), labels[batch]).backward()
            optimizer.step()
    move_exported_model_to_eval(graph)


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.manual_seed(0)
    torch.set_num_threads(1)
    train_x, test_x, train_y, test_y = load_images()
    model = Digits()
    model.load_state_dict(torch.export.load(folder.parent / "digits" / "digits.pt2").state_dict)
    graph = prepare(model, torch.from_numpy(train_x))
    train(graph, torch.from_numpy(train_x), torch.from_numpy(train_y))
    quantized = convert_pt2e(graph)
    example = torch.from_numpy(test_x[:1])
    save_program(torch.export.export(quantized, (example,)), folder / "qat_digits.pt2")
    with torch.no_grad():
        answers = np.concatenate([quantized(torch.from_numpy(x[None])).argmax(1).numpy() for x in test_x])
    print("top-1 of the quantized graph on the held-out digits:", float((answers == test_y).mean()))


if __name__ == "__main__":
    main()
