#!/usr/bin/env python3
"""Charts of the pages of `orrery report`: report_chart_test.py BUILD.

Bars must be as long as the numbers in the table below them say.
"""
import json
import math
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


def bars_beside(chart):
    """Those on the scale of their own, at the right."""
    return [bar for part in chart.iter(SVG + "g") if part.get("data-part") == "beside"
            for bar in part.iter(SVG + "rect")]


def bars_of(chart):
    beside = bars_beside(chart)
    return [bar for bar in chart.iter(SVG + "rect") if bar.get("data-value") and bar not in beside]


def bytes_of(text):
    number, unit = text.split()
    return float(number) * {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}[unit]


def seconds_of(text):
    number, unit = text.split()
    return float(number) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


def cells_of(chart):
    """{(row, column): what its colour stands for}, of cells that are something."""
    left, top, width, height = map(float, chart.get("data-cells").split())
    rows, columns = (chart.get(name).split("\n") for name in ("data-rows", "data-columns"))
    cells = {}
    for area in chart.iter(SVG + "path"):
        for title in area.iter(SVG + "title"):
            for x, y, length in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)", area.get("d")):
                row, first = round((float(y) - top) / height), round((float(x) - left) / width)
                for column in range(first, first + round(float(length) / width)):
                    cells[rows[row], columns[column]] = title.text
    return cells


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
                for bars in (bars_of(chart), bars_beside(chart)):
                    sizes = [(float(bar.get("width")), float(bar.get("data-value")))
                             for bar in bars]
                    longest, most = max(sizes, default=(0, 1))
                    for length, value in sizes:
                        self.assertAlmostEqual(length, longest * value / most, delta=0.5)
                        if section.get("id") != "pipeline":  # its table has sums
                            self.assertIn(value, table)
                        checked += 1
        self.assertGreater(checked, 160)

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
        row = result["layers"][0] | {"raw_ps": 2_000_000}
        result["layers"] = [row | {"name": f"layer{i}", "exposed_ps": i * 1_000_000}
                            for i in range(1, 21)]
        page = page_of(self.folder, result)
        section = next(one for one in tree_of(page).iter(HTML + "section")
                       if one.get("id") == "layers")
        chart = next(section.iter(SVG + "svg"))
        bars = [int(bar.get("data-value")) for bar in bars_of(chart)]
        self.assertEqual(len(bars), 16)
        self.assertEqual(sum(bars), 210_000_000)
        self.assertEqual(bars[-1], 15_000_000)
        # Beside them the collectives in all, each of which takes as long as the first layer's.
        raw = [int(bar.get("data-value")) for bar in bars_beside(chart)]
        self.assertEqual(raw, [row["raw_ps"]] * 15 + [5 * row["raw_ps"]])
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
        # And of all that is drawn but the ground and the grid behind the data; text is ink.
        drawn = {mark.get(kind) for mark in tree_of(self.page).iter() for kind in ("fill", "stroke")
                 if mark.tag.startswith(SVG)}
        colours |= {colour for colour in drawn if re.fullmatch("#[0-9a-f]{6}", colour or "")}
        colours -= {ground, "#d9d9d9"}
        self.assertGreater(len(colours), 16)  # the scale of amounts among them
        for colour in colours:
            self.assertGreaterEqual(contrast(colour, ground), 3, colour)
        self.assertGreaterEqual(contrast("#1a1a1a", ground), 4.5)
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

    def test_no_result_makes_a_page_above_8_megabytes(self):
        """Eight systems at their largest: as many steps as a result may have, every pair of 128
        ranks, ten links that change in each of 256 intervals, names of 10,000 characters."""
        result = json.loads(json.dumps(self.result))
        step = result["steps"][0] | {"exposed_ps": 400}
        result["steps"] = [step | {"stage": stage, "begin_ps": i * 1000, "end_ps": (i + 1) * 1000,
                                   "step": "backward" if i % 2 else "forward"}
                           for stage in range(16) for i in range(512)]
        result["matrix"] = [{"group": None, "source": source, "target": target, "messages": 1,
                             "bytes": 10**(3 + (source * 7 + target * 5) % 7)}
                            for source in range(128) for target in range(128)]
        activity = result["link_activity"][0]
        result["link_activity"] = [
            activity | {"link": f"link {link}", "begin_ps": i, "end_ps": i + 1,
                        "utilisation": (i * 7 + link) % 16 / 16 + 0.01}
            for link in range(10) for i in range(256)]
        layer = result["layers"][0]
        result["layers"] = [layer | {"name": "<" * 10_000 + str(i), "exposed_ps": i, "bytes": i}
                            for i in range(1, 600)]
        page = page_of(self.folder, *[result | {"name": f"system {i}"} for i in range(8)])
        self.assertLess(len(page.encode()), 8_000_000)
        sections = {one.get("id"): one for one in tree_of(page).iter(HTML + "section")}
        for section in ("pipeline", "matrix", "layers", "memory"):
            self.assertGreaterEqual(len(list(sections[section].iter(SVG + "svg"))), 8, section)

    def test_values_say_where_they_come_from(self):
        """A file and line, --set, a preset, or the default."""
        out = self.folder / "origins"
        file = ROOT / "examples/llm-parallelism/inside.yaml"
        result = simulated(out, file, "--set", "workload.training.micro_batch=2")
        origins = result["provenance"]["origins"]
        self.assertEqual(origins["workload.training.micro_batch"], "--set")
        self.assertNotIn("seed", origins)
        self.assertEqual(orrery("report", out).returncode, 0)
        rows = {row[0].text: [cell.text for cell in row[1:]]
                for table in tree_of((out / "report.html").read_text()).iter(HTML + "table")
                for row in table.iter(HTML + "tr")
                if [head.text for head in next(table.iter(HTML + "tr"))] == ["key", "value", "from"]}
        self.assertEqual(rows["workload.training.micro_batch"], ["2", "--set"])
        self.assertEqual(rows["seed"], ["1", "default"])
        written = rows["workload.training.global_batch"][1]
        name, line = written.rsplit(":", 1)
        self.assertIn("global_batch", pathlib.Path(name).read_text().splitlines()[int(line) - 1])
        preset = [origin for _, origin in rows.values() if origin.startswith("preset ")]
        self.assertGreater(len(preset), 0)

    def test_cells_say_what_they_stand_for(self):
        """Each pair of the matrix lies in the range of its cell, and no other cell is anything; so
        does each share of a level in an interval. Ranges are written with four digits."""
        charts = {chart.get("id"): cells_of(chart)
                  for chart in tree_of(self.page).iter(SVG + "svg") if chart.get("data-cells")}
        self.assertEqual(set(charts), {"activity-chart-0", "link-activity-chart-0",
                                       "matrix-chart-0"})
        result = self.result
        sent = {}
        for row in result["matrix"]:
            pair = f"rank {row['source']}", f"to rank {row['target']}"
            sent[pair] = sent.get(pair, 0) + row["bytes"]
        self.assertEqual(set(charts["matrix-chart-0"]), set(sent))
        for pair, value in charts["matrix-chart-0"].items():
            low, high = ((0, value.removeprefix("at most ")) if value.startswith("at most")
                         else value.split(" to "))
            self.assertLessEqual(bytes_of(low) if low else 0, sent[pair] * 1.001, pair)
            self.assertGreaterEqual(bytes_of(high) * 1.001, sent[pair], pair)
        checked = 0
        for (level, interval), value in charts["activity-chart-0"].items():
            low, high = re.fullmatch(r"(\d+) to (\d+) % busy", value).groups()
            end = seconds_of(interval.rsplit(" to ", 1)[1])
            shares = [row["share"] for row in result["activity"] if row["level"] == level and
                      math.isclose(row["end_ps"] / 1e12, end, rel_tol=6e-4)]
            for share in shares:
                self.assertTrue(float(low) - 0.5 <= share * 100 <= float(high) + 0.5, value)
            checked += len(shares)
        self.assertGreater(checked, 100)

    def test_a_matrix_of_nodes(self):
        """512 ranks, eight of a node, of which each sends to the next one: 64 x 64 cells. What goes
        round a node is on the diagonal, and the last rank's bytes are beside it."""
        result = json.loads(json.dumps(self.result)) | {"node_ranks": 8}
        result["matrix"] = [{"group": None, "source": rank, "target": (rank + 1) % 512,
                             "messages": 1, "bytes": 1000} for rank in range(512)]
        page = page_of(self.folder, result)
        section = next(one for one in tree_of(page).iter(HTML + "section")
                       if one.get("id") == "matrix")
        self.assertIn("A cell is the maximum of 8 x 8 pairs of ranks, those of two nodes.",
                      "".join(section.itertext()))
        cells = [path.get("d") for path in section.iter(SVG + "path")
                 if (path.get("fill") or "").startswith("#") and path.get("d").startswith("M190")
                 and path.get("d").count("z") > 32]
        self.assertEqual(len(cells), 1)
        lengths = [float(length) for length in re.findall(r"h([\d.]+)v", cells[0])]
        # 63 nodes have two cells beside each other; the last one has its own and the first.
        self.assertAlmostEqual(sum(lengths), 128 * (820 - 190 - 20) / 64, delta=1)

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
        paths = [path for path in charts["depths-chart-0"].iter(SVG + "path") if len(path)]
        self.assertEqual(len([path for path in paths if not path.get("transform")]), 7)
        # Where packets were lost, and how many: those that the queue lost.
        lost = {depth["name"]: sum(depth["drops"]) for depth in packets["depths"]}
        for queue in packets["queues"]:
            if queue["name"] in lost:
                self.assertEqual(lost[queue["name"]], queue["drops"])
        self.assertEqual({row[0].text: int(row[3][0].get("value"))
                          for table in list(section.iter(HTML + "table"))[2:3]
                          for row in table.iter(HTML + "tr") if row[0].get("scope") == "row"}, lost)
        drawn = {path[0].text.split(":")[0] for path in paths if not path.get("transform")}
        crosses = [path[0].text for path in paths if path.get("transform")]
        counts = {}
        for text in crosses:
            name, count = re.fullmatch(r"(.*): (\d+) packets lost about .*", text).groups()
            counts[name] = counts.get(name, 0) + int(count)
        self.assertEqual(counts, {name: lost[name] for name in drawn if lost[name]})

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
