# SPDX-License-Identifier: Apache-2.0
"""Trains the handwritten-digits fixture and writes tests/fixtures/digits/.

Data: scikit-learn's load_digits, the test part of the UCI "Optical Recognition of Handwritten Digits" set
(E. Alpaydin, C. Kaynak; CC BY 4.0): 1,797 real digits of 8x8 pixels, 0..16. 1,437 train, 360 are held out.
Needs torch, numpy and scikit-learn from PyPI. Seeds are fixed; another version of torch may give other weights.

    python3 python/train_digits.py [OUTPUT_FOLDER]
"""

import pathlib
import sys

import numpy as np
import torch
from fixture_files import save_program
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn


def convolution(inputs, outputs, size, groups=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, padding=size // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )


class Digits(nn.Module):
    """A residual block, then a depthwise separable one: the operators that small vision models are made of."""

    def __init__(self):
        super().__init__()
        self.stem = convolution(1, 16, 3)
        self.residual = nn.Sequential(convolution(16, 16, 3), nn.Conv2d(16, 16, 3, padding=1), nn.BatchNorm2d(16))
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2)
        self.depthwise = convolution(16, 16, 3, groups=16)
        self.pointwise = convolution(16, 32, 1)
        self.average = nn.AdaptiveAvgPool2d(1)
        self.dropout = nn.Dropout(0.1)
        self.hidden = nn.Linear(32, 32)
        self.classes = nn.Linear(32, 10)

    def forward(self, image):
        x = self.stem(image)
        x = self.pool(self.relu(x + self.residual(x)))
        x = self.average(self.pointwise(self.depthwise(x)))
        x = self.dropout(torch.flatten(x, 1))
        return self.classes(torch.relu(self.hidden(x)))


def train(model, images, labels, epochs=80):
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-2)
    batches = (len(images) + 63) // 64
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, total_steps=epochs * batches)
    loss_function = nn.CrossEntropyLoss(label_smoothing=0.02)
    for _ in range(epochs):
        for batch in torch.randperm(len(images)).split(64):
            # Shifts by one pixel are the only augmentation.
            shift = (int(torch.randint(-1, 2, ())), int(torch.randint(-1, 2, ())))
            moved = torch.roll(images[batch], shift, dims=(2, 3))
            optimizer.zero_grad()
            loss_function(model(moved), labels[batch]).backward()
            optimizer.step()
            schedule.step()


def load_images():
    """Images and labels of training, and those held out: train_x, test_x, train_y, test_y."""
    digits = load_digits()
    images = (digits.images / 16.0).astype(np.float32)[:, None]
    labels = digits.target.astype(np.int64)
    return train_test_split(images, labels, test_size=360, stratify=labels, random_state=0)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/fixtures/digits")
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    train_x, test_x, train_y, test_y = load_images()
    model = Digits().to(memory_format=torch.channels_last)
    train(model, torch.from_numpy(train_x), torch.from_numpy(train_y))
    model.eval()

    example = torch.from_numpy(test_x[:1]).to(memory_format=torch.channels_last)
    program = torch.export.export(model, (example,))
    save_program(program, folder / "digits.pt2")
    with torch.no_grad():
        output = model(torch.from_numpy(test_x).to(memory_format=torch.channels_last)).numpy()

    # Calibration uses training samples only.
    np.savez_compressed(folder / "calibration.npz", image=train_x[:64])
    np.savez_compressed(folder / "test.npz", image=test_x, labels=test_y, output=output)
    print("float top-1 on the held-out digits:", float((output.argmax(1) == test_y).mean()))


if __name__ == "__main__":
    main()
