# SPDX-License-Identifier: Apache-2.0
"""The Python package without PyTorch: from a .pt2 to answers, results, errors, sweeps."""

import concurrent.futures
import json
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import numpy as np

import rushlight
from rushlight import _native

FIXTURES = pathlib.Path(os.environ["RUSHLIGHT_FIXTURES"])
MODEL = FIXTURES / "digits/digits.pt2"
CALIBRATION = FIXTURES / "digits/calibration.npz"
PROGRAM = os.environ["RUSHLIGHT_PROGRAM"]
IMAGES = np.load(CALIBRATION)["image"]
TEST = np.load(FIXTURES / "digits/test.npz")


def compile_digits(**options):
    return rushlight.compile(MODEL, calibration=CALIBRATION, **options)


def command_line(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)


class Compiles(unittest.TestCase):
    def test_bytes_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "digits.pte"
            done = command_line("compile", MODEL, "-o", path, "--calibrate", CALIBRATION, "--target", "cortex-m4")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(compile_digits().pte, path.read_bytes())
            compile_digits().save(path.with_suffix(".again"))
            self.assertEqual(path.read_bytes(), path.with_suffix(".again").read_bytes())
            self.assertEqual(sorted(file.name for file in path.parent.iterdir()), ["digits.again", "digits.pte"])

    def test_every_form_of_calibration_is_the_same(self):
        expected = compile_digits().pte
        forms = {
            "an array": IMAGES,
            "a mapping": {"image": IMAGES},
            "paths": [str(CALIBRATION)],
            "batches": [IMAGES[i : i + 7] for i in range(0, len(IMAGES), 7)],
            "a generator of batches": (IMAGES[i : i + 7] for i in range(0, len(IMAGES), 7)),
            "samples one by one": [image for image in IMAGES],
            "batches with labels": [(IMAGES[i : i + 7], np.zeros(7, np.int64)) for i in range(0, len(IMAGES), 7)],
            "batches by name": [{"image": IMAGES[:30]}, {"image": IMAGES[30:]}],
            "float64, other order": np.asfortranarray(IMAGES.astype(np.float64)),
            "big-endian": IMAGES.astype(">f4"),
        }
        for what, form in forms.items():
            with self.subTest(what):
                self.assertEqual(rushlight.compile(MODEL.read_bytes(), calibration=form).pte, expected)

    def test_an_endless_loader_is_cut(self):
        def endless():
            while True:
                yield IMAGES[:10]

        once = rushlight.compile(MODEL, calibration=IMAGES[:10])
        cut = rushlight.compile(MODEL, calibration=endless(), calibration_samples=10)
        self.assertEqual(cut.pte, once.pte)

    def test_options_change_the_program(self):
        plain = compile_digits()
        self.assertEqual(compile_digits(io="int8").info["inputs"][0]["dtype"], "int8")
        self.assertNotEqual(compile_digits(target="cortex-m0").pte, plain.pte)
        self.assertNotEqual(compile_digits(quantizer="stock").pte, plain.pte)
        self.assertEqual(compile_digits(threads=1).pte, plain.pte)

    def test_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            program = rushlight.compile(MODEL)
        self.assertEqual([item.category for item in caught], [rushlight.RushlightWarning])
        self.assertEqual(program.warnings, [str(caught[0].message)])
        self.assertEqual(caught[0].filename, __file__)


class Runs(unittest.TestCase):
    program = compile_digits()

    def test_answers(self):
        outputs = self.program.run(TEST["image"])
        self.assertEqual((outputs.shape, outputs.dtype), ((360, 10), np.float32))
        self.assertGreater((outputs.argmax(1) == TEST["labels"]).mean(), 0.97)
        one = self.program.run(TEST["image"][:1])
        np.testing.assert_array_equal(one, outputs[:1])
        outputs[0] = 0  # it is the caller's
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "p.pte"
            self.program.save(path)
            np.testing.assert_array_equal(rushlight.load(path).run(TEST["image"])[1:], outputs[1:])

    def test_emulated_core(self):
        images = TEST["image"][:5]
        np.testing.assert_array_equal(self.program.run(images, on="cortex-m4"), self.program.run(images))

    def test_evaluates(self):
        result = self.program.evaluate(TEST["image"], TEST["labels"])
        done = command_line("evaluate", MODEL, "x.pte", "--json")
        self.assertEqual(done.returncode, 2)  # the data are missing: the verb is the same
        self.assertGreater(result.top1_quantized, 0.97)
        pairs = [(TEST["image"][i : i + 50], TEST["labels"][i : i + 50]) for i in range(0, 360, 50)]
        self.assertEqual(self.program.evaluate(pairs).to_dict(), result.to_dict())
        with self.assertRaisesRegex(rushlight.UsageError, "float model is missing"):
            rushlight.Program(self.program.pte).evaluate(TEST["image"])

    def test_profiles_and_reports(self):
        profile = self.program.profile(clock="80MHz")
        self.assertEqual((profile.core, profile.program_bytes), ("cortex-m4", len(self.program.pte)))
        self.assertGreater(profile["cycles"], profile["instructions"])
        page = self.program.report(data=TEST["image"][:8], labels=TEST["labels"][:8])
        self.assertIn("<!doctype html>", page.html.lower())
        self.assertIsNotNone(page.data["evaluation"])
        self.assertIn("srcdoc", page._repr_html_())
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.html"
            self.program.report(path)
            self.assertIn("<table", path.read_text())

    def test_diff(self):
        self.assertTrue(self.program.diff(compile_digits()).equal)
        self.assertFalse(self.program.diff(compile_digits(target="cortex-m0")).equal)

    def test_shows_itself(self):
        hostile = rushlight.Result({"name": "<script>", "list": [{"a": 1}, {"b": "&"}], "none": None})
        self.assertNotIn("<script>", hostile._repr_html_())
        self.assertIn("&lt;script&gt;", hostile._repr_html_())
        self.assertIn("arena", repr(self.program))
        self.assertIn("program_bytes", self.program._repr_html_())
        with self.assertRaisesRegex(AttributeError, "there is no 'b' in this result; it has: name, list, none"):
            hostile.b

    def test_travels(self):
        again = pickle.loads(pickle.dumps(self.program))
        self.assertEqual((again.pte, again.target), (self.program.pte, "cortex-m4"))
        self.assertEqual(again.evaluate(TEST["image"]).sqnr_db, self.program.evaluate(TEST["image"]).sqnr_db)


def tree(folder):
    """The bytes of all files below a folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


class InFolder(unittest.TestCase):
    """Tests that run in an empty folder with the program of digits in model.pte."""

    program = compile_digits()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        self.program.save("model.pte")


class WritesC(InFolder):
    labels = [f"digit {number}" for number in range(10)]

    def expect_same(self, folder, *words):
        """The folder has the files of the command line, which writes a folder of the same name."""
        pathlib.Path("labels.txt").write_text("\n".join(self.labels))
        os.mkdir("other")
        done = command_line(*words, "-o", f"other/{folder}")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = tree(pathlib.Path(folder))
        self.assertEqual(found, tree(pathlib.Path("other", folder)))
        return found

    def test_source(self):
        result = self.program.emit_c("digits", with_kernels=True, labels=self.labels)
        words = ["--emit", "c", "--with-kernels", "--labels", "labels.txt", "--target", "cortex-m4"]
        files = self.expect_same("digits", "compile", "model.pte", *words)
        self.assertIn(b'"digit 7"', files["model.c"])
        self.assertIn("#define DIGITS_ARENA_BYTES %d" % result.arena_bytes, files["model.h"].decode())
        self.assertTrue([name for name in files if name.startswith("kernels/") and name.endswith(".c")])

    def test_options_of_the_source(self):
        self.program.emit_c(pathlib.Path("plain"), name="mine", arena="caller")
        files = tree(pathlib.Path("plain"))
        self.assertEqual(sorted(files), ["model.c", "model.h"])
        self.assertIn(b"mine_run(void *arena)", files["model.h"])
        self.program.emit_c("plain", force=True)
        self.assertIn(b"plain_run(void)", pathlib.Path("plain/model.h").read_bytes())

    def test_project(self):
        result = self.program.firmware("digits", labels=self.labels)
        self.assertEqual((result.name, result.core), ("digits", "cortex-m4"))
        words = ["--target", "cortex-m4", "--labels", "labels.txt"]
        files = self.expect_same("digits", "firmware", "model.pte", *words)
        for name in ("main.c", "CMakeLists.txt", "README.md", "model/model.c", "board/memory.ld"):
            self.assertIn(name, files)
        self.program.firmware("digits", target="cortex-m55", force=True)
        self.assertNotEqual(pathlib.Path("digits/board/board.cmake").read_bytes(), files["board/board.cmake"])

    def test_a_name_that_is_none_in_c(self):
        with self.assertWarnsRegex(rushlight.RushlightWarning, "'3-d' cannot start names in C"):
            self.assertEqual(self.program.firmware("3-d").name, "model_3_d")


class Complains(InFolder):
    def expect(self, kind, words, call):
        """The exception has the sentence that the command line prints."""
        with self.assertRaises(kind) as caught:
            call()
        self.assertIs(type(caught.exception), kind)
        done = command_line(*words)
        self.assertTrue(done.stderr.startswith(f"rushlight {words[0]}: {caught.exception}\n"), done.stderr)

    def test_sentences(self):
        usage, error = rushlight.UsageError, rushlight.RushlightError
        self.expect(usage, ["compile", MODEL, "--target", "cortex-m5"], lambda: compile_digits(target="cortex-m5"))
        self.expect(usage, ["compile", MODEL, "--quantizer", "bst"], lambda: compile_digits(quantizer="bst"))
        self.expect(error, ["inspect", "missing.pte"], lambda: rushlight.load("missing.pte"))
        os.symlink(CALIBRATION, "model.pt2")
        self.expect(error, ["compile", "model.pt2", "-o", "x.pte"], lambda: rushlight.compile("model.pt2"))

    def test_sentences_of_folders(self):
        usage, error = rushlight.UsageError, rushlight.RushlightError
        program, write, to = self.program, ["firmware", "model.pte", "-o", "new"], ["--target", "cortex-m4"]
        os.mkdir("mine")
        pathlib.Path("mine/file").write_text("mine")
        emit = ["compile", "model.pte", "--emit", "c", "-o", "mine", *to]
        self.expect(error, emit, lambda: program.emit_c("mine"))
        self.expect(error, [*emit, "--force"], lambda: program.emit_c("mine", force=True))
        self.expect(error, ["firmware", "model.pte", "-o", "mine", *to], lambda: program.firmware("mine"))
        self.expect(usage, [*write, "--board", "microbitt"], lambda: program.firmware("new", board="microbitt"))
        self.expect(usage, [*write, *to, "--board", "microbit"],
                    lambda: program.firmware("new", target="cortex-m4", board="microbit"))
        self.expect(usage, [*write, "--target", "any"], lambda: program.firmware("new", target="any"))
        pathlib.Path("model.pte").write_bytes((FIXTURES / "programs/branch.pte").read_bytes())
        changing = rushlight.load("model.pte")
        self.expect(error, [*write, *to], lambda: changing.firmware("new", target="cortex-m4"))
        with self.assertRaisesRegex(error, "values or shapes change"):
            changing.emit_c("new", target="cortex-m4")
        with self.assertRaisesRegex(error, "labels.txt: expected a name a line .* found 2; .* has 10"):
            program.emit_c("new", labels=["a", "b"])
        for call in (rushlight.load("model.pte").emit_c, rushlight.load("model.pte").firmware):
            with self.assertRaisesRegex(usage, "the core is missing: .* pass target="):
                call("new")
        self.assertEqual(sorted(os.listdir()), ["mine", "model.pte"])
        self.assertEqual(os.listdir("mine"), ["file"])

    def test_a_board_that_is_too_small(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = rushlight.compile(FIXTURES / "composed/norms.pt2", target="cortex-m0")
        program.save("model.pte")
        words = ["firmware", "model.pte", "-o", "new", "--board", "microbit"]
        self.expect(rushlight.RushlightError, words, lambda: program.firmware("new", board="microbit"))
        measures = shutil.which("arm-none-eabi-gcc") and "RUSHLIGHT_FIRMWARE" in os.environ
        sentence = r"not fit microbit: it needs \d+ bytes of flash and \d+ of RAM, and finds 262144 and 16384"
        with self.assertRaisesRegex(rushlight.RushlightError, sentence if measures else "code cannot be measured"):
            program.firmware("new", board="microbit")
        self.assertEqual(os.listdir(), ["model.pte"])

    def test_what_only_python_can_be_given(self):
        for model, sentence in ((3, "int"), (None, "NoneType")):
            with self.assertRaisesRegex(rushlight.UsageError, sentence):
                rushlight.compile(model)
        for data, sentence in (
            (3, "samples of type int"),
            ([], "there are no samples"),
            (iter([]), "there are no samples"),
            ([(IMAGES[:2, :, :4], 0), (IMAGES[:2], 0)], "several shapes"),
            (np.array(["a"]), "elements of type"),
        ):
            with self.assertRaisesRegex(rushlight.RushlightError, sentence):
                rushlight.compile(MODEL, calibration=data)
        with self.assertRaisesRegex(rushlight.UsageError, "core is missing"):
            rushlight.Program(b"").profile()

    def test_nothing_half_written(self):
        program = compile_digits()
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(OSError):
                program.save(os.path.join(folder, "no", "p.pte"))
            os.mkdir(os.path.join(folder, "p.pte"))
            with self.assertRaises(OSError):
                program.save(os.path.join(folder, "p.pte"))
            self.assertEqual(os.listdir(folder), ["p.pte"])

    def test_ctrl_c(self):
        """Ctrl-C ends a long run at once, and what the job uses is there until it has ended."""
        code = (
            "import os, signal, threading, time, numpy, rushlight\n"
            "library, order = rushlight._native._library, []\n"
            "class Slow:\n"
            "    def __getattr__(self, name):\n"
            "        return getattr(library, name)\n"
            "    def rl_job_run(self, handle):\n"
            "        status = library.rl_job_run(handle)\n"
            "        time.sleep(0.5)\n"
            "        order.append('ended')\n"
            "        return status\n"
            "    def rl_job_free(self, handle):\n"
            "        order.append('freed')\n"
            "        library.rl_job_free(handle)\n"
            "rushlight._native._library = Slow()\n"
            f"program = rushlight.load({os.environ['RUSHLIGHT_COMPILED']!r})\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have told to ignore it\n"
            "threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
            "try:\n"
            "    program.run(numpy.zeros((400000, 1, 8, 8), numpy.float32))\n"
            "finally:\n"
            "    print(*order)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False)
        self.assertIn("KeyboardInterrupt", done.stderr, f"status {done.returncode}")
        self.assertEqual(done.stdout, "ended freed\n")


class Sweeps(unittest.TestCase):
    def sweep(self, executor):
        return rushlight.sweep(
            {"digits": MODEL, "broken": b"no model"},
            targets=["cortex-m0", "cortex-m4"],
            options=[{}, {"io": "int8"}],
            executor=executor,
            calibration=str(CALIBRATION),
            threads=1,
        )

    def test_any_executor(self):
        alone = self.sweep(None)
        self.assertEqual(len(alone), 8)
        self.assertEqual([point.error is None for point in alone], [True] * 4 + [False] * 4)
        self.assertEqual(alone[1].row()["io"], "int8")
        self.assertRegex(alone[4].error, "model.pt2: .*ZIP")
        for kind in (concurrent.futures.ThreadPoolExecutor, concurrent.futures.ProcessPoolExecutor):
            with kind(2) as executor:
                points = self.sweep(executor)
            self.assertEqual([p.row() for p in points], alone.rows())
            programs = [[point.program and point.program.pte for point in sweep] for sweep in (points, alone)]
            self.assertEqual(programs[0], programs[1])
        self.assertIn("cortex-m0", alone._repr_html_())

    def test_threads(self):
        expected, found = compile_digits().pte, []
        threads = [threading.Thread(target=lambda: found.append(compile_digits().pte)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 6)


class TellsAboutItself(unittest.TestCase):
    def test_lists(self):
        self.assertIn("nano-33-ble", json.dumps(rushlight.boards().to_dict()))
        self.assertIn("cortex-m85", json.dumps(rushlight.targets().to_dict()))
        self.assertEqual(rushlight.doctor().version, rushlight.__version__)

    def test_program(self):
        words = [sys.executable, "-m", "rushlight", "--version"]
        self.assertEqual(subprocess.run(words, capture_output=True, text=True, check=True).stdout,
                         f"rushlight {rushlight.__version__}\n")

    def test_progress(self):
        lines = []
        compile_digits().run(np.zeros((150000, 1, 8, 8), np.float32), progress=lines.append)
        self.assertRegex(lines[0], r"running: \d+ of 150000 samples")
        self.assertEqual(lines[-1], "")

    def test_library_is_checked(self):
        words = [sys.executable, "-c", "import rushlight"]
        environment = {**os.environ, "RUSHLIGHT_NATIVE": "/nowhere"}
        done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
        self.assertIn("ImportError: /nowhere/librushlight.so cannot be loaded", done.stderr)
        self.assertNotIn("torch", sys.modules)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["RUSHLIGHT_COMPILED"] = os.path.join(scratch, "digits.pte")
        compile_digits().save(os.environ["RUSHLIGHT_COMPILED"])
        unittest.main(exit=True)
