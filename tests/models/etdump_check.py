# SPDX-License-Identifier: Apache-2.0
"""ExecuTorch's Inspector must find in an ETDump of `rushlight profile` the cycles that its report has, and the modules
of the model, as docs/viewers.md says.

usage: etdump_check.py MODEL.pt2
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile

RUSHLIGHT = os.environ["RUSHLIGHT"]


def run(*words):
    result = subprocess.run([RUSHLIGHT, *words, "--json"], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"rushlight {' '.join(words)}: {result.stderr}")
    return json.loads(result.stdout)


def check_modules(inspector, block, report):
    """Each layer takes in the Inspector what the report says."""
    layers = {op["index"]: op["layer"] for op in report["ops"]}
    for event in block.events:
        layer = layers.get(event._instruction_id)
        if layer:
            event.module_hierarchy = {event.name: {layer: ("", layer)}}
    named = [layer for layer in report["layers"] if layer["layer"]]
    if len(named) < 4:
        sys.exit(f"expected some layers, found {named}")
    for layer in named:
        name = layer["layer"]
        expected = sum(one["cycles"] for one in named if name in one["layer"])  # the modules in it, too
        found = inspector.find_total_for_module(name)
        if found != expected:
            sys.exit(f"{name}: expected {expected} cycles, the Inspector finds {found}")


def inspected(path, report):
    """Name, instruction and cycles of each event, by ExecuTorch."""
    from executorch.devtools import Inspector
    from executorch.devtools.inspector import TimeScale

    inspector = Inspector(
        etdump_path=path, source_time_scale=TimeScale.CYCLES, target_time_scale=TimeScale.CYCLES
    )
    (block,) = inspector.event_blocks
    check_modules(inspector, block, report)
    return block.name, [(event.name, event._instruction_id, event.perf_data.raw) for event in block.events]


def main(model):
    if importlib.util.find_spec("torch") is None:
        print("skipped: the Inspector needs torch, which this Python does not have")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        program, dump = os.path.join(folder, "model.pte"), os.path.join(folder, "model.etdp")
        run("compile", model, "-o", program, "--target", "cortex-m4")
        report = run("profile", program, "--on", "cortex-m4", "--etdump", dump)
        method, events = inspected(dump, report)
    expected = [
        (f"native_call_{entry['operator'].split('::')[1]}.{entry['overload']}", entry["index"], [entry["cycles"]])
        for entry in report["ops"]
    ]
    expected.append(("Method::execute", -1, [report["cycles"]]))
    if (method, events) != (report["method"], expected):
        sys.exit(f"expected {report['method']}, {expected}\nfound {method}, {events}")
    print(f"{len(events)} events")


if __name__ == "__main__":
    main(*sys.argv[1:])
