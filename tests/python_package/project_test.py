# SPDX-License-Identifier: Apache-2.0
"""The project of Program.firmware: its commands build it, and on the emulated core it prints what Program.run returns
for the samples of its main.c. Exits with 77 where a tool is missing."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import rushlight

FIXTURES = pathlib.Path(os.environ["RUSHLIGHT_FIXTURES"])
LABELS = [f"digit {number}" for number in range(10)]


def printed(project: pathlib.Path) -> list[str]:
    """The lines with outputs that the project prints on the emulated core."""
    for words in (["cmake", "-B", "build"], ["cmake", "--build", "build"]):
        done = subprocess.run(words, cwd=project, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and "warning" not in done.stderr, done.stdout + done.stderr
    words = ["cmake", "--build", "build", "--target", "run"]
    done = subprocess.run(words, cwd=project, capture_output=True, text=True, timeout=120, check=True)
    return re.findall("^.* thousandths, .*$", done.stdout, re.MULTILINE)


def expected(program: rushlight.Program) -> list[str]:
    """The same of the windows that main.c feeds, one after the other."""
    times = np.arange(3 * 64)
    windows = (times * 37 % 257).astype(np.float32) / np.float32(128) - np.float32(1)
    lines = []
    for output in program.run(windows.reshape(3, 1, 8, 8)):
        thousandths = [str(int(value * np.float32(1000))) for value in output]
        lines.append(f"project: {' '.join(thousandths)} thousandths, most for '{LABELS[int(output.argmax())]}'")
    return lines


def validates(program: rushlight.Program, project: pathlib.Path) -> None:
    """The firmware gives the bytes of the host; of another program it is not, and one that is not there is told."""
    (samples,) = np.load(FIXTURES / "digits/calibration.npz").values()
    result = program.validate(project, samples[:5], on="cortex-m4")
    assert result.identical and result.verdict == "identical" and result.samples == 5, result
    assert result.modelled_cycles > 100000 and result.stack_bytes > 200 and result.refused is None, result
    other = rushlight.compile(FIXTURES / "digits/digits.pt2", calibration=samples[:3], target="cortex-m4")
    wrong = other.validate(next((project / "build").glob("*_validate.elf")), on="cortex-m4")
    assert not wrong.identical and wrong.verdict == "wrong firmware", wrong
    for firmware, options, sentence in (
        (project, {}, "expected --port PORT or --on CORE"),
        (project / "model", {"on": "cortex-m4"}, "found 0 files"),
        (None, {"port": "/dev/null"}, "is not a serial port"),
    ):
        try:
            program.validate(firmware, **options)
        except rushlight.RushlightError as error:
            assert sentence in str(error), error
        else:
            raise AssertionError(f"{firmware} {options} is accepted")


def main() -> None:
    """Both ways to say which core."""
    missing = [tool for tool in ("cmake", "arm-none-eabi-gcc", "qemu-system-arm") if not shutil.which(tool)]
    if missing:
        print(f"not installed: {', '.join(missing)}; scripts/bootstrap brings it", file=sys.stderr)
        sys.exit(77)
    calibration = FIXTURES / "digits/calibration.npz"
    program = rushlight.compile(FIXTURES / "digits/digits.pt2", calibration=calibration, target="cortex-m4")
    lines = expected(program)
    for target in (None, "cortex-m0"):
        with tempfile.TemporaryDirectory() as folder:
            project = pathlib.Path(folder) / "project"
            core = program.firmware(project, target=target, labels=LABELS).core
            assert core == (target or "cortex-m4"), core
            found = printed(project)
            assert found == lines, f"{core}: {found}, not {lines}"
            print(f"{core}: {found[0]}")
            if target is None:
                validates(program, project)


if __name__ == "__main__":
    main()
