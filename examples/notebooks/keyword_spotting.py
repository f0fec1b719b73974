# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Keyword spotting, from training to firmware
#
# Four spoken commands, imitated by synthetic sounds, so that nothing is downloaded. A network with its front end (a
# spectrogram) is trained in PyTorch, compiled for a Cortex-M4, compared with the float model, and run on an emulated
# core. This notebook is also a script: `python keyword_spotting.py`.

# %%
import torch

import rushlight

torch.manual_seed(0)
RATE, WORDS = 8000, ["up", "down", "yes", "no"]


# %% [markdown]
# A word is a tone of half a second that rises, falls, swells or fades, at any pitch, with noise.

# %%
def sounds(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Sounds of shape [count, RATE // 2], with values from -1 to 1, and the index of the word of each."""
    labels = torch.randint(len(WORDS), (count,))
    time = torch.linspace(0, 1, RATE // 2)
    pitch = 300 + 500 * torch.rand(count, 1)
    slope = torch.tensor([1.0, -0.6, 0.0, 0.0])[labels][:, None]
    swell = torch.tensor([0.0, 0.0, 1.0, -1.0])[labels][:, None]
    phase = 2 * torch.pi * pitch * 0.5 * (time + slope * time**2 / 2)
    volume = 0.5 + swell * (time - 0.5) * 0.9
    return 0.8 * volume * torch.sin(phase) + 0.05 * torch.randn(count, RATE // 2), labels


# %% [markdown]
# The spectrogram is part of the model: the firmware gives samples of the microphone to the program, and nothing has to
# be written twice.

# %%
class Spotter(torch.nn.Module):
    """Sounds [batch, 4000] to scores [batch, 4]."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(256))
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(1, 8, (5, 3), stride=2), torch.nn.BatchNorm2d(8), torch.nn.ReLU(),
            torch.nn.Conv2d(8, 16, 3, stride=2), torch.nn.BatchNorm2d(16), torch.nn.ReLU(),
            torch.nn.Flatten(), torch.nn.LazyLinear(len(WORDS)),
        )

    def forward(self, sound: torch.Tensor) -> torch.Tensor:
        spectrum = torch.stft(sound, 256, 128, window=self.window, center=False, return_complex=True)
        return self.layers(torch.log(spectrum.abs()[:, None, :64] + 1e-2))


model = Spotter()
model(sounds(1)[0].repeat(2, 1))
optimizer = torch.optim.Adam(model.parameters(), 3e-3)
for step in range(120):
    sound, label = sounds(64)
    loss = torch.nn.functional.cross_entropy(model(sound), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")

# %% [markdown]
# Three lines to a program, with 64 sounds for calibration.

# %%
example, _ = sounds(1)
program = rushlight.compile(model, (example,), calibration=sounds(64)[0], target="cortex-m4")
program

# %%
test, labels = sounds(200)
evaluation = program.evaluate(test, labels)
print(f"top-1 {evaluation.top1_quantized:.3f} of {evaluation.top1_float:.3f}, {evaluation.sqnr_db:.1f} dB")

# %% [markdown]
# The same bytes on an emulated Cortex-M4, and what an inference takes there.

# %%
answer = program.run(test[:8], on="cortex-m4")
print([WORDS[index] for index in answer.argmax(1)])
assert torch.equal(answer, program.run(test[:8]))
profile = program.profile(test[:1], clock="64MHz")
print(f"{profile.milliseconds:.1f} ms at 64 MHz, arena {profile.arena_bytes} bytes, stack {profile.stack_bytes} bytes")

# %% [markdown]
# The firmware: a project with the model as C, a `main.c` that feeds it a window of samples, and what the emulated core
# needs. The three commands of its README.md build and run it. Your microphone goes into `read_sensor` in `main.c`.

# %%
assert evaluation.top1_quantized > 0.95 and evaluation.top1_quantized >= evaluation.top1_float - 0.02
firmware = program.firmware("keyword_spotting", labels=WORDS, force=True)
print(f"{firmware.constant_bytes} bytes of constants, {firmware.arena_bytes} bytes of RAM")
firmware

# %% [markdown]
# `program.save` writes the file for a firmware whose model is replaced in the field; docs/update.md goes on from there.

# %%
program.save("keyword_spotting.pte")
