"""docs/studies/hoti20.md: its generated sections and plots, from docs/studies/hoti20/*.csv."""
import pathlib

import conclusions
import findings
import plot
import results
import skew
from results import (BUFFER, CHUNKS, INJECTION, LIMIT, RTO, SIZE, SKEW, SYSTEMS, WINDOW,
                     milliseconds, select)

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/studies"
PAGE, DATA = FOLDER / "hoti20.md", FOLDER / "hoti20"
NOT_RUN = "Not run yet: `examples/hoti20/study.py run`, `collect`, `write`.\n"


def table(head, rows):
    lines = [f"| {' | '.join(head)} |", "|" + "|".join(["---"] + ["---:"] * (len(head) - 1)) + "|"]
    return "\n".join(lines + [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]) + "\n"


def picture(name, svg):
    """The line that shows a plot, and the plot itself."""
    return f"\n![{name}](hoti20/{name}.svg)\n", {f"{name}.svg": svg}


def counters(row):
    return [row["drops"], row["retransmissions"], row["timeouts"]]


def megabytes(count):
    return f"{int(count or 0) * 1e-6:.1f} MB"


def distinct(rows, key):
    return list(dict.fromkeys(row[key] for row in rows))


def grid_of(data, *sweeps):
    """The full grid where all of these sweeps were run on it, else the reduced one."""
    full = all(data[f"full-{name}"] and len(data[f"full-{name}"]) >= len(data[f"reduced-{name}"])
               for name in sweeps)
    return "full" if full else "reduced"


def model(grid):
    return {"full": "The full model.\n\n", "reduced": "The reduced model.\n\n"}[grid]


def systems(data, grid):
    tcp, ideal = (select(data[f"{grid}-systems"], backend=name) for name in ("ns3", "analytical"))
    if not tcp:
        return NOT_RUN, {}
    rows = []
    for row in tcp:
        other = milliseconds(select(ideal, system=row["system"])[0])
        rows.append([row["system"], f"{milliseconds(row):.2f}", f"{other:.2f}",
                     f"{milliseconds(row) / other:.3f}", f"{int(row['compute_ps']) * 1e-9:.2f}",
                     f"{int(row['exposed_ps']) * 1e-9:.2f}", *counters(row),
                     f"{megabytes(row['most_used'])} of {megabytes(row['memory'])}", row["cpu_s"]])
    text = table(["system", "TCP ms", "analytical ms", "ratio", "compute ms", "exposed ms", "lost",
                  "sent again", "timeouts", "switch memory used", "CPU s"], rows)
    spread = [max(map(milliseconds, group)) / min(map(milliseconds, group))
              for group in (tcp, ideal)]
    return text + (f"\nSlowest over fastest: {spread[0]:.2f} over TCP, {spread[1]:.2f} on the "
                   "analytical backend.\n"), {}


def layers(data):
    rows = select(data["full-systems-layers"] or data["reduced-systems-layers"], backend="ns3")
    if not rows:
        return NOT_RUN, {}
    keys = list(dict.fromkeys((row["iteration"], row["name"], row["pass"]) for row in rows))
    cells = {(row["system"], row["iteration"], row["name"], row["pass"]): row for row in rows}
    short = {"forward": "fwd", "input_gradient": "ig", "weight_gradient": "wg"}
    body = []
    for iteration, name, which in keys:
        cell = [cells[system, iteration, name, which] for system in SYSTEMS]
        body.append([iteration, name, short[which]] +
                    [f"{int(row['raw_ps']) * 1e-6:.0f}" for row in cell] +
                    [f"{int(row['exposed_ps']) * 1e-6:.0f}" for row in cell])
    text = table(["iteration", "layer", "pass"] + [f"raw {name}" for name in SYSTEMS] +
                 [f"exposed {name}" for name in SYSTEMS], body)
    plots = {}
    for what, field in (("raw", "raw_ps"), ("exposed", "exposed_ps")):
        series = {system: {f"{name} {short[which]}": int(cells[system, "2", name, which][field]) * 1e-6
                           for iteration, name, which in keys if iteration == "2"}
                  for system in SYSTEMS}
        names = [f"{name} {short[which]}" for iteration, name, which in keys if iteration == "2"]
        line, files = picture(f"{what}-per-layer", plot.bars(
            f"{what} latency per layer, second iteration", "us", names, series))
        text, plots = text + line, plots | files
    return text, plots


def varied(data, key, base_value, title, name):
    """A row for each value of `key`, a column for each system; the default from `systems`."""
    grid = grid_of(data, name)
    rows, defaults = data[f"{grid}-{name}"], data[f"{grid}-systems"]
    if not rows or not defaults:
        return NOT_RUN, {}
    times = {system: {base_value: milliseconds(results.base(defaults, system))}
             for system in SYSTEMS}
    for row in rows:
        times[row["system"]][row[key]] = milliseconds(row)
    values = [base_value] + [value for value in distinct(rows, key) if value != base_value]
    values.sort(key=lambda value: float(value.split()[0]) * (1000 if value.endswith("GB") else 1))
    body = [[value] + [f"{times[system][value]:.2f} ({times[system][value] / times[system][base_value]:.2f})"
                       if value in times[system] else "" for system in SYSTEMS]
            for value in values]
    line, files = picture(name, plot.lines(f"{title} ({grid} model)", key, "ms for two iterations",
                                           values, times))
    return model(grid) + table([key] + SYSTEMS, body) + line, files


def injection(data):
    text, files = varied(data, INJECTION, "0.01 us", "Injection latency", "injection")
    grid = grid_of(data, "injection")
    slope = results.slopes(data[f"{grid}-systems"], data[f"{grid}-injection"])
    if slope:
        text += "\n" + findings.paragraph(
            "Microseconds more for each microsecond of latency, 0.01 to 100 us: " +
            ", ".join(f"{system} {value:.0f}" for system, value in slope.items()) + ".")
    return text, files


def buffer(data):
    """Hierarchical systems have sixteen switches: their sixteenths are shown as the whole."""
    grid = grid_of(data, "buffer-flat", "buffer-hier")
    defaults = data[f"{grid}-systems"]
    rows = [(row, 1) for row in data[f"{grid}-buffer-flat"]]
    rows += [(row, 16) for row in data[f"{grid}-buffer-hier"]]
    if not rows or not defaults:
        return NOT_RUN, {}
    body, series = [], {system: {} for system in SYSTEMS}
    for system in SYSTEMS:
        default = results.base(defaults, system)
        mine = [(row, int(megabyte(row[BUFFER]) * part)) for row, part in rows
                if row["system"] == system]
        for row, size in [(default, 1000)] + mine:
            series[system][f"{size} MB"] = milliseconds(row)
            body.append([system, f"{size} MB", f"{milliseconds(row):.2f}",
                         f"{milliseconds(row) / milliseconds(default) - 1:+.1%}", *counters(row),
                         megabytes(row["most_used"])])
    names = sorted({name for points in series.values() for name in points},
                   key=lambda name: int(name.split()[0]))
    line, files = picture("buffer", plot.lines(
        f"Memory of the switches of the fabric ({grid} model)", "all switches together",
        "ms for two iterations", names, {name: series[name] for name in SYSTEMS if series[name]}))
    return model(grid) + table(["system", "memory", "ms", "change", "lost", "sent again", "timeouts",
                                "used"], body) + line, files


def megabyte(text):
    number, unit = text.split()
    return float(number) * {"MB": 1, "GB": 1000}[unit]


def chunks(data):
    grid = grid_of(data, "chunks")
    rows = data[f"{grid}-chunks"]
    if not rows:
        return NOT_RUN, {}
    points = list(dict.fromkeys((row[CHUNKS], row[LIMIT]) for row in rows))
    time = {(row["system"], row[CHUNKS], row[LIMIT]): milliseconds(row) for row in rows}
    best = results.best_points(rows)
    body = []
    for count, limit in points:
        cells = [f"{time[system, count, limit]:.2f}" if (system, count, limit) in time else ""
                 for system in SYSTEMS]
        body.append([f"{count} x {limit}"] +
                    [f"**{cell}**" if best.get(system) == (count, limit) else cell
                     for cell, system in zip(cells, SYSTEMS)])
    names = [f"{count} x {limit}" for count, limit in points]
    series = {system: {f"{count} x {limit}": time[system, count, limit]
                       for count, limit in points if (system, count, limit) in time}
              for system in SYSTEMS if system in best}
    line, files = picture("chunks", plot.lines(f"Chunks x parallelism ({grid} model)",
                                               "chunks x chunks in their first phase",
                                               "ms for two iterations", names, series, are_joined=False))
    return (model(grid) + table(["chunks x parallelism"] + [f"{system} ms" for system in SYSTEMS],
                                body) + line, files)


def algorithm(data):
    grid = grid_of(data, "algorithm", "buffer-flat")
    rows, defaults = data[f"{grid}-algorithm"], data[f"{grid}-systems"]
    if not rows or not defaults:
        return NOT_RUN, {}
    body = []
    for system in distinct(rows, "system"):
        tree = results.base(defaults, system)
        small = [row for row in select(data[f"{grid}-buffer-flat"], system=system)]
        for row, name in ([(tree, "DBT")] + [(row, "DBT") for row in small] +
                          [(row, "A2A") for row in select(rows, system=system)]):
            body.append([system, name, row.get(BUFFER, "1 GB"), f"{milliseconds(row):.2f}",
                         f"{milliseconds(row) / milliseconds(tree):.3f}", *counters(row), row["cpu_s"]])
    return model(grid) + table(["system", "all-reduce", "memory", "ms", "over DBT at 1 GB", "lost",
                                "sent again", "timeouts", "CPU s"], body), {}


def single(data):
    trees, everybody = data["single-single"], data["single-single-a2a"]
    ratios = [found for rows in (trees, everybody)
              for found in results.single_ratios(rows, data["single-single-analytical"])]
    if not ratios:
        return NOT_RUN, {}
    lines, series = {}, {}  # memory that makes no difference shares a line
    for row, ideal, ratio in ratios:
        name = f"DBT, {row[CHUNKS]}" if CHUNKS in row else "A2A, 8"
        key = (row[SIZE], name, row[WINDOW], row["fingerprint"])
        lines.setdefault(key, (row, ideal, ratio, []))[3].append(row[BUFFER])
        if row[SIZE] == "100 MB" and row[WINDOW] == "0.5 MB":
            series.setdefault(name, {})[row[BUFFER]] = ratio
    body = [[size, name, window, ", ".join(memory), f"{milliseconds(row):.3f}",
             f"{milliseconds(ideal):.3f}", f"{ratio:.3f}" if ratio < 10 else f"{ratio:.0f}",
             *counters(row), megabytes(row["most_used"])]
            for (size, name, window, _), (row, ideal, ratio, memory) in lines.items()]
    names = sorted({value for points in series.values() for value in points}, key=megabyte)
    line, files = picture("single", plot.lines(
        "One all-reduce of 100 MB among 128, window 0.5 MB", "memory of the switch",
        "TCP over analytical", names, series)) if series else ("", {})
    return table(["size", "algorithm, chunks", "window", "memory", "TCP ms", "analytical ms",
                  "ratio", "lost", "sent again", "timeouts", "used"], body) + line, files


def order(data):
    rows = results.in_turn(results.single_ratios(
        select(data["single-single"], **{BUFFER: "1 GB"}), data["single-single-analytical"]))
    if not rows:
        return NOT_RUN, {}
    tcp = {(row[SIZE], row[WINDOW]): milliseconds(row) for row, _, _ in rows}
    body = []
    for size in distinct([row for row, _, _ in rows], SIZE):
        ideal, in_turn = next((ideal, time) for row, ideal, time in rows if row[SIZE] == size)
        times = [int(ideal["bound_ps"]) * 1e-9, in_turn, milliseconds(ideal), tcp[size, "0.1 MB"],
                 tcp[size, "0.5 MB"]]
        body.append([size] + [f"{time:.4f}" for time in times] +
                    [f"{time / in_turn:.3f}" for time in times[2:]])
    return table(["size", "lower bound ms", "in turn ms", "analytical ms", "TCP 0.1 MB ms",
                  "TCP 0.5 MB ms", "analytical / in turn", "TCP 0.1 / in turn",
                  "TCP 0.5 / in turn"], body), {}


def mtu(data):
    grid = grid_of(data, "mtu")
    rows, defaults = data[f"{grid}-mtu"], data[f"{grid}-systems"]
    if not rows or not defaults:
        return NOT_RUN, {}
    body = []
    for small in rows:
        large = results.base(defaults, small["system"])
        body.append([small["system"], f"{milliseconds(large):.2f}", f"{milliseconds(small):.2f}",
                     f"{milliseconds(small) / milliseconds(large) - 1:+.1%}", large["packets"],
                     small["packets"], large["cpu_s"], small["cpu_s"]])
    return model(grid) + table(["system", "9,000: ms", "1,500: ms", "change", "9,000: packets",
                                "1,500: packets", "9,000: CPU s", "1,500: CPU s"], body), {}


def claims(data):
    grid = "full" if data["full-systems"] else "reduced"
    layers_of = data[f"{grid}-systems-layers"]
    copy, memory = grid_of(data, "injection"), grid_of(data, "buffer-flat", "buffer-hier")
    checks = (results.check_sums(data[f"{grid}-systems"]) +
              results.check_systems(data[f"{grid}-systems"], layers_of) +
              results.check_layers(layers_of) +
              results.check_single(data["single-single"], data["single-single-a2a"],
                                   data["single-single-analytical"]) +
              results.check_injection(data[f"{copy}-systems"], data[f"{copy}-injection"]) +
              results.check_buffer(data[f"{memory}-systems"],
                                   data[f"{memory}-buffer-flat"] + data[f"{memory}-buffer-hier"]) +
              results.check_chunks(data[f"{grid_of(data, 'chunks')}-chunks"]) +
              results.check_slow_copy(data["reduced-injection"], data["reduced-slow-copy"]) +
              results.check_order(data["reduced-systems-layers"],
                                  data["reduced-scheduling-layers"]))
    return table(["claim", "measured", "holds"],
                 [[claim, measured, "yes" if holds else "**no**"]
                  for claim, measured, holds in checks]), {}


def conclusion_table(data):
    return table(["conclusion", "in lock step", "with start skew",
                  "with other minimum timeouts"], conclusions.rows(data)), {}


def skew_a2a(data):
    if not data["single-skew-a2a"]:
        return NOT_RUN, {}
    head, body, line, files = skew.by_skew("skew-a2a", skew.a2a_lines(data),
                                           "One all-to-all of 16 MiB, minimum timeout 1 s")
    return table(head, body) + line + "\n" + findings.a2a_text(data), files


def rto_a2a(data):
    if not data["single-rto-a2a"]:
        return NOT_RUN, {}
    ideal = skew.analytical(data, "16 MiB", "direct", "8")
    rows = skew.a2a_by_timeout(data)
    head, body, line, files = skew.by_timeout("rto-a2a", rows, ideal,
                                              "One all-to-all of 16 MiB, memory 64 MB")
    return (table(head, body) + line + "\n" +
            findings.bullets(findings.timeout_text(rows, ideal, late)
                             for late in skew.skews_of(rows)), files)


def rto_trees(data):
    if not data["single-rto-trees"]:
        return NOT_RUN, {}
    head, body, line, files = skew.by_timeout(
        "rto-trees", data["single-rto-trees"],
        skew.analytical(data, "1 MiB", "double_binary_tree", "32"),
        "Trees, 1 MiB in 32 chunks, memory 16 MB")
    return table(head, body) + line + "\n" + findings.tree_timeout_text(data), files


def skew_trees(data):
    if not data["single-skew-trees"]:
        return NOT_RUN, {}
    head, body, line, files = skew.by_skew("skew-trees", skew.tree_lines(data),
                                           "Trees of 16 MiB, minimum timeout 1 s")
    return table(head, body) + line + "\n" + findings.tree_text(data), files


def skew_model(data):
    body = []
    for grid in ("full", "reduced"):
        rows = data[f"{grid}-skew-model-a2a"]
        for late, timeout in sorted({(row[SKEW], row[RTO]) for row in rows}, key=lambda key: (
                skew.time_of(key[0]), -skew.time_of(key[1]))):
            runs = select(rows, **{SKEW: late, RTO: timeout})
            body.append([grid, late, timeout, len(runs), *skew.counts_of(runs)])
    if not body:
        return NOT_RUN, {}
    return table(["model", "skew", "minimum timeout", "seeds", "ms", "lost", "timeouts",
                  "memory used MB"], body) + "\n" + findings.model_text(data), {}


def skew_systems(data):
    rows = skew.system_rows(data)
    if not data["reduced-skew-systems"]:
        return NOT_RUN, {}
    body = [[system, f"{memory} MB", late, *skew.counts_of([row])]
            for system, memory, late, row in rows]
    return ("The reduced model, one seed.\n\n" +
            table(["system", "memory", "skew", "ms", "lost", "timeouts", "memory used MB"], body) +
            "\n" + findings.systems_skew_text(data), {})


def with_missing(names, section):
    """A section, and how many runs of its sweeps are missing."""
    def both(data):
        text, files = section(data)
        count = sum(results.unfinished(DATA, name) for name in names)
        return (text + "\n" + findings.missing(count) if count else text), files
    return both


def followed_by(section, sentences):
    """A section and the sentences below its table, where its sweeps were run."""
    def both(data):
        text, files = section(data)
        return (text, files) if text == NOT_RUN else (text + "\n" + sentences(data), files)
    return both


SECTIONS = {
    "handshake": lambda data: (findings.handshake(data), {}),
    "conclusions": conclusion_table,
    "skew-a2a": with_missing(["single-skew-a2a", "single-skew-a2a-memory"], skew_a2a),
    "rto-a2a": with_missing(["single-rto-a2a"], rto_a2a),
    "rto-trees": rto_trees,
    "skew-trees": with_missing(["single-skew-trees"], skew_trees),
    "skew-model": with_missing(["full-skew-model-a2a", "reduced-skew-model-a2a"],
                               skew_model),
    "skew-systems": skew_systems,
    "systems-text": lambda data: (findings.systems_text(data), {}),
    "claims": claims,
    "systems": lambda data: systems(data, "full"),
    "systems-reduced": lambda data: systems(data, "reduced"),
    "layers": layers,
    "injection": injection,
    "buffer": followed_by(buffer, findings.buffer_text),
    "window": followed_by(lambda data: varied(data, WINDOW, "0.5 MB", "TCP window", "window"),
                          findings.window_text),
    "chunks": followed_by(chunks, findings.chunks_text),
    "algorithm": followed_by(algorithm, findings.algorithm_text),
    "single": followed_by(single, findings.single_text),
    "order": followed_by(order, findings.order_text),
    "mtu": followed_by(mtu, findings.mtu_text),
}


class Data(dict):
    def __missing__(self, name):
        self[name] = results.read(DATA, name)
        return self[name]


def write(check=False):
    """Puts every section and plot in its place; with `check`, only says whether they are there."""
    data, page, same = Data(), PAGE.read_text(encoding="utf-8"), True
    for name, section in SECTIONS.items():
        begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
        before, _, rest = page.partition(begin)
        _, found, after = rest.partition(end)
        if not found:
            raise SystemExit(f"{PAGE} has no section {name}")
        text, plots = section(data)
        page = before + begin + text + end + after
        for file, svg in plots.items():
            path = DATA / file
            if not check:
                path.write_text(svg, encoding="utf-8")
            same = same and path.exists() and path.read_text(encoding="utf-8") == svg
    same = same and page == PAGE.read_text(encoding="utf-8")
    if not check:
        PAGE.write_text(page, encoding="utf-8")
        return True
    return same
