#!/usr/bin/env python3
"""The package python/orrery over the program. orrery_test.py BUILD."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "python"))
import orrery  # noqa: E402  pylint: disable=wrong-import-position

FIRST = ROOT / "examples/first-run/first.yaml"
# Two ranks exchange 50 MB in a ring of two: 2 steps of 25 MB over 25 GB/s and 1 us of latency each,
# after 3 ms of compute. Nothing else costs time.
RING = {"platform": {"topology": {"levels": [
            {"name": "ring", "kind": "ring", "size": 2, "bandwidth": "25 GB/s",
             "latency": "1 us"}]}},
        "system": {"algorithms": "ring", "chunks": 1, "injection_latency": "0 s"},
        "workload": {"program": [{"operations": [
            {"compute": "3 ms"}, {"all_reduce": "50 MB"}]}]}}
RING_PS = 3_000_000_000 + 2 * (1_000_000_000 + 1_000_000)
# Some 20 s of simulation.
LONG = {"platform": {"topology": {"levels": [
            {"kind": "switch", "size": 16, "bandwidth": "1 GB/s", "latency": "1 us"}]}},
        "network": {"backend": "queue"}, "system": {"chunks": 64},
        "workload": {"iterations": 4000, "program": [
            {"operations": [{"compute": "1 us"}, {"all_reduce": "1 MB"}]}]}}


class Run(unittest.TestCase):
    def test_path_and_dict(self):
        # Examples/first-run says by hand that it is 7.481 ms.
        self.assertEqual(orrery.run(FIRST).finish_ps, 7_481_020_000)
        self.assertEqual(orrery.run(str(FIRST)).name, "first")
        result = orrery.run(RING)
        self.assertEqual(result.finish_ps, RING_PS)
        self.assertEqual(result.compute_ps, 3_000_000_000)
        self.assertEqual((result.name, result["backend"]), ("experiment", "analytical"))

    def test_settings(self):
        bandwidth = "platform.topology.levels[0].bandwidth"
        # 50 GB/s halve 2 ms of transfer.
        self.assertEqual(orrery.run(RING, {bandwidth: "50 GB/s"}).finish_ps,
                         RING_PS - 1_000_000_000)
        program = [{"operations": [{"compute": "1 ms"}]}]
        result = orrery.run(RING, {"workload.program": program, "workload.iterations": 2})
        self.assertEqual((result.finish_ps, result.iterations), (2_000_000_000, 2))
        self.assertEqual(orrery.run(RING, seed=7).seed, 7)

    def test_files_of_a_dict_are_relative_to_the_working_directory(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "ring.yaml").write_text(
                "topology: {levels: [{kind: ring, size: 2, bandwidth: 25 GB/s, latency: 1 us}]}")
            before = os.getcwd()
            try:
                os.chdir(folder)
                result = orrery.run({**RING, "platform": {"file": "ring.yaml"}})
            finally:
                os.chdir(before)
        self.assertEqual(result.finish_ps, RING_PS)

    def test_bundled_platforms(self):
        result = orrery.run({"platform": {"file": "dgx-a100"}, "workload": RING["workload"]})
        self.assertEqual(sum(row.multiplicity for row in result.ranks), 8)

    def test_output(self):
        with tempfile.TemporaryDirectory() as folder:
            orrery.run(RING, output=folder, force=True)
            self.assertTrue((pathlib.Path(folder) / "result.json").exists())


class Results(unittest.TestCase):
    def test_tables_of_the_reference(self):
        # The rows of docs/reference/results.md, `name[]`, of every run of a program.
        page = (ROOT / "docs/reference/results.md").read_text(encoding="utf-8")
        result = orrery.run(RING, what_if=True, matrix=True, activity=True)
        tables = [name for name in orrery.results.TABLES if f"### `{name}[]`" in page]
        self.assertIn("layers", tables)
        for name in sorted(tables):
            if name in ("jobs", "memory", "difference", "rows", "summaries"):
                continue  # of other workloads and commands
            with self.subTest(table=name):
                self.assertIsInstance(getattr(result, name), orrery.Table)
        self.assertEqual(result.layers.columns[:3], ["name", "iteration", "pass"])

    def test_rows(self):
        result = orrery.run(RING)
        self.assertEqual(sum(result.why.column("time_ps")), result.finish_ps)
        self.assertEqual(result.why[0].part, "compute")  # 3 ms of 5.002
        self.assertEqual([row.part for row in result.why[0:1]], ["compute"])
        # Each rank sends each half twice.
        self.assertEqual(result.levels[0].bytes, 2 * 2 * 25_000_000)
        self.assertEqual(result.exposed_by["all_reduce"], 2_002_000_000)
        self.assertEqual(dict(result.exposed_by), {"all_reduce": 2_002_000_000})

    def test_empty_tables(self):
        table = orrery.run(RING).selected
        self.assertEqual((len(table), table.columns, table.to_list()), (0, [], []))

    def test_unknown_names(self):
        result = orrery.run(RING)
        with self.assertRaisesRegex(AttributeError, "no 'finnish_ps' here; .*finish_ps"):
            result.finnish_ps
        with self.assertRaisesRegex(KeyError, "no column 'times'; .*time_ps"):
            result.why.column("times")

    def test_pandas(self):
        try:
            import pandas  # noqa: F401  pylint: disable=unused-import
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = orrery.run(RING).why.to_pandas()
        self.assertEqual(frame["time_ps"].sum(), RING_PS)

    def test_to_pandas_gives_pandas_the_rows(self):
        class Stand:  # for pandas, which need not be here
            @staticmethod
            def DataFrame(rows, columns):
                return [[row.get(column) for column in columns] for row in rows]
        before = sys.modules.get("pandas")
        sys.modules["pandas"] = Stand
        try:
            rows = orrery.Table([{"a": 1}, {"a": 2, "b": 3}]).to_pandas()
        finally:
            del sys.modules["pandas"]
            if before:
                sys.modules["pandas"] = before
        self.assertEqual(rows, [[1, None], [2, 3]])


class Errors(unittest.TestCase):
    def test_place_and_remedy(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "wrong.yaml"
            file.write_text("platform:\n  topology:\n    levels:\n"
                            "      - {kind: ring, size: 2, bandwidth: 25, latency: 1 us}\n"
                            "workload: {program: [{operations: [{compute: 1 ms}]}], iteratoins: 2}\n")
            with self.assertRaises(orrery.ConfigError) as caught:
                orrery.run(file)
        error = caught.exception
        self.assertEqual((error.file, error.line, error.column), (str(file), 4, 42))
        self.assertEqual(error.path, "platform.topology.levels[0].bandwidth")
        self.assertEqual(error.what, '"25" has no unit')
        self.assertEqual(error.remedy, 'write for example "25 Gb/s" or "25 GB/s"')
        self.assertEqual([problem.line for problem in error.problems], [4, 5])
        self.assertIn(f"{file}:4:42: error: ", str(error))
        self.assertEqual(error.exit_code, 2)

    def test_dict(self):
        wrong = {**RING, "system": {"algoritms": "ring"}}
        with self.assertRaises(orrery.ConfigError) as caught:
            orrery.run(wrong)
        self.assertEqual((caught.exception.file, caught.exception.path), ("<dict>", "system"))
        self.assertIn("algorithms", caught.exception.remedy)
        self.assertNotIn("/dev/fd", str(caught.exception))

    def test_settings(self):
        with self.assertRaises(orrery.ConfigError) as caught:
            orrery.run(RING, {"system.chunks": 0})
        self.assertEqual(caught.exception.path, "system.chunks")

    def test_usage(self):
        with self.assertRaises(orrery.ConfigError) as caught:
            orrery.run(RING, ties=-1)
        self.assertEqual((caught.exception.problems, caught.exception.file), ([], None))
        self.assertIn("--ties", str(caught.exception))

    def test_files(self):
        with self.assertRaisesRegex(orrery.FilesError, "nowhere.yaml"):
            orrery.run("nowhere.yaml")

    def test_stuck_job(self):
        # Rank 0 waits for a message that nobody sends.
        stuck = {**RING, "workload": {"program": [
            {"ranks": 0, "operations": [{"receive": "1 MB", "from": 1}]},
            {"ranks": 1, "operations": [{"compute": "1 ms"}]}]}}
        with self.assertRaises(orrery.SimulationError) as caught:
            orrery.run(stuck)
        self.assertTrue(caught.exception.result.partial)
        self.assertEqual(caught.exception.result.partial_reason, "stuck")

    def test_program_is_found(self):
        before = os.environ["ORRERY"]
        try:
            os.environ["ORRERY"] = "/nowhere/orrery"
            with self.assertRaisesRegex(orrery.ProgramNotFound, "/nowhere/orrery"):
                orrery.run(FIRST)
            del os.environ["ORRERY"]
            path = os.environ["PATH"]
            os.environ["PATH"] = str(pathlib.Path(before).parent)
            self.assertEqual(orrery.find_program(), before)
            os.environ["PATH"] = path
        finally:
            os.environ["ORRERY"] = before
        self.assertTrue(orrery.version().startswith("orrery "))


class Others(unittest.TestCase):
    def test_compare(self):
        fast = {**RING, "system": {"algorithms": "ring", "chunks": 1, "injection_latency": "0 s"}, "name": "fast"}
        fast["platform"] = {"topology": {"levels": [
            {"name": "ring", "kind": "ring", "size": 2, "bandwidth": "50 GB/s",
             "latency": "1 us"}]}}
        comparison = orrery.compare({"slow": RING, "fast": fast})
        self.assertEqual(comparison["slow"].finish_ps, RING_PS)
        self.assertEqual(comparison["fast"].finish_ps, RING_PS - 1_000_000_000)
        self.assertEqual(comparison.systems.column("name"), ["slow", "fast"])
        self.assertEqual(comparison.systems[1].name, "fast")
        self.assertEqual(len(orrery.compare([FIRST, RING]).systems), 2)

    def test_coll(self):
        result = orrery.coll({"platform": RING["platform"], "system": RING["system"]}, sizes=["1 MB", "50 MB"],
                             algorithm=["ring"], chunks=1)
        self.assertEqual(result.rows.column("bytes"), [1_000_000, 50_000_000])
        self.assertEqual(result.rows[1].time_ps, 2_002_000_000)
        self.assertEqual(len(orrery.coll("dgx-a100", "all_gather", "1M").rows), 1)

    def test_sweep(self):
        bandwidth = "platform.topology.levels[0].bandwidth"
        grid = {"experiments": RING, "vary": [{bandwidth: ["25 GB/s", "50 GB/s"]}]}
        table = orrery.sweep(grid, jobs=1)
        self.assertEqual(table.column("finish_ps"), [RING_PS, RING_PS - 1_000_000_000])
        with tempfile.TemporaryDirectory() as folder:
            orrery.sweep(grid, {"system.chunks": 2}, output=folder)
            (pathlib.Path(folder) / "sweep.csv").unlink()
            begun = sorted((pathlib.Path(folder) / "points").iterdir())
            times = [path.stat().st_mtime_ns for path in begun]
            again = orrery.sweep(grid, {"system.chunks": 2}, output=folder)
            self.assertEqual(times, [path.stat().st_mtime_ns for path in begun])
        self.assertEqual(len(again), 2)

    def test_sweep_with_a_point_that_fails(self):
        stuck = {"experiments": {**RING, "workload": {"program": [
                     {"ranks": 0, "operations": [{"receive": "1 MB", "from": 1}]},
                     {"ranks": 1, "operations": [{"compute": "1 ms"}]}]}},
                 "vary": [{"system.chunks": [1, 2]}]}
        self.assertEqual(orrery.sweep(stuck).column("status"), ["failed", "failed"])


class Batch(unittest.TestCase):
    def test_order_and_failures(self):
        wrong = {**RING, "system": {"algoritms": "ring"}}
        bandwidth = {"platform.topology.levels[0].bandwidth": "50 GB/s"}
        for jobs in (1, 3):
            with self.subTest(jobs=jobs):
                answers = list(orrery.batch([RING, wrong, (RING, bandwidth), FIRST, "nowhere.yaml"],
                                            jobs=jobs))
                self.assertEqual(answers[0].finish_ps, RING_PS)
                self.assertIsInstance(answers[1], orrery.ConfigError)
                self.assertEqual(answers[1].line, 2)
                self.assertEqual(answers[1].path, "line 2: system")
                self.assertEqual(answers[2].finish_ps, RING_PS - 1_000_000_000)
                self.assertEqual(answers[3].name, "first")
                self.assertIsInstance(answers[4], orrery.FilesError)

    def test_same_result_as_run(self):
        batch, = orrery.batch([RING])
        run = orrery.run(RING)
        self.assertEqual(batch.fingerprint, run.fingerprint)
        self.assertEqual(batch.layers.to_list(), run.layers.to_list())
        self.assertEqual(batch.provenance.inputs, run.provenance.inputs)

    def test_answers_come_at_once(self):
        def endless():
            while True:
                yield RING
        answers = orrery.batch(endless(), jobs=1)
        self.assertEqual(next(answers).finish_ps, RING_PS)
        self.assertEqual(next(answers).finish_ps, RING_PS)
        answers.close()  # ends the process

    def test_mistakes_of_lines(self):
        lines = ["{", "3", '{"experiment": {}, "sets": {}}', "", '{"experiment": "x", "set": []}']
        ran = subprocess.run([os.environ["ORRERY"], "batch", "-j", "2"], input="\n".join(lines),
                             text=True, capture_output=True, check=False)
        answers = [orrery.commands._answer(line) for line in ran.stdout.splitlines()]
        self.assertEqual([answer.line for answer in answers], [1, 2, 3, 5])
        self.assertEqual([answer.what for answer in answers],
                         ["this is not JSON", "this is no experiment", "the key is not known",
                          "this is no map"])
        self.assertEqual((ran.returncode, ran.stderr), (1, ""))

    def test_mistakes_of_the_caller(self):
        with self.assertRaises(TypeError):
            list(orrery.batch([RING, {"platform": object()}]))
        with self.assertRaises(orrery.ConfigError):
            list(orrery.batch([RING], jobs=0))


class Interrupts(unittest.TestCase):
    """In a process of its own, which gets the SIGINT that Ctrl-C or a notebook sends."""

    def interrupted(self, code):
        script = textwrap.dedent(f"""
            import sys
            sys.path.insert(0, {str(ROOT / "python")!r})
            import orrery
            long = {LONG!r}
            print("begun", flush=True)
            try:
                {code}
            except KeyboardInterrupt:
                print("interrupted", flush=True)
            """)
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE,
                                   text=True)
        self.assertEqual(process.stdout.readline(), "begun\n")
        begun = time.monotonic()
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual((out, process.returncode), ("interrupted\n", 0))
        self.assertLess(time.monotonic() - begun, 15)

    def test_run(self):
        self.interrupted("orrery.run(long)")

    def test_batch(self):
        self.interrupted("list(orrery.batch([long, long], jobs=1))")


if __name__ == "__main__":
    os.environ["ORRERY"] = str(pathlib.Path(sys.argv.pop(1)).resolve() / "orrery")
    unittest.main(testRunner=unittest.TextTestRunner(stream=sys.stdout))
