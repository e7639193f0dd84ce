#!/usr/bin/env python3
"""What a notebook does with results: notebook_test.py BUILD. The parts with pandas and matplotlib of
Debian are skipped where these are missing."""
import html
import os
import pathlib
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "python"))
import orrery  # noqa: E402  pylint: disable=wrong-import-position

try:
    import matplotlib
    import pandas
    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError:
    pandas = None

FIRST = ROOT / "examples/first-run/first.yaml"


def size_of(png):
    """Width and height of a picture in the PNG format."""
    data = png.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


class Shown(unittest.TestCase):
    def test_a_result_shows_its_report(self):
        """In a frame, whose text is the page that the program writes."""
        result = orrery.run(FIRST)
        shown = result._repr_html_()  # as notebooks call it
        page = html.unescape(shown.split('srcdoc="')[1].split('"></iframe>')[0])
        self.assertEqual(page, result.report())
        self.assertIn("<svg", page)
        self.assertIn("Where does an iteration's time go?", html.unescape(page))

    def test_a_comparison_too(self):
        page = orrery.compare([FIRST, ROOT / "examples/two-nics/two-nics.yaml"]).report()
        self.assertIn("<svg", page)

    def test_what_has_no_report_is_text(self):
        self.assertIsNone(orrery.coll("dgx-a100", sizes="1MiB")._repr_html_())


@unittest.skipUnless(pandas is not None, "needs python3-pandas and python3-matplotlib")
class Plots(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.out = cls.folder / "latency"
        for command in (["sweep", "run", ROOT / "examples/sweep/latency.yaml", "-o", cls.out],
                        ["sweep", "collect", cls.out]):
            done = subprocess.run([os.environ["ORRERY"], *command], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def saved(self, axes, name):
        file = self.folder / name
        axes.figure.savefig(file)
        pyplot.close(axes.figure)
        self.assertGreater(min(size_of(file)), 100)

    def test_lines_over_a_key(self):
        """Every point of the grid, 3 x 3; a line for each number of chunks. More latency is never
        faster."""
        runs = pandas.read_csv(self.out / "runs.csv")
        self.assertEqual(len(runs), 9)
        table = runs.pivot(index="system.injection_latency_ps", columns="system.chunks",
                           values="finish_ps")
        self.assertEqual(table.shape, (3, 3))
        self.assertTrue((table.diff().dropna() >= 0).all().all())
        self.saved(table.plot(logx=True, logy=True), "lines.png")

    def test_the_database_has_the_tables_of_the_files(self):
        with sqlite3.connect(self.out / "sweep.sqlite") as database:
            runs = pandas.read_sql("select * from runs", database)
            kinds = pandas.read_sql("select * from kinds", database)
        text = pandas.read_csv(self.out / "runs.csv")
        self.assertEqual(list(runs.columns), list(text.columns))
        self.assertEqual(list(runs["finish_ps"]), list(text["finish_ps"]))
        self.assertEqual(len(kinds), len(pandas.read_csv(self.out / "kinds.csv")))
        self.saved(runs.plot.scatter(x="bound_ps", y="finish_ps"), "points.png")

    def test_layers_of_a_result(self):
        result = orrery.run(FIRST)
        layers = result.layers.to_pandas()
        self.assertEqual(layers["exposed_ps"].sum(), result.exposed_ps)
        self.saved(layers.plot.barh(x="name", y=["compute_ps", "exposed_ps"], stacked=True),
                   "bars.png")


if __name__ == "__main__":
    system = "/usr/bin/python3"  # has what Debian installs; this one may be another
    if pandas is None and pathlib.Path(system).exists() and "--system" not in sys.argv:
        os.execv(system, [system, *sys.argv, "--system"])
    os.environ["ORRERY"] = str((pathlib.Path(sys.argv[1]) / "orrery").resolve())
    unittest.main(argv=sys.argv[:1])
