#!/usr/bin/env python3
"""Charts of the pages of `orrery report`: report_chart_test.py BUILD.

Bars must be as long as the numbers in the table below them say.
"""
import json
import pathlib
import re
import sys
import unittest

from pages_under_test import (HTML, PIPELINE, PROGRAM, ROOT, SVG, PipelinePage, orrery, page_of,
                              simulated, tree_of)


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055)**2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


class Charts(PipelinePage):
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


if __name__ == "__main__":
    PROGRAM.append(pathlib.Path(sys.argv[1]) / "orrery")
    unittest.main(argv=sys.argv[:1])
