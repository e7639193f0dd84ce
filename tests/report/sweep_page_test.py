#!/usr/bin/env python3
"""Pages of `orrery report SWEEP_FOLDER`: sweep_page_test.py BUILD. Numbers are of invented results,
so that each is known."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

SVG, HTML = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xhtml}"
ORRERY = None
PS = 1_000_000_000  # of a millisecond


def result(inputs, milliseconds, npus=8):
    return {"partial": False, "name": "job", "backend": "fluid", "ignored": [], "fingerprint": "f",
            "finish_ps": int(milliseconds * PS), "compute_ps": 0, "exposed_ps": 0, "idle_ps": 0,
            "bound_ps": 0, "exposed_by": {}, "events": 1, "messages": 1, "memory": [],
            "ranks": [{"multiplicity": npus}],
            "host": {"wall_s": 1, "cpu_s": 1, "peak_rss_bytes": 1},
            "provenance": {"version": "1", "commit": "c", "inputs": inputs}}


def sweep(folder, keys, points, name="study"):
    """`points`: (values, result or None for one that failed)."""
    rows = []
    for i, (values, found) in enumerate(points):
        place = folder / "points" / str(i)
        place.mkdir(parents=True)
        rows.append({"experiment": "job.yaml", "values": values, "flows": False, "inputs": str(i),
                     "folder": f"points/{i}"})
        if found is None:
            (place / "failed.json").write_text(json.dumps(
                {"exit_code": 1, "signal": None, "peak_memory_bytes": 1, "last_lines": ["stuck"]}))
        else:
            milliseconds, npus = found if isinstance(found, tuple) else (found, 8)
            (place / "result.json").write_text(json.dumps(result(str(i), milliseconds, npus)))
    (folder / "sweep.json").write_text(json.dumps(
        {"schema": "orrery.sweep/1", "name": name, "version": "1", "commit": "c", "set": [],
         "keys": keys, "points": rows}))


def report(folder, *arguments, code=0):
    done = subprocess.run([ORRERY, "report", str(folder), *arguments], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return (folder / "report.html").read_text() if code == 0 else done.stderr


def sections(page):
    return {one.get("id"): one for one in ElementTree.fromstring(page).iter(HTML + "section")}


def text_of(section):
    return "".join(section.itertext())


def marks(section, tag):
    return [mark for mark in section.iter(SVG + tag) if mark.find(SVG + "title") is not None]


def titles(section, tag):
    return [mark.find(SVG + "title").text for mark in marks(section, tag)]


class Pages(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def grid(self):
        """Of the 3 x 3 grid of sweep_statistics_test.cc, in ms; one point failed."""
        costs = [[14, 11, 12], [13, 10, 19], [15, None, 18]]
        sweep(self.folder, ["s.row", "s.column"],
              [([str(row), f"{column + 1} us"], costs[row][column]) for row in range(3)
               for column in range(3)])
        return report(self.folder)

    def test_grid(self):
        found = sections(self.grid())
        self.assertEqual(list(found), ["lines", "heat", "tornado", "points"])
        self.assertIn("8 of 9 points are done, 1 failed. The best, row = 1, column = 2 us, has a time "
                      "of 10 ms.", text_of(found["points"]))
        self.assertIn("The time is least at row = 1, column = 2 us: 10 ms; most at row = 1, column = "
                      "3 us: 19 ms, 90.0 % more.", text_of(found["lines"]))

    def test_lines(self):
        """Up to 19 ms. Equal steps of the axis stand for equal times."""
        section = sections(self.grid())["lines"]
        dots = {mark.find(SVG + "title").text: mark for mark in marks(section, "circle")}
        self.assertEqual(len(dots), 8)
        at = {float(title.split(": ")[1].split(" ")[0]): float(dot.get("cy"))
              for title, dot in dots.items()}
        step = (at[10] - at[19]) / 9
        self.assertGreater(step, 5)
        for milliseconds, y in at.items():
            self.assertAlmostEqual(at[10] - y, (milliseconds - 10) * step, delta=0.1)
        self.assertEqual(titles(section, "path"), ["row = 2, column = 2 us: failed"])
        self.assertIn("Crosses are points that failed.", text_of(section))

    def test_heat_map(self):
        section = sections(self.grid())["heat"]
        cells = {mark.find(SVG + "title").text: mark for mark in marks(section, "rect")}
        self.assertEqual(len(cells), 8)
        best = cells["row = 1, column = 2 us: 10 ms"]
        outline = [mark for mark in section.iter(SVG + "rect") if mark.get("fill") == "none"]
        self.assertEqual([mark.get("stroke") for mark in outline], ["#ffffff", "#1a1a1a"])
        for side in ("x", "y"):
            self.assertAlmostEqual(float(outline[0].get(side)), float(best.get(side)) + 2, delta=0.1)
        worst = cells["row = 1, column = 3 us: 19 ms"]
        self.assertEqual((best.get("fill"), worst.get("fill")), ("#289baa", "#140a50"))
        self.assertEqual(titles(section, "path"), ["row = 2, column = 2 us: failed"])

    def test_cells_near_the_best(self):
        """10 and 10.4 ms, beside each other, are within 5 %: six edges. 10.6 ms are not."""
        costs = [[12, 10, 10.4], [12, 10.6, 12]]
        sweep(self.folder, ["s.row", "s.column"],
              [([str(row), str(column)], costs[row][column]) for row in range(2)
               for column in range(3)])
        section = sections(report(self.folder))["heat"]
        self.assertIn("The dashed line goes round 2 cells within 5 % of the best.", text_of(section))
        cells = {mark.find(SVG + "title").text.split(": ")[1]: mark for mark in marks(section, "rect")}
        edges = []
        for path in section.iter(SVG + "path"):
            if path.get("fill") == "none" and path.get("stroke-dasharray") == "none":
                edges += re.findall(r"M([0-9.]+) ([0-9.]+)([HV])([0-9.]+)", path.get("d"))
        self.assertEqual(len(edges), 6)
        first, last = cells["10 ms"], cells["10.4 ms"]
        left, right = float(first.get("x")), float(last.get("x")) + float(last.get("width"))
        down = {float(x) for x, _, way, _ in edges if way == "V"}
        self.assertEqual({round(x, 1) for x in down}, {round(left, 1), round(right, 1)})

    def test_points_lead_to_their_runs(self):
        source = pathlib.Path(__file__).resolve().parents[2] / "examples/sweep/latency.yaml"
        subprocess.run([ORRERY, "sweep", str(source), "-o", str(self.folder)], check=True,
                       capture_output=True)
        page = report(self.folder)
        for section in ("lines", "heat", "front"):
            links = [link.get("href") for link in sections(page)[section].iter(SVG + "a")]
            self.assertEqual(len(set(links)), 9, section)
            for link in links:
                self.assertIn("<h1>", (self.folder / link).read_text())
        for chart in (self.folder / "charts").iterdir():
            self.assertNotIn("</a>", chart.read_text())
        # A page beside another folder has nothing to lead to.
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        report(self.folder, "-o", str(elsewhere / "page.html"))
        self.assertNotIn('href="points', (elsewhere / "page.html").read_text())

    def test_tornado(self):
        section = sections(self.grid())["tornado"]
        self.assertIn("What matters most is s.column: 3 us in place of 2 us changes the time from 10 "
                      "ms by 9 ms.", text_of(section))
        lengths = {}
        for bar in marks(section, "rect"):
            lengths.setdefault(bar.find(SVG + "title").text.split(",")[0], []).append(
                (int(bar.get("data-value")), float(bar.get("width"))))
        self.assertEqual([value for value, _ in lengths["column"]], [3 * PS, 6 * PS])
        self.assertEqual([value for value, _ in lengths["row"]], [1 * PS])
        self.assertAlmostEqual(lengths["column"][1][1], 6 * lengths["row"][0][1], delta=0.5)

    def test_median_and_band(self):
        """10, 20, 30, 40, 100 ms: median 30, from 14 to 76 (sweep_statistics_test.cc)."""
        repeats = [10, 20, 30, 40, 100]
        sweep(self.folder, ["s.x", "seed"],
              [([x, str(seed)], milliseconds * factor) for x, factor in (("1", 1), ("2", 2))
               for seed, milliseconds in enumerate(repeats)])
        section = sections(report(self.folder))["lines"]
        self.assertEqual(titles(section, "circle"),
                         ["x = 1: 30 ms, 10-90 %: 14 ms to 76 ms, 5 seeds",
                          "x = 2: 60 ms, 10-90 %: 28 ms to 152 ms, 5 seeds"])
        band = [mark for mark in section.iter(SVG + "path") if mark.get("fill-opacity")]
        self.assertEqual(len(band), 1)
        ys = [float(pair.split(" ")[1]) for pair in re.split("[MLz]", band[0].get("d")) if pair]
        self.assertEqual(len(ys), 4)  # 76, 152, 28, 14: two above, two below
        self.assertAlmostEqual((ys[0] - ys[1]) / (ys[3] - ys[2]), (152 - 76) / (28 - 14), delta=0.1)
        self.assertIn("medians over the seeds", text_of(section))

    def test_front(self):
        """Time against NPUs: 16 NPUs in 5 ms are beaten by 8 in 5 ms."""
        sweep(self.folder, ["s.x"], [(["1"], (9.0, 4)), (["2"], (5.0, 8)), (["3"], (5.0, 16)),
                                     (["4"], (2.0, 32)), (["5"], (3.0, 32))])
        section = sections(report(self.folder))["front"]
        self.assertIn("3 of 5 points are beaten by no other in both time and number of NPUs", text_of(section))
        full = [title for mark, title in zip(marks(section, "circle"), titles(section, "circle"))
                if mark.get("fill") != "none"]
        self.assertEqual(full, ["x = 1: 9 ms, 4", "x = 2: 5 ms, 8", "x = 4: 2 ms, 32"])

    def test_metrics(self):
        sweep(self.folder, ["s.x"], [(["1"], (9.0, 4)), (["2"], (5.0, 8))])
        page = report(self.folder, "--metric", "npus", "--against", "finish_ps")
        self.assertIn("How does the number of NPUs depend", page)
        self.assertIn("has the metric \"banana\"", report(self.folder, "--metric", "banana", code=3))
        self.assertIn("has the metric \"drops\"", report(self.folder, "--against", "drops", code=3))

    def test_words_and_small_multiples(self):
        """Three keys: a chart for each of the two words, a line for each of the two counts."""
        sweep(self.folder, ["a.size", "b.count", "c.word"],
              [([f"{size} MB", str(count), word], size * count + (word == "ring"))
               for size in (1, 2, 3) for count in (1, 2) for word in ("ring", "direct")])
        section = sections(report(self.folder))["lines"]
        self.assertEqual(len(list(section.iter(SVG + "svg"))), 2)
        captions = [heading.text for heading in section.iter(HTML + "h3")]
        self.assertEqual(captions, ["word = ring", "word = direct"])
        self.assertIn("count = 2", text_of(section))
        # Both reach up to 7 ms, that of the first: 3 MB, 2 of them, and 1 ms more.
        places = []
        for chart in section.iter(SVG + "svg"):
            at = {title.split(": ")[1]: float(dot.get("cy"))
                  for dot, title in zip(marks(chart, "circle"), titles(chart, "circle"))}
            places.append(at)
        self.assertAlmostEqual(places[0]["2 ms"], places[1]["2 ms"], delta=0.01)
        self.assertAlmostEqual(places[0]["7 ms"] - places[1]["6 ms"],
                               places[0]["4 ms"] - places[0]["3 ms"], delta=0.02)

    def test_heads_are_short(self):
        """The whole key is under the pointer; the folder is named by what tells it from others."""
        sweep(self.folder, ["a.long.size", "b.count"], [([str(i), str(i % 2)], i + 1)
                                                        for i in range(4)])
        table = next(sections(report(self.folder))["points"].iter(HTML + "table"))
        heads = [(head.text, head.get("title")) for head in table.iter(HTML + "th")
                 if head.get("scope") == "col"]
        self.assertEqual(heads[:2], [("size", "a.long.size"), ("count", "b.count")])
        names = [name.name for name in (self.folder / "points").iterdir()]
        self.assertEqual(len(names), 4)

    def test_samples(self):
        """Values that no two points share: points, and no lines."""
        sweep(self.folder, ["a.x", "b.y"], [([str(i + 0.5), str(37 * i % 20 + 0.25)], i + 1)
                                            for i in range(20)])
        found = sections(report(self.folder))
        self.assertNotIn("heat", found)
        charts = list(found["lines"].iter(SVG + "svg"))
        self.assertEqual(len(charts), 2)
        self.assertEqual(len(marks(found["lines"], "circle")), 40)

    def test_keys_that_change_together(self):
        """A line over the first of them; they are one key."""
        sweep(self.folder, ["a.x", "b.y", "c.z"], [([str(i), str(9 - i), f"w{i % 2}{i}"], i)
                                                   for i in range(1, 5)])
        found = sections(report(self.folder))
        self.assertEqual(titles(found["lines"], "circle"), [f"x = {i}: {i} ms" for i in range(1, 5)])

    def test_hostile_texts(self):
        words = ["</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "a&b;&amp;",
                 "x" * 5000, "\u202eright to left", "<!--", "]]>", "", "{} {0} %s"]
        sweep(self.folder, ["a.<b>", words[0]], [([one, other], 1 + i + j)
                                                for i, one in enumerate(words)
                                                for j, other in enumerate(words)], name=words[1])
        page = report(self.folder)
        ElementTree.fromstring(page)
        self.assertEqual(page.count("<script"), 1)  # the page's own
        self.assertNotIn("<img", page)

    def test_bytes_do_not_change_and_sizes_are_bounded(self):
        """2,000 points: at most 3 MB."""
        sweep(self.folder, ["s.x", "s.y"], [([str(x), str(y)], 1 + x + y) for x in range(50)
                                            for y in range(40)])
        page = report(self.folder)
        self.assertEqual(page, report(self.folder))
        self.assertLess(len(page.encode()), 3_000_000)
        ids = re.findall(r' id="([^"]*)"', page)
        self.assertEqual(len(ids), len(set(ids)))
        self.assertIn('href="runs.csv"', page)
        self.assertIn('<a href="points/1999/">points/1999</a>', page)
        self.assertEqual(len((self.folder / "runs.csv").read_text().splitlines()), 2001)
        self.assertNotIn("style=", page)

    def test_no_sweep_makes_a_page_above_8_megabytes(self):
        """2,000 points of three keys whose values have 10,000 characters each."""
        sweep(self.folder, ["a.x", "b.y", "c.z"],
              [(["x" * 10_000 + str(i % 20), "y" * 10_000 + str(i // 20 % 20),
                 "z" * 10_000 + str(i // 400)], 1 + i) for i in range(2000)])
        page = report(self.folder)
        self.assertLess(len(page.encode()), 8_000_000)
        ElementTree.fromstring(page)
        self.assertGreater(page.count("<svg"), 3)

    def test_nothing_to_report(self):
        sweep(self.folder, ["s.x"], [(["1"], None)])
        self.assertIn("no point of study is done", report(self.folder, code=3))


if __name__ == "__main__":
    ORRERY = str(pathlib.Path(sys.argv[1]).resolve() / "orrery")
    unittest.main(argv=sys.argv[:1])
