# SPDX-License-Identifier: Apache-2.0
"""From a model of PyTorch to an answer on an emulated core: three lines, under a minute. Exits with 1 otherwise."""

import os
import time

import torch

start = time.monotonic()
torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3, stride=2), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Conv2d(8, 16, 3, stride=2),
    torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(16, 10),
)
images = torch.utils.data.TensorDataset(torch.randn(64, 3, 32, 32), torch.zeros(64, dtype=torch.int64))
loader = torch.utils.data.DataLoader(images, batch_size=8)
image = torch.randn(1, 3, 32, 32)

import rushlight  # noqa: E402

program = rushlight.compile(model, (image,), calibration=loader, target="cortex-m4")
answer = program.run(image, on="cortex-m4")

spent = time.monotonic() - start
assert isinstance(answer, torch.Tensor) and answer.shape == (1, 10)
assert torch.equal(answer, program.run(image))
assert model.training, "the model trains as before"
wanted = model.eval()(image)
error = (answer - wanted).pow(2).sum() / wanted.pow(2).sum()
assert error < 0.01, f"the answer is {error:.3f} of its size away"
again = rushlight.compile(torch.export.export(model, (image,)), calibration=loader)
assert again.pte == program.pte
assert program.evaluate(loader).sqnr_db > 20
assert spent < 60, f"{spent:.0f} seconds"
print(f"{spent:.1f} seconds", os.environ.get("VIRTUAL_ENV", ""))
