#!/usr/bin/env python3
"""Pages of `orrery report`: report_page_test.py BUILD [--update].

A page is read by parsers of XML and of HTML. Bars must be as long as the numbers in the table below
them say. --update writes the golden pages anew.
"""
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GOLDEN = pathlib.Path(__file__).resolve().parent / "pages"
SVG, HTML = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xhtml}"
ORRERY = None

# A pipeline of 16 stages over 128 GPUs.
PIPELINE = [ROOT / "examples/llm-parallelism/inside.yaml", "--set",
            "platform.topology.levels[1].size=16", "--set", "workload.training.pipeline=16",
            "--activity", "--matrix", "--report"]

HOSTILE = ["</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "a&b;&amp;",
           "'quoted' \"twice\"", "x" * 10_000, "\u202eright to left\u2066", "]]>", "<!--", "-->",
           "\x00\x01\x1b[31m", "\ufffe\uffff", "{} {0} %s %n", "</title></svg></style>",
           "\u2028\u2029", "\u00e9\u4e2d\U0001f600", "", " ", "javascript:alert(1)", "../../etc/passwd",
           "url(http://example.org)"]


def orrery(*arguments):
    done = subprocess.run([ORRERY, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT)
    return done


def simulated(folder, *arguments):
    done = orrery("run", *arguments, "-o", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "result.json").read_text())


def as_everywhere(result):
    """The result without what differs from build to build, and without keys that a new feature
    adds."""
    kept = result["provenance"]["configuration"]
    result["provenance"]["configuration"] = {
        key: value for key, value in kept.items() if key.startswith("platform.")}
    result["provenance"] |= {"version": "0", "commit": "0", "inputs": "0",
                             "command": "orrery run pipeline.yaml"}
    return result


def page_of(folder, *results):
    """The page of results, given as JSON."""
    files = []
    for i, result in enumerate(results):
        files.append(folder / f"result{i}.json")
        files[-1].write_text(json.dumps(result))
    page = folder / "page.html"
    done = orrery("report", *files, "-o", page)
    assert done.returncode == 0, done.stderr
    return page.read_text()


def tree_of(page):
    return ElementTree.fromstring(page)


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055)**2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def compared(folder):
    """Two systems of the HOTI'20 study, as JSON of `orrery compare`."""
    out = folder / "compared"
    done = orrery("compare", ROOT / "examples/flat-vs-hier/hier.yaml",
                  ROOT / "examples/flat-vs-hier/hieropt.yaml", "--report",
                  folder / "compared.html", "-o", out, "--quiet")
    assert done.returncode == 0, done.stderr
    result = json.loads((out / "comparison.json").read_text())
    result["systems"] = [as_everywhere(system) for system in result["systems"]]
    return result


class Outline(html.parser.HTMLParser):
    """Headings, ids and links as a browser sees them."""

    def __init__(self):
        super().__init__()
        self.headings, self.ids, self.tags, self.attributes = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        self.ids += [value for name, value in attrs if name == "id"]


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.result = as_everywhere(simulated(cls.folder / "pipeline", *PIPELINE))
        cls.page = page_of(cls.folder, cls.result)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_golden_bytes_twice(self):
        self.assertEqual(self.page, page_of(self.folder, self.result))
        self.assertEqual(self.page, (GOLDEN / "pipeline.html").read_text(),
                         "another page: look at it, then report_page_test.py BUILD --update")

    def test_golden_bytes_of_two_systems(self):
        self.assertEqual(page_of(self.folder, compared(self.folder)),
                         (GOLDEN / "hier-hieropt.html").read_text(),
                         "another page: look at it, then report_page_test.py BUILD --update")

    def test_run_writes_the_page_that_report_writes(self):
        out = self.folder / "first"
        done = orrery("run", "first-run", "-o", out, "--report", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (out / "report.html").read_text()
        self.assertIn('<a href="layers.csv">', page)
        self.assertEqual(orrery("report", out).stdout.strip(), str(out / "report.html"))
        self.assertEqual(page, (out / "report.html").read_text())

    def test_charts_are_files_too(self):
        """Each is a picture by itself, with the bytes of the page. What another page had goes;
        what Orrery did not write stays, or stops it."""
        out = self.folder / "files"
        done = orrery("run", "first-run", "-o", out, "--report", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        page, charts = (out / "report.html").read_text(), out / "charts"
        ids = [chart.get("id") for chart in tree_of(page).iter(SVG + "svg")]
        self.assertGreater(len(ids), 3)
        self.assertEqual(sorted(file.name for file in charts.iterdir()),
                         sorted(name + ".svg" for name in ids))
        for name in ids:
            text = (charts / (name + ".svg")).read_text()
            self.assertEqual(ElementTree.fromstring(text).tag, SVG + "svg")
            self.assertIn(text, page)
        earlier = (charts / "layers-chart-0.svg").read_text()
        (charts / "layers-chart-7.svg").write_text(earlier)
        (charts / "theirs.svg").write_text("<svg/>")
        self.assertEqual(orrery("report", out).returncode, 0)
        self.assertFalse((charts / "layers-chart-7.svg").exists())
        self.assertEqual((charts / "theirs.svg").read_text(), "<svg/>")
        self.assertEqual(orrery("report", out, "-o", out / "other.html").returncode, 0)
        self.assertEqual((out / "other-charts/layers-chart-0.svg").read_text(), earlier)
        (charts / "layers-chart-0.svg").write_text("<svg/>")
        done = orrery("report", out)
        self.assertEqual(done.returncode, 3)
        self.assertIn("is not a chart of a report", done.stderr)
        self.assertEqual((charts / "layers-chart-0.svg").read_text(), "<svg/>")

    def test_charts_are_png_too(self):
        """By a stand-in for rsvg-convert, which copies; where there is none, it says so."""
        out = self.folder / "png"
        self.assertEqual(orrery("run", "first-run", "-o", out, "--report", "--quiet").returncode, 0)
        stand_in = self.folder / "bin/rsvg-convert"
        stand_in.parent.mkdir()
        stand_in.write_text('#!/bin/sh\n[ "$1 $2 $4" = "--zoom 2 -o" ] && cp "$3" "$5"\n')
        stand_in.chmod(0o755)
        for path, code in ((f"{stand_in.parent}:{os.environ['PATH']}", 0), ("/nowhere", 3)):
            done = subprocess.run([ORRERY, "report", out, "--png"], capture_output=True, text=True,
                                  env={**os.environ, "PATH": path})
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn("rsvg-convert is not there: apt-get install librsvg2-bin", done.stderr)
        charts = sorted(out.glob("charts/*.svg"))
        self.assertGreater(len(charts), 3)
        self.assertEqual([chart.with_suffix(".png") for chart in charts],
                         sorted(out.glob("charts/*.png")))

    def test_outline(self):
        outline = Outline()
        outline.feed(self.page)
        self.assertEqual(outline.headings.count(1), 1)
        self.assertEqual(outline.headings[0], 1)
        for before, after in zip(outline.headings, outline.headings[1:]):
            self.assertLessEqual(after, before + 1)
        self.assertEqual(len(outline.ids), len(set(outline.ids)))
        self.assertIn(("html", "lang", "en"), outline.attributes)
        for tag in ("img", "link", "object", "iframe"):
            self.assertNotIn(tag, outline.tags)
        self.assertEqual(outline.tags.count("script"), 1)
        for tag, name, value in outline.attributes:
            self.assertNotEqual(name, "style")
            if name in ("href", "src"):
                self.assertRegex(value, r"^(#[\w-]+|[\w-]+\.csv)$")
            if not name.startswith("xmlns"):
                self.assertNotIn("http:", value or "")

    def test_charts_say_what_they_are(self):
        tree = tree_of(self.page)
        charts = list(tree.iter(SVG + "svg"))
        # Time, stages, steps, layers, network, links, two of activity, the matrix, collectives,
        # memory, memory over time.
        self.assertEqual(len(charts), 12)
        for chart in charts:
            self.assertEqual(chart.get("role"), "img")
            self.assertEqual(chart[0].tag, SVG + "title")
            self.assertTrue(chart[0].text)
            self.assertEqual(chart[1].tag, SVG + "desc")
            self.assertTrue(chart[1].text)
        for head in tree.iter(HTML + "th"):
            self.assertIn(head.get("scope"), ("row", "col"))

    def test_heads_say_what_a_number_is(self):
        """In the words of the declarations of results, under the pointer."""
        said = {(head.text, head.get("title")) for head in tree_of(self.page).iter(HTML + "th")
                if head.get("title")}
        fields = json.loads(orrery("schema", "result").stdout)["properties"]
        layers = fields["layers"]["items"]["properties"]
        for head, field in (("waited", "exposed_ps"), ("collectives in all", "raw_ps"),
                            ("bound by bandwidth", "raw_bound_ps")):
            self.assertIn((head, layers[field]["description"]), said)
        self.assertGreater(len(said), 8)

    def test_bars_are_as_long_as_their_numbers(self):
        checked = 0
        for section in tree_of(self.page).iter(HTML + "section"):
            charts = list(section.iter(SVG + "svg"))
            tables = [{float(cell.get("value")) for cell in table.iter(HTML + "data")}
                      for table in section.iter(HTML + "table")]
            for chart, table in zip(charts, tables):
                bars = [(float(bar.get("width")), float(bar.get("data-value")))
                        for bar in chart.iter(SVG + "rect") if bar.get("data-value")]
                if not bars:
                    continue
                longest, most = max(bars)
                for length, value in bars:
                    self.assertAlmostEqual(length, longest * value / most, delta=0.5)
                    if section.get("id") != "pipeline":  # its table has sums
                        self.assertIn(value, table)
                    checked += 1
        self.assertGreater(checked, 150)

    def test_steps_are_where_they_were(self):
        """A lane a stage, from 90 pixels to 800; the last step of all ends at the right."""
        chart = next(one for one in tree_of(self.page).iter(SVG + "svg")
                     if one.get("id") == "pipeline-chart-0")
        marks = [bar for bar in chart.iter(SVG + "rect") if bar.get("height") == "18.00"]
        steps = self.result["steps"]
        self.assertEqual(len(marks), len(steps))
        self.assertEqual(len({mark.get("y") for mark in marks}), 16)
        end = max(step["end_ps"] for step in steps)
        for mark, step in zip(marks, steps):
            self.assertAlmostEqual(float(mark.get("x")), 90 + 710 * step["begin_ps"] / end, delta=0.1)
            self.assertIn(f"stage {step['stage']}, {step['step']}", mark[0].text)

    def test_many_steps_are_put_together(self):
        """16 stages of 2,000 steps each, 32,000, in 4,000 marks at most, as long as the steps."""
        result = json.loads(json.dumps(self.result))
        row = result["steps"][0] | {"exposed_ps": 0}
        result["steps"] = [row | {"stage": stage, "begin_ps": i * 1000, "end_ps": (i + 1) * 1000,
                                  "step": "backward" if i % 2 else "forward"}
                           for stage in range(16) for i in range(2000)]
        page = page_of(self.folder, result)
        chart = next(one for one in tree_of(page).iter(SVG + "svg")
                     if one.get("id") == "pipeline-chart-0")
        marks = [float(bar.get("data-value")) for bar in chart.iter(SVG + "rect")
                 if bar.get("data-value")]
        self.assertLessEqual(len(marks), 4000)
        self.assertGreater(len(marks), 2000)
        self.assertEqual(sum(marks), 16 * 2_000_000)

    def test_parts_sum_to_the_finish(self):
        first = next(tree_of(self.page).iter(SVG + "svg"))
        parts = [int(bar.get("data-value")) for bar in first.iter(SVG + "rect")
                 if bar.get("data-value")]
        self.assertEqual(sum(parts), self.result["finish_ps"])

    def test_waterfall_sums_to_what_layers_waited(self):
        """Twenty layers wait 1 .. 20 us: fifteen bars, and one of 1 + .. + 5 = 15 us, of 210 us."""
        result = json.loads(json.dumps(self.result))
        row = result["layers"][0]
        result["layers"] = [row | {"name": f"layer{i}", "exposed_ps": i * 1_000_000}
                            for i in range(1, 21)]
        page = page_of(self.folder, result)
        section = next(one for one in tree_of(page).iter(HTML + "section")
                       if one.get("id") == "layers")
        chart = next(section.iter(SVG + "svg"))
        bars = [int(bar.get("data-value")) for bar in chart.iter(SVG + "rect")
                if bar.get("data-value")]
        self.assertEqual(len(bars), 16)
        self.assertEqual(sum(bars), 210_000_000)
        self.assertEqual(bars[-1], 15_000_000)
        self.assertIn("all others: the 5 below that wait", page)
        in_table = {cell.get("value") for cell in section.iter(HTML + "data")}
        self.assertIn("15000000", in_table)

    def test_contrast(self):
        ground = "#ffffff"
        marks = {bar.get("fill") for bar in tree_of(self.page).iter(SVG + "rect")
                 if bar.get("data-value")}
        colours = {colour for colour in re.findall(r"#[0-9a-f]{6}", " ".join(marks))}
        colours |= {"#" + name for name in re.findall(r"chart-?\d*-([0-9a-f]{6})-\d", " ".join(marks))}
        self.assertGreaterEqual(len(colours), 4)
        for colour in colours:
            self.assertGreaterEqual(contrast(colour, ground), 3, colour)
        source = (ROOT / "report/chart/palette.h").read_text()
        for name, colour in re.findall(r"\* (\w+) = \"(#[0-9a-f]{6})\"", source):
            if name not in ("ground", "grid"):
                self.assertGreaterEqual(contrast(colour, ground), 3, name)
        style = re.search(r"<style>(.*?)</style>", self.page, re.S)[1]
        themes = re.findall(r"--ground: (#\w+); --ink: (#\w+); --quiet: (#\w+);.*?--link: (#\w+);",
                            style, re.S)
        self.assertEqual(len(themes), 4)  # each as the system says, and as readers choose
        self.assertEqual(themes[0:2], themes[2:4])
        for theme in themes:
            for text in theme[1:]:
                self.assertGreaterEqual(contrast(theme[0], text), 4.5, theme)

    def test_hostile_texts(self):
        """200 texts, ten on a page, in turn in the place of every name."""
        texts = HOSTILE + [a + b for a in HOSTILE[:12] for b in HOSTILE if len(a + b) < 10_000]
        charts = self.page.count("<svg")
        for begin in range(0, 200, 10):
            some = texts[begin:begin + 10]
            self.assertEqual(len(some), 10)
            result = json.loads(json.dumps(self.result)) | {"name": some[0], "notices": some}
            rows = result["layers"] + result["links"] + result["why"]
            for i, row in enumerate(rows):
                for field in ("name", "level", "part", "collective", "knob"):
                    if row.get(field):
                        row[field] = some[i % 10]
            result["provenance"]["configuration"] |= {text: text for text in some}
            page = page_of(self.folder, result)
            tree_of(page)
            outline = Outline()
            outline.feed(page)
            self.assertEqual(outline.tags.count("script"), 1)
            self.assertNotIn("img", outline.tags)
            self.assertEqual(page.count("<svg"), charts)
            self.assertNotRegex(page, "[\u202a-\u202e\u2066-\u2069\x00-\x08]")

    def test_the_script_is_the_one_of_the_tree(self):
        """Bytes of the tree, less than 25 kB; what XML and HTML read is the same."""
        source = (ROOT / "report/html/page_script.js").read_text()
        self.assertLess(len(source.encode()), 25_000)
        self.assertNotIn("]]>", source)
        self.assertNotIn("</", source)
        self.assertEqual(next(tree_of(self.page).iter(HTML + "script")).text.count(source), 1)
        self.assertIn(source, self.page)
        for word in ("http", "import", "fetch", "XMLHttpRequest", "eval", "innerHTML"):
            self.assertNotIn(word, source.replace("http://www.w3.org/2000/svg", ""))

    def test_size(self):
        self.assertLess(len(self.page.encode()), 1_500_000)

    def test_a_large_topology_as_boxes(self):
        """128 servers of 8 NPUs and 8 NICs, 8 rails, 16 spines: 1,024 NPUs join 128 buses, 1,024
        NICs and 8 rails; each rail has a link to each of 16 spines: 128."""
        done = orrery("topo", "export", "dgx-h100-rail", "--format", "svg", "--set",
                      "platform.topology.rail.nodes=128")
        self.assertEqual(done.returncode, 0, done.stderr)
        picture = tree_of(done.stdout)
        self.assertLess(float(picture.get("width")), 1000)
        texts = [text.text or "" for text in picture.iter(SVG + "text")]
        for begin in ("1024 NPUs", "1024 NICs", "128 switches", "8 switches", "16 switches"):
            self.assertEqual(len([text for text in texts if text.startswith(begin)]), 1, begin)
        for links in ("128 x 100 GB/s", "1024 x 50 GB/s", "1024 x 64 GB/s", "1024 x 450 GB/s"):
            self.assertIn(links, texts)

    def test_a_torus_as_planes(self):
        """8 x 8 x 8: planes of 8 x 8, three beside each other (8 have no whole root)."""
        done = orrery("topo", "export", "tpu-v4-torus", "--format", "svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        picture = tree_of(done.stdout)
        self.assertLess(float(picture.get("width")), 2000)
        self.assertLess(float(picture.get("height")), 2000)

    def test_systems_beside_each_other(self):
        other = json.loads(json.dumps(self.result)) | {"name": "another"}
        page = page_of(self.folder, self.result, other)
        tree_of(page)
        self.assertIn("<h3>another</h3>", page)
        self.assertNotIn(".csv", page)

    def test_queues_over_time(self):
        """Sixteen NPUs send to each other over TCP through a switch of 64 kB: packets are lost. A
        chart each for queues, waits, the watched queue, the switch, and a window; its table has
        what the result has."""
        done = orrery("run", ROOT / "examples/hoti20/single.yaml", "--set",
                      "network.switch.watch=all", "--set", "network.switch.buffer=64 kB", "--set",
                      "network.transport.watch=[{from: 0, to: 1}]", "--set",
                      "platform.topology.levels[0].size=16", "-o", self.folder / "queues", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads((self.folder / "queues/result.json").read_text())
        packets = result["packets"]
        self.assertGreater(packets["drops"], 0)
        page = page_of(self.folder, result)
        section = next(one for one in tree_of(page).iter(HTML + "section")
                       if one.get("id") == "queues")
        charts = {chart.get("id"): chart for chart in section.iter(SVG + "svg")}
        self.assertEqual(list(charts), ["queues-chart-0", "waits-chart-0", "depths-chart-0",
                                        "switches-chart-0", "windows-chart-0"])
        self.assertIn(f" loses {packets['drops']} of ", "".join(section.itertext()))
        tables = [[[cell.get("value") or cell.text for cell in row.iter()
                    if cell.tag in (HTML + "data",)] for row in table.iter(HTML + "tr")][1:]
                  for table in section.iter(HTML + "table")]
        self.assertEqual([int(row[0]) for row in tables[0]],
                         [queue["most_waiting"] for queue in packets["queues"]])
        self.assertEqual([int(row[2]) for row in tables[0]],
                         [queue["drops"] for queue in packets["queues"]])
        peaks = sorted((max(depth["peaks"]) for depth in packets["depths"]), reverse=True)
        self.assertEqual([int(row[0]) for row in tables[2]], peaks)
        window = max(sample[1] for sample in packets["flows"][0]["samples"])
        self.assertEqual(int(tables[4][0][0]), window)
        # Seven lines: those with the highest peaks.
        lines = [path for path in charts["depths-chart-0"].iter(SVG + "path") if len(path)]
        self.assertEqual(len(lines), 7)

    def test_memory_over_time_has_the_peaks_of_the_model(self):
        """In the order of the schedule, the passes under way at the fullest moment are those that
        the model counts, whatever the schedule."""
        for schedule in ("1f1b", "gpipe", "zb-h1", "interleaved", "dualpipe",
                         "dualpipe-v"):
            settings = ["--set", f"workload.training.schedule={schedule}"]
            if schedule == "interleaved":
                settings += ["--set", "workload.training.chunks=2"]
            result = simulated(self.folder / schedule, *PIPELINE[:5], *settings, "--report")
            page = page_of(self.folder, result)
            table = [table for table in tree_of(page).iter(HTML + "table")
                     if [head.text for head in table.iter(HTML + "th")][:3] == ["stage", "peak", "at"]]
            peaks = {row[0].text: int(row[1][0].get("value"))
                     for row in table[0].iter(HTML + "tr") if row[0].get("scope") == "row"}
            self.assertEqual(peaks, {f"stage {row['stage']}": row["total"]
                                     for row in result["memory"]}, schedule)

    def test_what_is_not_a_result(self):
        bad = self.folder / "bad.json"
        for text, message in (("{", "is not a result"), ("[]", 'has the schema ""'),
                              ('{"schema": "orrery.run/2"}', 'has the schema "orrery.run/2"'),
                              ('{"schema": "orrery.compare/1", "systems": []}', "holds no run")):
            bad.write_text(text)
            done = orrery("report", bad, "-o", self.folder / "bad.html")
            self.assertEqual(done.returncode, 3, text)
            self.assertIn(message, done.stderr)
        theirs = self.folder / "theirs.html"
        theirs.write_text("<html>")
        done = orrery("report", self.folder / "pipeline", "-o", theirs)
        self.assertEqual((done.returncode, theirs.read_text()), (3, "<html>"))
        done = orrery("report", *([self.folder / "pipeline"] * 9))
        self.assertEqual(done.returncode, 3)
        self.assertIn("8 systems at most", done.stderr)

    def test_comparison(self):
        page = self.folder / "compared.html"
        done = orrery("compare", ROOT / "examples/llm-parallelism/inside.yaml",
                      ROOT / "examples/llm-parallelism/across.yaml", "--report", page, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        tree = tree_of(page.read_text())
        section = next(tree.iter(HTML + "section"))
        self.assertEqual(section.get("id"), "difference")
        self.assertIn("tp16-pp4 takes 1.0", "".join(section.itertext()))


if __name__ == "__main__":
    ORRERY = pathlib.Path(sys.argv[1]) / "orrery"
    if "--update" in sys.argv:
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            GOLDEN.mkdir(exist_ok=True)
            result = as_everywhere(simulated(folder / "pipeline", *PIPELINE))
            (GOLDEN / "pipeline.html").write_text(page_of(folder, result))
            (GOLDEN / "hier-hieropt.html").write_text(page_of(folder, compared(folder)))
    else:
        unittest.main(argv=sys.argv[:1])
