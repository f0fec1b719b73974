# SPDX-License-Identifier: Apache-2.0
"""Exports the networks of zoo/, compiles and measures each, and prints a table.

    scripts/zoo [--only NAME]... [--quick] [--quantizer stock] [--quantize a16w8]
                [--json FILE] [--list]

Needs torch, and what `scripts/build` leaves. Networks are narrow and their images small, so that all take some minutes;
their weights are random with a fixed seed. Batch norms have taken statistics from samples, so values have the ranges
that trained networks give them. SQNR is measured on samples that calibration has not seen.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

import numpy as np
import torch
import zoo
from fixture_files import save_program

CALIBRATION, EVALUATION = 16, 8
CORES = ("m4", "m55")


def export(network, name, folder):
    """Writes NAME.pt2, and samples as NAME.calibration.npz, NAME.evaluation.npz and NAME.first.npz."""
    module, samples = zoo.make(network, CALIBRATION + EVALUATION)
    with torch.no_grad():
        program = torch.export.export(module, samples[0])
    save_program(program, folder / f"{name}.pt2")
    parts = {"calibration": samples[:CALIBRATION], "evaluation": samples[CALIBRATION:], "first": samples[-1:]}
    for label, some in parts.items():
        np.savez(folder / f"{name}.{label}.npz", **zoo.arrays(program, some))


def call(program, *arguments):
    """What a verb prints with --json; its first line of errors, if it fails."""
    done = subprocess.run([program, *map(str, arguments), "--json"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().split("\n")[0])
    return json.loads(done.stdout)


def measure(options, name):
    """One row of the table."""
    row, program, folder = {}, options.program, options.folder
    model = folder / f"{name}.pt2"
    for core in CORES:
        pte = folder / f"{name}.{core}.pte"
        data = folder / f"{name}.calibration.npz"
        choices = ("--target", f"cortex-{core}", "--quantizer", options.quantizer, "--quantize", options.quantize)
        report = call(program, "compile", model, "-o", pte, "--calibrate", data, *choices)
        row[core] = {"arena_bytes": report["arena_bytes"], "program_bytes": report["program_bytes"]}
        row.setdefault("fp32_nodes", report["fp32_nodes"])
        row["seconds"] = round(row.get("seconds", 0) + report["seconds"], 2)
        if not options.quick:
            run = call(program, "run", pte, "--input", folder / f"{name}.first.npz", "--on", f"cortex-{core}")
            row[core]["instructions"] = run["instructions"]
    report = call(program, "evaluate", model, pte, "--data", folder / f"{name}.evaluation.npz")
    noise = [output["sqnr_db"] for output in report["outputs"] if output["sqnr_db"] is not None]
    row["sqnr_db"] = round(min(noise), 1) if noise else None
    row["agreement"] = report["agreement"]
    return row


def show(name, row):
    """Prints a row of the table."""
    if "error" in row:
        print(f"{name:22} {row['error'][:110]}", flush=True)
        return
    counts = [f"{row[core]['arena_bytes']:9,} {row[core]['program_bytes']:9,}" for core in CORES]
    runs = [f"{row[core]['instructions']:12,}" if "instructions" in row[core] else "           -" for core in CORES]
    floats = ", ".join(sorted({node["op"].split("::")[-1] for node in row["fp32_nodes"]}))
    noise = "-" if row["sqnr_db"] is None else f"{row['sqnr_db']:.1f}"
    print(
        f"{name:22} {len(row['fp32_nodes']):5} {noise:>6} {counts[0]} {counts[1]} {runs[0]} {runs[1]} "
        f"{row['seconds']:7.2f}  {floats}".rstrip(),
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(prog="scripts/zoo", description=__doc__.split("\n")[0])
    parser.add_argument("--only", action="append", metavar="NAME", help="this network, or this family; may be repeated")
    parser.add_argument("--quick", action="store_true", help="count no instructions: emulation takes most of the time")
    parser.add_argument("--quantizer", default="best", choices=("best", "stock"), help="its choices (%(default)s)")
    parser.add_argument("--quantize", default="int8", choices=("int8", "a16w8"), help="to which types (%(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write all figures here, too")
    parser.add_argument("--list", action="store_true", help="names and families, nothing else")
    parser.add_argument("--program", default="build/rushlight", help="the program rushlight (%(default)s)")
    parser.add_argument("--folder", default="build/zoo", type=pathlib.Path, help="for models and data (%(default)s)")
    options = parser.parse_args()
    known = {name for name in zoo.NETWORKS} | {network.family for network in zoo.NETWORKS.values()}
    for name in options.only or []:
        if name not in known:
            parser.error(f"there is no network or family '{name}'; --list prints them")
    chosen = {
        name: network
        for name, network in zoo.NETWORKS.items()
        if not options.only or name in options.only or network.family in options.only
    }
    if options.list:
        for name, network in chosen.items():
            print(f"{name:22} {network.family}")
        return 0
    return run(options, chosen)


def run(options, chosen):
    """Prints the table. Returns the exit status: 1 if a network does not compile."""
    options.folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    print(
        f"{'':22} {'float':>5} {'SQNR':>6} {'M4 arena':>9} {'flash':>9} {'M55 arena':>9} {'flash':>9}"
        f" {'M4 instr.':>12} {'M55 instr.':>12} {'seconds':>7}"
    )
    rows = {}
    for name, network in chosen.items():
        try:
            export(network, name, options.folder)
            row = measure(options, name)
        except Exception as error:  # one network that fails is a row like others
            row = {"error": f"{error.__class__.__name__}: {error}".replace("\n", " ")}
        rows[name] = {"family": network.family, **row}
        show(name, row)
    compiled = [row for row in rows.values() if "error" not in row]
    integer = [row for row in compiled if not row["fp32_nodes"]]
    print(
        f"{len(rows)} networks: {len(compiled)} compile, {len(integer)} without a float node,"
        f" {time.monotonic() - started:.0f} s"
    )
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    return 0 if len(compiled) == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
