# SPDX-License-Identifier: Apache-2.0
"""The nodes that Arm's adapter for Model Explorer makes of a program are those of `rushlight profile --node-data`.

usage: model_explorer_check.py MODEL.pt2
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


def adapted(program):
    """The nodes of each graph: name and operator, by the adapter."""
    from pte_adapter_model_explorer.main import PTEAdapter

    collections = PTEAdapter().convert(program, {})["graphCollections"]
    return {graph.id: {node.id: node.label for node in graph.nodes} for one in collections for graph in one.graphs}


def main(model):
    if importlib.util.find_spec("pte_adapter_model_explorer") is None:
        print("skipped: this Python has no package 'pte-adapter-model-explorer'")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        program, data = os.path.join(folder, "model.pte"), os.path.join(folder, "data.json")
        run("compile", model, "-o", program, "--target", "cortex-m4")
        report = run("profile", program, "--on", "cortex-m4", "--node-data", data)
        graphs = adapted(program)
        with open(data, encoding="utf-8") as file:
            written = json.load(file)
    (method,) = written
    results = written[method]["results"]
    for op in report["ops"]:
        name = f"{method}_0_{op['index']}"
        if graphs[method].get(name) != op["operator"] or results[name]["value"] != op["cycles"]:
            sys.exit(f"{name}: expected {op['operator']} with {op['cycles']} cycles, found {graphs[method].get(name)}")
    if len(results) != len(report["ops"]):
        sys.exit(f"expected {len(report['ops'])} nodes, found {len(results)}")
    print(f"{len(results)} nodes")


if __name__ == "__main__":
    main(*sys.argv[1:])
