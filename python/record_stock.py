# SPDX-License-Identifier: Apache-2.0
"""Records programs of ExecuTorch's own Cortex-M flow: tests/fixtures/stock/MODEL/{m55,m4,m0plus}.pte.

    python python/record_stock.py tests/fixtures/stock/MODEL [--explicit-layout]

Needs torch and executorch. The folder holds quant.pt2, a graph that CortexMQuantizer and convert_pt2e made, and the
inputs in_K.npy. Writes the programs that CortexMPassManager makes of the graph for each core, with use_explicit_layout
on request. What ExecuTorch's C++ runtime gave for the inputs on a board, device_out_CORE_K.npy, cannot be recorded from
Python.
"""

import pathlib
import sys

import torch
from executorch.backends.cortex_m.edge_compile_config import cortex_m_edge_compile_config
from executorch.backends.cortex_m.passes.cortex_m_pass_manager import CortexMPassManager
from executorch.backends.cortex_m.target_config import CortexM, CortexMTargetConfig
from executorch.exir import to_edge

CORES = {"m55": CortexM.M55, "m4": CortexM.M4, "m0plus": CortexM.M0PLUS}


def lowered(path, core, explicit):
    edge = to_edge(torch.export.load(path), compile_config=cortex_m_edge_compile_config())
    target = CortexMTargetConfig(cpu=core)
    passes = CortexMPassManager(edge.exported_program(), target_config=target, use_explicit_layout=explicit)
    edge._edge_programs["forward"] = passes.transform()
    return edge.to_executorch().buffer


def main():
    folder = pathlib.Path(sys.argv[1])
    explicit = "--explicit-layout" in sys.argv[2:]
    for name, core in CORES.items():
        (folder / f"{name}.pte").write_bytes(lowered(folder / "quant.pt2", core, explicit))


if __name__ == "__main__":
    main()
