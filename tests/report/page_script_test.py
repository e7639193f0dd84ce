#!/usr/bin/env python3
"""The script of pages in a browser: page_script_test.py BUILD. Skipped without chromium's driver.

Speaks the WebDriver protocol (W3C, 2018) with chromedriver: keys and clicks are real ones.
"""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request
import xml.etree.ElementTree as ElementTree

import browser_test

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ORRERY = None
BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
TAB, ENTER, RIGHT, LEFT, SHIFT, ESCAPE = "\ue004", "\ue007", "\ue014", "\ue012", "\ue008", "\ue00c"
DOWN = "\ue015"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
SVG = "{http://www.w3.org/2000/svg}"


class Tab:
    """A page in a browser without network."""

    def __init__(self, folder):
        self.process = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True)
        for line in self.process.stdout:
            if found := re.search(r"successfully on port (\d+)", line):
                self.address = f"http://127.0.0.1:{found[1]}"
                break
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                     "--no-first-run", "--disable-background-networking", "--disable-sync",
                     "--disable-component-update", f"--user-data-dir={folder}/profile",
                     "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                     "--window-size=1000,900"]
        options = {"args": arguments, "binary": BROWSER}
        session = self.ask("/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.address += f"/session/{session['sessionId']}"

    def ask(self, path, body, method="POST"):
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(),
                                         {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def close(self):
        self.ask("", {}, "DELETE")  # the browser ends; without its driver it would go on
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def open(self, page):
        self.ask("/url", {"url": page.as_uri()})

    def resize(self, width):
        self.ask("/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}})

    def media(self, kind):
        self.ask("/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia",
                                       "params": {"media": kind}})

    def value(self, script, *arguments):
        return self.ask("/execute/sync", {"script": "return " + script, "args": list(arguments)})

    def keys(self, *keys, held=""):
        """One after the other, to what has the focus."""
        actions = [{"type": "keyDown", "value": held}] if held else []
        for key in keys:
            actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        if held:
            actions.append({"type": "keyUp", "value": held})
        self.ask("/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def picture(self, what, file):
        """Of the box of what a selector finds first."""
        found = self.ask("/element", {"using": "css selector", "value": what})
        with urllib.request.urlopen(f"{self.address}/element/{found[ELEMENT]}/screenshot",
                                    timeout=60) as answer:
            file.write_bytes(base64.b64decode(json.load(answer)["value"]))

    def click(self, what):
        """What a selector finds first."""
        found = self.ask("/element", {"using": "css selector", "value": what})
        self.ask(f"/element/{found[ELEMENT]}/click", {})

    def messages(self):
        return self.ask("/se/log", {"type": "browser"})


def colours_of_marks(chart):
    """(red, green, blue) of what is plainly filled, and large enough for a pixel of its colour."""
    found = set()
    for mark in chart.iter():
        fill = mark.get("fill") or ""
        is_rect = mark.tag == SVG + "rect" and mark.get("data-value") is not None and min(
            float(mark.get("width")), float(mark.get("height"))) > 4
        if (is_rect or mark.tag == SVG + "circle") and fill.startswith("#"):
            found.add(fill)
        if mark.tag == SVG + "path" and (mark.get("stroke-width") or "") in ("2", "11"):
            found.add(mark.get("stroke"))
    return {tuple(int(colour[i:i + 2], 16) for i in (1, 3, 5)) for colour in found}


@unittest.skipUnless(BROWSER and DRIVER, "needs apt-get install chromium chromium-driver")
class Script(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.scratch.name)
        examples, out = ROOT / "examples", folder / "out"

        def orrery(*arguments):
            done = subprocess.run([ORRERY, *arguments, "--quiet"], capture_output=True, text=True,
                                  cwd=ROOT)
            assert done.returncode == 0, done.stderr

        orrery("run", examples / "llm-parallelism/inside.yaml", "-o", out, "--report", "--activity",
               "--matrix")
        orrery("compare", examples / "flat-vs-hier/hier.yaml", examples / "flat-vs-hier/hieropt.yaml",
               "--report", folder / "compared.html")
        orrery("run", examples / "hoti20/single.yaml", "-o", folder / "packets", "--report", "--set",
               "network.switch={buffer: 64 kB, watch: all}", "--set",
               "network.transport.watch=[{from: 0, to: 1}]", "--set",
               "platform.topology.levels[0].size=16")
        orrery("sweep", "run", examples / "sweep/latency.yaml", "-o", folder / "sweep")
        subprocess.run([ORRERY, "report", folder / "sweep"], check=True, capture_output=True)
        cls.page = out / "report.html"
        cls.pages = [cls.page, folder / "compared.html", folder / "packets/report.html",
                     folder / "sweep/report.html"]
        cls.tab = Tab(folder)

    @classmethod
    def tearDownClass(cls):
        cls.tab.close()
        cls.scratch.cleanup()

    def setUp(self):
        self.tab.open(self.page)

    def tearDown(self):
        self.assertEqual(self.tab.messages(), [])

    def open_tables(self):
        self.tab.value("document.querySelectorAll('details').forEach(one => { one.open = true; })")

    def readout(self):
        return self.tab.value("document.querySelector('.readout').textContent")

    def geometry(self):
        return self.tab.value("[...document.querySelectorAll('#pipeline-chart-0 [data-part] *')]"
                              ".map(one => one.getAttribute('x') + ' ' + one.textContent)")

    def test_each_chart_shows_under_a_strict_policy(self):
        """Jenkins's: without scripts and styles. Each chart's box has the colours of its marks, and
        all that the tables say is in the text."""
        charts = 0
        for file in self.pages:
            copy = file.with_name("strict.html")
            copy.write_text(file.read_text().replace("<head>", "<head>" + browser_test.POLICY, 1))
            page = ElementTree.fromstring(file.read_text())
            self.tab.open(copy)
            self.tab.messages()  # that the policy forbids script and style
            for chart in page.iter(SVG + "svg"):
                charts += 1
                picture = file.with_name("chart.png")
                self.tab.picture("#" + chart.get("id"), picture)
                shown = browser_test.pixels_of(picture)
                missing = [colour for colour in colours_of_marks(chart) if colour not in shown]
                self.assertEqual(missing, [], f"{file.name}, {chart.get('id')}")
            self.assertEqual(self.tab.value("document.querySelectorAll('button').length"), 0)
            text = " ".join(self.tab.value("document.body.textContent").split())
            for row in page.iter("{http://www.w3.org/1999/xhtml}tr"):
                for cell in row:
                    self.assertIn(" ".join("".join(cell.itertext()).split()), text)
        self.assertGreater(charts, 30)

    def test_pages_ask_for_nothing_and_answer(self):
        """No resource but the page; each answer is in what the browser shows; nothing is wider than
        the window, but for what scrolls by itself."""
        for file in self.pages:
            self.tab.open(file)
            self.assertEqual(self.tab.value("performance.getEntriesByType('resource').length"), 0)
            self.assertEqual(self.tab.messages(), [])
            shown = " ".join(self.tab.value("document.body.innerText").split())
            answers = [one for one in ElementTree.fromstring(file.read_text()).iter(
                "{http://www.w3.org/1999/xhtml}p") if one.get("class") == "answer"]
            self.assertGreater(len(answers), 3)
            for answer in answers:
                self.assertIn(" ".join("".join(answer.itertext()).split()), shown)
            for width in (400, 1000):
                self.tab.resize(width)
                self.assertLessEqual(self.tab.value("document.documentElement.scrollWidth"), width)

    def test_a_narrow_window(self):
        """400 pixels: charts keep the size of their letters and scroll by themselves."""
        self.addCleanup(self.tab.resize, 1000)
        for file in self.pages:
            self.tab.open(file)
            self.tab.resize(400)
            sizes = self.tab.value("""[...document.querySelectorAll('figure svg text')]
              .map(one => parseFloat(getComputedStyle(one).fontSize) *
                one.ownerSVGElement.getBoundingClientRect().width /
                one.ownerSVGElement.viewBox.baseVal.width)""")
            self.assertGreater(len(sizes), 30, file)  # two small charts have so many
            self.assertGreaterEqual(min(sizes), 10, file.name)
            for what in ("p", "td", "th"):
                size = self.tab.value(f"parseFloat(getComputedStyle("
                                      f"document.querySelector('{what}')).fontSize)")
                self.assertGreaterEqual(size, 14, what)

    def test_on_paper(self):
        """Tables are open but for long ones, of which a line says how many rows are left out; a page
        does not end behind a heading; what only works on a screen is not there."""
        for file in self.pages:
            self.tab.open(file)
            self.tab.media("print")
            found = self.tab.value("""(() => {
              const shown = what => [...document.querySelectorAll(what)]
                .filter(one => one.checkVisibility()).length;
              const count = what => document.querySelectorAll(what).length;
              const breaks = [...document.querySelectorAll('h2, h3, .answer, summary')]
                .map(one => getComputedStyle(one).breakAfter);
              return {closed: count('details:not([open])'), long: count('details.long'),
                      printed: shown('.printed'), tables: count('details:not(.long) > table'),
                      shown: shown('details > table'), screen: shown('nav, .tools, .readout'),
                      breaks: [...new Set(breaks)]};
            })()""")
            self.tab.media("")
            self.assertGreater(found["closed"], 1)
            self.assertEqual(found["shown"], found["tables"], file.name)
            self.assertGreater(found["tables"], 2)
            self.assertEqual(found["printed"], found["long"])
            self.assertEqual((found["screen"], found["breaks"]), (0, ["avoid"]))
            self.assertEqual(self.tab.value("[...document.querySelectorAll('.printed')]"
                                            ".filter(one => one.checkVisibility()).length"), 0)

    def test_texts_of_charts_are_whole(self):
        """As the browser sets them: inside of their picture, and none over another one."""
        for file in self.pages:
            self.tab.open(file)
            self.tab.resize(1000)
            self.assertEqual(self.tab.value("""(() => {
              const bad = [];
              for (const chart of document.querySelectorAll('figure svg')) {
                const box = chart.viewBox.baseVal;
                const texts = [...chart.querySelectorAll('text')].map(one => [one, one.getBBox()]);
                texts.forEach(([one, a], i) => {
                  if (a.x < 0 || a.y < 0 || a.x + a.width > box.width || a.y + a.height > box.height)
                    bad.push(`${chart.id}: "${one.textContent}" is cut`);
                  for (const [other, b] of texts.slice(i + 1))
                    if (a.x + a.width > b.x && b.x + b.width > a.x &&
                        a.y + a.height - 3 > b.y && b.y + b.height - 3 > a.y)
                      bad.push(`${chart.id}: "${one.textContent}" is on "${other.textContent}"`);
                });
              }
              return bad;
            })()"""), [], file.name)

    def test_keys_reach_every_control(self):
        """What has the focus after each Tab, until it comes round: all that can be used."""
        for file in self.pages:
            self.tab.open(file)
            self.open_tables()
            wanted = self.tab.value("""(() => {
              const all = [...document.querySelectorAll(
                'a[href]:not([tabindex="-1"]), button, input, summary, figure svg[tabindex]')];
              all.forEach((one, i) => { one.dataset.number = i; });
              return all.length;
            })()""")
            self.assertGreater(wanted, 40)
            reached = set()
            for _ in range(wanted + 5):
                self.tab.keys(TAB)
                number = self.tab.value("document.activeElement?.dataset.number ?? null")
                if number is not None:
                    reached.add(int(number))
            self.assertEqual(reached, set(range(wanted)), file.name)

    def test_enter_opens_a_table(self):
        self.assertFalse(self.tab.value("document.querySelector('details').open"))
        self.tab.value("document.querySelector('summary').focus()")
        self.tab.keys(ENTER)
        self.assertTrue(self.tab.value("document.querySelector('details').open"))

    def test_a_filter_leaves_the_rows_with_all_its_words(self):
        """Of the memory of the stages: one row in seven, and its bars, are of activations."""
        self.open_tables()
        rows = """[...document.querySelectorAll('#memory details:nth-of-type(1) tbody tr')]"""
        before = self.tab.value(f"{rows}.map(row => row.textContent)")
        self.tab.click("#memory input[type=search]")
        self.tab.keys(*"ACT stage")
        left = self.tab.value(f"{rows}.filter(row => row.checkVisibility())"
                              ".map(row => row.textContent)")
        self.assertEqual(left, [row for row in before if "act" in row and "stage" in row])
        self.assertEqual(len(left) * 7, len(before))
        faded = self.tab.value("[...document.querySelectorAll('#memory-chart-0 rect[data-value]')]"
                               ".map(one => [one.textContent, one.classList.contains('out')])")
        self.assertGreater(len(faded), len(left))
        for title, is_faded in faded:
            self.assertEqual(is_faded, "activations" not in title, title)
        self.assertIn(f"{len(left)} of {len(before)} rows",
                      self.tab.value("document.querySelector('#memory .tools').textContent"))

    def test_a_head_sorts_by_exact_values(self):
        """By bytes and not by their text: most first, then least first; texts from a to z."""
        self.open_tables()
        head = "#memory details:nth-of-type(1) thead th:nth-child({}) button"
        values = ("[...document.querySelectorAll('#memory details:nth-of-type(1) tbody data')]"
                  ".map(one => Number(one.value))")
        self.tab.click(head.format(3))
        self.assertEqual(self.tab.value(values), sorted(self.tab.value(values), reverse=True))
        self.tab.click(head.format(3))
        self.assertEqual(self.tab.value(values), sorted(self.tab.value(values)))
        self.tab.click(head.format(2))
        kinds = self.tab.value("[...document.querySelectorAll('#memory details:nth-of-type(1) "
                               "tbody td:nth-child(2)')].map(one => one.textContent)")
        self.assertEqual(kinds, sorted(kinds))

    def test_arrow_keys_read_marks_and_enter_highlights(self):
        """The second mark of the bars of stages; its stage is highlighted in the lanes and in the
        memory, and the other stages are not."""
        self.tab.value("document.querySelector('#memory-chart-0').focus()")
        self.tab.keys(RIGHT, RIGHT)
        second = self.tab.value("document.querySelectorAll('#memory-chart-0 rect[data-value]')[1]"
                                ".textContent")
        self.assertEqual(self.readout(), second)
        self.tab.keys(ENTER)
        stage = second.split(",")[0]
        self.assertIn(f"{stage}: highlighted in", self.readout())
        for chart in ("memory-chart-0", "pipeline-chart-0"):
            marks = self.tab.value(f"[...document.querySelectorAll('#{chart} rect[data-value]')]"
                                   ".map(one => [one.textContent, one.classList.contains('pale')])")
            self.assertGreater(len(marks), 2)
            for title, is_pale in marks:
                self.assertEqual(is_pale, not title.startswith(stage + ","), title)
        self.assertGreater(self.tab.value("document.querySelectorAll('tr.lit').length"), 1)
        self.tab.keys(ESCAPE)
        self.assertEqual(self.tab.value("document.querySelectorAll('.pale, .lit').length"), 0)

    def test_arrow_keys_read_cells(self):
        """Rank 0 sends nothing to itself and most of what it sends to rank 1."""
        self.tab.value("document.querySelector('#matrix-chart-0').focus()")
        self.tab.keys(RIGHT)
        self.assertEqual(self.readout(), "rank 0, to rank 0: nothing")
        self.tab.keys(RIGHT)
        self.assertRegex(self.readout(), r"^rank 0, to rank 1: [\d.]+ GB to [\d.]+ GB$")
        self.tab.keys(DOWN)
        self.assertEqual(self.readout(), "rank 1, to rank 1: nothing")
        box = self.tab.value("""(() => {
          const box = document.querySelector('#matrix-chart-0 .at');
          return ['x', 'y', 'display'].map(name => box.getAttribute(name)); })()""")
        left, top, width, height = map(float, self.tab.value(
            "document.querySelector('#matrix-chart-0').dataset.cells").split())
        self.assertAlmostEqual(float(box[0]), left + width, delta=0.01)
        self.assertAlmostEqual(float(box[1]), top + height, delta=0.01)
        self.assertEqual(box[2], "inline")

    def test_zoom_is_where_it_should_be_and_comes_back(self):
        """Twice as large about the middle: what was at a quarter of the axis is at its left."""
        before = self.geometry()
        across = self.tab.value("document.querySelector('#pipeline-chart-0').dataset.across")
        left, right, low, high = (float(part) for part in across.split()[:4])
        begin = ("[...document.querySelectorAll('#pipeline-chart-0 [data-part=plot] rect')]"
                 ".map(one => Number(one.getAttribute('x')))")
        places = self.tab.value(begin)
        self.tab.value("document.querySelector('#pipeline-chart-0').focus()")
        self.tab.keys("+")
        for x, moved in zip(places, self.tab.value(begin)):
            self.assertAlmostEqual(moved, left + 2 * (x - left) - (right - left) / 2, delta=0.05)
        ticks = [float(tick) for tick in self.tab.value(
            "[...document.querySelectorAll('#pipeline-chart-0 [data-part=across] text')]"
            ".map(one => one.textContent)")]
        quarter = (high - low) / 4
        self.assertTrue(all(low + quarter <= tick <= high - quarter for tick in ticks), ticks)
        self.assertGreater(len(ticks), 2)
        self.tab.keys(RIGHT, held=SHIFT)
        self.assertNotEqual(self.geometry(), before)
        self.tab.keys("0")
        self.assertEqual(self.geometry(), before)

    def test_lines_are_read_at_a_place(self):
        """At the end of the first iteration only what is always there is left, of the six stages
        that are drawn beside the memory of an NPU."""
        self.tab.value("document.querySelector('#memory-time-chart-0').focus()")
        self.tab.keys("\ue010")
        result = json.loads((self.page.parent / "result.json").read_text())
        found = dict(re.findall(r"stage (\d+) ([\d.]+) GB", self.readout()))
        self.assertEqual(len(found), 6)
        for row in result["memory"]:
            fixed = (row["total"] - row["activations"] - row["again"]) / 1e9
            if str(row["stage"]) in found:
                self.assertAlmostEqual(float(found[str(row["stage"])]), fixed, delta=0.01 * fixed)

    def test_a_theme_is_chosen(self):
        grounds = []
        for _ in range(3):
            grounds.append(self.tab.value("getComputedStyle(document.body).backgroundColor"))
            self.tab.value("[...document.querySelectorAll('button')].find(one => "
                           "one.textContent.startsWith('Theme')).click()")
        self.assertEqual(grounds[1:], ["rgb(255, 255, 255)", "rgb(28, 28, 28)"])


if __name__ == "__main__":
    ORRERY = (pathlib.Path(sys.argv[1]) / "orrery").resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
