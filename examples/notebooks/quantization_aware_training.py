# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Quantization-aware training, to a microcontroller
#
# A network that was trained on handwritten digits (they come with scikit-learn) goes on training with int8 weights and
# activations, with PT2E and torchao. Its graph compiles as it is: no data for calibration, and the scales of the
# training. This notebook is also a script: `python quantization_aware_training.py`.

# %%
import sklearn.datasets
import torch
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from torchao.quantization.pt2e import disable_observer, move_exported_model_to_eval, move_exported_model_to_train
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_qat_pt2e

import rushlight

torch.manual_seed(0)
digits = sklearn.datasets.load_digits()
images = torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16
labels = torch.tensor(digits.target)
order = torch.randperm(len(images))
train, test = order[:1400], order[1400:]


# %%
def fit(model: torch.nn.Module, epochs: int, rate: float) -> None:
    """Trains on the images, in batches of 50."""
    optimizer = torch.optim.Adam(model.parameters(), rate)
    for _ in range(epochs):
        for batch in train[torch.randperm(len(train))].split(50):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(images[batch]), labels[batch]).backward()
            optimizer.step()


model = torch.nn.Sequential(
    torch.nn.Conv2d(1, 16, 3), torch.nn.BatchNorm2d(16), torch.nn.ReLU(), torch.nn.Conv2d(16, 16, 3, stride=2),
    torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(64, 10),
)
fit(model, 12, 2e-3)

# %% [markdown]
# The exported model gets fake quantization where the quantizer wants it, and trains on. In the last epochs the scales
# stay, so that the weights settle on them.

# %%
batch = torch.export.Dim("batch", min=1, max=64)
graph = torch.export.export(model.train(), (images[:50],), dynamic_shapes=({0: batch},)).module()
quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True, is_qat=True))
graph = prepare_qat_pt2e(graph, quantizer)
move_exported_model_to_train(graph)
fit(graph, 3, 5e-4)
graph.apply(disable_observer)
fit(graph, 2, 2e-4)
move_exported_model_to_eval(graph)
quantized = convert_pt2e(graph)

# %% [markdown]
# What PyTorch has quantized compiles without data. The program answers as the graph in PyTorch does.

# %%
program = rushlight.compile(quantized, (images[:1],), target="cortex-m4")
program

# %%
answers = program.run(images[test]).argmax(1)
in_torch = torch.cat([quantized(image[None]).argmax(1) for image in images[test[:100]]])
top1 = (answers == labels[test]).float().mean().item()
same = (answers[:100] == in_torch).float().mean().item()
print(f"top-1 {top1:.3f}, the same answer as the quantized graph in PyTorch: {same:.3f}")
assert top1 > 0.95 and same > 0.99

# %%
profile = program.profile(clock="64MHz")
print(f"{profile.milliseconds:.2f} ms on a Cortex-M4 at 64 MHz, arena {profile.arena_bytes} bytes")
assert torch.equal(program.run(images[test][:5], on="cortex-m4").argmax(1), answers[:5])
program.save("digits.pte")
