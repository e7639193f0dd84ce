#!/usr/bin/env python3
"""Pages of `orrery report`: report_page_test.py BUILD [--update].

A page is read by parsers of XML and of HTML. --update writes the golden pages anew.
"""
import copy
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

from pages_under_test import (HTML, PIPELINE, PROGRAM, ROOT, SVG, PipelinePage, as_everywhere,
                              orrery, page_of, simulated, tree_of)

GOLDEN = pathlib.Path(__file__).resolve().parent / "pages"

HOSTILE = ["</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "a&b;&amp;",
           "'quoted' \"twice\"", "x" * 10_000, "\u202eright to left\u2066", "]]>", "<!--", "-->",
           "\x00\x01\x1b[31m", "\ufffe\uffff", "{} {0} %s %n", "</title></svg></style>",
           "\u2028\u2029", "\u00e9\u4e2d\U0001f600", "", " ", "javascript:alert(1)", "../../etc/passwd",
           "url(http://example.org)"]


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


class Pages(PipelinePage):
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
            done = subprocess.run([*PROGRAM, "report", out, "--png"], capture_output=True, text=True,
                                  env={**os.environ, "PATH": path})
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn("rsvg-convert is not there: apt-get install librsvg2-bin", done.stderr)
        charts = sorted(out.glob("charts/*.svg"))
        self.assertGreater(len(charts), 3)
        self.assertEqual([chart.with_suffix(".png") for chart in charts],
                         sorted(out.glob("charts/*.png")))

    def test_what_computes_is_not_waited_for(self):
        changed = copy.deepcopy(self.result)
        kernels = dict(changed["why"][0], part="memory-bound kernels", bound_by="memory bandwidth",
                       knob="more memory bandwidth")
        changed["why"].insert(0, kernels)
        self.assertIn("The largest part of the waiting, bubble, is", page_of(self.folder, changed))

    def test_a_tiny_collective_waits_for_the_last_stage(self):
        changed = copy.deepcopy(self.result)
        row = next(row for row in changed["layers"] if row["collective"] == "all_reduce")
        bubble = sum(part["time_ps"] for part in changed["why"] if part["part"] == "bubble")
        changed["layers"].append(dict(row, name="gradient norm", bytes=4, raw_ps=bubble,
                                      raw_bound_ps=7, exposed_ps=10 * bubble))
        page = page_of(self.folder, changed)
        self.assertRegex(page, "all_reduce of 4 B in gradient norm: it takes .*, most of it until "
                               "the last stage of the pipeline comes to it")
        self.assertRegex(page, "of it until the last stage of the pipeline comes to gradient norm")

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

    def test_systems_beside_each_other(self):
        other = json.loads(json.dumps(self.result)) | {"name": "another"}
        page = page_of(self.folder, self.result, other)
        tree_of(page)
        self.assertIn("<h3>another</h3>", page)
        self.assertNotIn(".csv", page)

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
        self.assertIn("tp16-pp4 takes 1.2", "".join(section.itertext()))


if __name__ == "__main__":
    PROGRAM.append(pathlib.Path(sys.argv[1]) / "orrery")
    if "--update" in sys.argv:
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            GOLDEN.mkdir(exist_ok=True)
            result = as_everywhere(simulated(folder / "pipeline", *PIPELINE))
            (GOLDEN / "pipeline.html").write_text(page_of(folder, result))
            (GOLDEN / "hier-hieropt.html").write_text(page_of(folder, compared(folder)))
    else:
        unittest.main(argv=sys.argv[:1])
