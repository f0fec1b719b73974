# SPDX-License-Identifier: Apache-2.0
"""Writes those networks of zoo/ that tests compile, because they have parts that no other fixture has.

    python python/export_zoo.py tests/fixtures/zoo

Needs torch. Writes NAME.pt2 with random weights, and beside it NAME.npz with samples of its inputs.
"""

import pathlib
import sys

import numpy as np
import torch
import zoo
from fixture_files import save_program

NAMES = ("graph_attention", "llama", "skeleton", "stream_wakeword", "swin", "wide_and_deep")
SAMPLES = 4


def main():
    folder = pathlib.Path(sys.argv[1])
    for name in NAMES:
        module, samples = zoo.make(zoo.NETWORKS[name], SAMPLES)
        with torch.no_grad():
            program = torch.export.export(module, samples[0])
        save_program(program, folder / f"{name}.pt2")
        np.savez(folder / f"{name}.npz", **zoo.arrays(program, samples))


if __name__ == "__main__":
    main()
