# SPDX-License-Identifier: Apache-2.0
"""How the recording scripts write models."""

import zipfile

import torch

# Where a node comes from: folders of the machine that exports, places in its memory. Nobody reads them.
ORIGINS = ("stack_trace", "nn_module_stack", "from_node")


def save_program(program, path, keep=()):
    """torch.export.save without the origins of nodes, but those to keep: the same model gives the same bytes on every
    machine."""
    for module in program.graph_module.modules():
        for node in getattr(getattr(module, "graph", None), "nodes", ()):
            for key in ORIGINS:
                if key not in keep:
                    node.meta.pop(key, None)
    torch.export.save(program, path)


def compress(path):
    """Deflates what an archive holds: graphs of a hundred calls are mostly repeated names."""
    with zipfile.ZipFile(path) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in members:
            member = zipfile.ZipInfo(name)  # without the time
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, data)
