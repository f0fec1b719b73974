# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # MobileNetV2, end to end
#
# From a network in PyTorch to answers on emulated cores: data, training, one call that quantizes and compiles, what
# int8 cost, the same bytes on a Cortex-M55 and a Cortex-M4, and whether a board is large enough. The network is
# MobileNetV2 with a width of 0.35, defined here. The images are the handwritten digits that come with scikit-learn,
# enlarged and coloured, so that nothing is downloaded. This notebook is also a script: `python mobilenet_v2.py`.

# %%
import sklearn.datasets
import torch
from torch import nn

import rushlight

torch.manual_seed(0)
SIDE, WIDTH = 32, 0.35

# %% [markdown]
# ## Images
#
# Each digit gets a colour and a background. Pixels are normalized as for ImageNet; what calibrates and what a firmware
# passes are prepared in the same way.

# %%
digits = sklearn.datasets.load_digits()
labels = torch.tensor(digits.target)
ink = torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16
ink = nn.functional.interpolate(ink, (SIDE, SIDE), mode="bilinear")
colours = torch.rand(2, len(ink), 3, 1, 1)
pixels = ink * (0.6 + 0.4 * colours[0]) + (1 - ink) * 0.4 * colours[1]
MEAN, STD = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])
images = (pixels - MEAN[:, None, None]) / STD[:, None, None]
order = torch.randperm(len(images))
train, test = order[:1400], order[1400:]


# %% [markdown]
# ## The network
#
# Inverted residuals: a 1x1 convolution widens, a depthwise one filters, and a linear 1x1 convolution narrows again.

# %%
def layer(inputs: int, outputs: int, kernel: int = 1, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """Convolution, batch norm, ReLU6."""
    conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs), nn.ReLU6())


class InvertedResidual(nn.Module):
    """[batch, inputs, height, width] to [batch, outputs, height / stride, width / stride]."""

    def __init__(self, inputs: int, outputs: int, stride: int, expansion: int) -> None:
        super().__init__()
        hidden = inputs * expansion
        self.adds = stride == 1 and inputs == outputs
        self.layers = nn.Sequential(
            *([layer(inputs, hidden)] if expansion != 1 else []),
            layer(hidden, hidden, 3, stride, hidden),
            nn.Conv2d(hidden, outputs, 1, bias=False),
            nn.BatchNorm2d(outputs),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x) if self.adds else self.layers(x)


def channels(count: int) -> int:
    """The count times WIDTH, as a multiple of 8 that is not less than nine tenths of it."""
    rounded = max(8, int(count * WIDTH + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * count * WIDTH else rounded


class MobileNetV2(nn.Module):
    """Images [batch, 3, SIDE, SIDE] to scores [batch, classes]."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        inputs = channels(32)
        blocks: list[nn.Module] = [layer(3, inputs, 3, 2)]
        # Expansion, channels, how many, stride of the first. The stride of the second group is 1 instead of 2, because
        # these images are small.
        for expansion, count, repeats, stride in (
            (1, 16, 1, 1), (6, 24, 2, 1), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
        ):
            for index in range(repeats):
                blocks.append(InvertedResidual(inputs, channels(count), stride if index == 0 else 1, expansion))
                inputs = channels(count)
        self.features = nn.Sequential(*blocks, layer(inputs, 256))
        self.classifier = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(256, classes))

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.features(image))


model = MobileNetV2(10).to(memory_format=torch.channels_last)
print(f"{sum(p.numel() for p in model.parameters()):,} weights")

# %%
EPOCHS = 5
optimizer = torch.optim.AdamW(model.parameters(), 3e-3)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=EPOCHS * 28)
for epoch in range(EPOCHS):
    for batch in train[torch.randperm(len(train))].split(50):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images[batch]), labels[batch])
        loss.backward()
        optimizer.step()
        schedule.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")

# %% [markdown]
# ## Compile
#
# One call exports, calibrates with a hundred images, quantizes, lowers and plans. There is no quantizer to configure,
# no list of operators to preserve, and images need not be channels-last.

# %%
program = rushlight.compile(model, (images[:1],), calibration=images[train[:100]], target="cortex-m55")
program

# %% [markdown]
# All layers are integer operators. What int8 cost, on images that neither training nor calibration saw:

# %%
assert not program.info.get("fp32_groups")
evaluation = program.evaluate(images[test], labels[test])
print(f"top-1 {evaluation.top1_quantized:.3f} of {evaluation.top1_float:.3f}, {evaluation.sqnr_db:.1f} dB")
assert evaluation.top1_float > 0.9 and evaluation.top1_quantized >= evaluation.top1_float - 0.02

# %% [markdown]
# ## On emulated cores
#
# The same bytes as on the host; on a Cortex-M4 with a program of its own.

# %%
small = rushlight.compile(model, (images[:1],), calibration=images[train[:100]], target="cortex-m4")
some = test[:3]
for name, compiled in (("cortex-m55", program), ("cortex-m4", small)):
    answer = compiled.run(images[some], on=name)
    assert torch.equal(answer, compiled.run(images[some]))
    profile = compiled.profile(images[some[:1]])
    print(f"{name}: digits {answer.argmax(1).tolist()} of {labels[some].tolist()}, {profile.cycles:,} cycles, "
          f"arena {profile.arena_bytes:,} bytes, stack {profile.stack_bytes:,} bytes")

# %% [markdown]
# Which layers take the time:

# %%
for operator in sorted(profile.ops, key=lambda item: -item["cycles"])[:5]:
    print(f"{operator['cycles']:>9,} cycles  {operator['operator']:45} {operator.get('layer') or ''}")

# %% [markdown]
# ## On a board
#
# Does it fit an Arduino Nano 33 BLE? That links the code, so it wants arm-none-eabi-gcc.

# %%
if any(tool["name"] == "arm-none-eabi-gcc" and tool["found"] for tool in rushlight.doctor().tools):
    fit = small.fit("nano-33-ble", deadline="200ms")
    print(f"fits: {fit.fits}, {fit.flash_bytes:,} bytes of flash, {fit.ram_bytes:,} of RAM, {fit.milliseconds:.0f} ms")

# %%
small.save("mobilenet_v2.pte")
page = program.report("mobilenet_v2.html")
