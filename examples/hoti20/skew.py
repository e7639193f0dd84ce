"""What start skew and the minimum timeout change: tables and plots of docs/studies/hoti20.md."""
import statistics

import plot
from results import (ALGORITHM, BUFFER, CHUNKS, RTO, SIZE, SKEW, SYSTEMS, milliseconds, select)

TIMEOUTS = ["1 s", "200 ms", "10 ms", "1 ms"]


def distinct(rows, key):
    return list(dict.fromkeys(row[key] for row in rows))


def time_of(text):
    """A quantity of time, in us."""
    number, unit = text.split()
    return float(number) * {"us": 1, "ms": 1e3, "s": 1e6}[unit]


def megabytes_used(row):
    return int(row["most_used"] or 0) * 1e-6


def count(key):
    return lambda row: int(row[key] or 0)


def spread(rows, value):
    """Median, least and most of the runs, one for each seed."""
    values = [value(row) for row in rows]
    return statistics.median(values), min(values), max(values)


def times(number):
    """A factor, in three figures or more."""
    digits = 2 if number < 10 else 1 if number < 100 else 0
    return f"{number:,.{digits}f}"


def written(number, form):
    return form(number) if callable(form) else format(number, form)


def cell(rows, value, form):
    median, least, most = (written(number, form) for number in spread(rows, value))
    return median if least == most else f"{median} ({least} to {most})"


def analytical(data, size, algorithm, chunks):
    """ms of the analytical backend, without skew."""
    same = select(data["single-single-analytical"],
                  **{SIZE: size, ALGORITHM: algorithm, CHUNKS: chunks})
    return milliseconds(same[0])


def counts_of(rows):
    """ms, losses, timeouts, memory used."""
    return [cell(rows, milliseconds, ",.2f"), cell(rows, count("drops"), ",.0f"),
            cell(rows, count("timeouts"), ",.0f"), cell(rows, megabytes_used, ",.1f")]


def cells_of(rows, ideal):
    """The same, with the time over `ideal` ms behind the first."""
    time, *others = counts_of(rows)
    return [time, cell(rows, over(ideal), times), *others]


def over(ideal):
    return lambda row: milliseconds(row) / ideal


HEAD = ["ms", "over analytical", "lost", "timeouts", "memory used MB"]


def chart(name, title, x_label, names, series):
    return f"\n![{name}](hoti20/{name}.svg)\n", {f"{name}.svg": plot.lines(
        title, x_label, "TCP over analytical (median)", names, series)}


def skews_of(rows):
    return sorted(distinct(rows, SKEW), key=time_of)


def by_skew(name, lines, title):
    """`lines`: (name of the line, rows, analytical ms). A row for each line and skew."""
    body, series = [], {}
    for line, rows, ideal in lines:
        for skew in skews_of(rows):
            runs = select(rows, **{SKEW: skew})
            body.append([line, skew, len(runs)] + cells_of(runs, ideal))
            series.setdefault(line, {})[skew] = spread(runs, over(ideal))[0]
    names = sorted({skew for points in series.values() for skew in points}, key=time_of)
    picture, files = chart(name, title, "start skew", names, series)
    return ["all-reduce, memory", "skew", "seeds"] + HEAD, body, picture, files


def by_timeout(name, rows, ideal, title):
    """A row for each skew and minimum timeout; `ideal`: analytical ms."""
    body, series = [], {}
    for skew in skews_of(rows):
        for timeout in TIMEOUTS:
            runs = select(rows, **{SKEW: skew, RTO: timeout})
            if not runs:
                continue
            body.append([skew, timeout, len(runs)] + cells_of(runs, ideal))
            series.setdefault(f"skew {skew}", {})[timeout] = spread(runs, over(ideal))[0]
    picture, files = chart(name, title, "minimum timeout", TIMEOUTS, series)
    return ["skew", "minimum timeout", "seeds"] + HEAD, body, picture, files


def with_timeout(rows, timeout):
    return [{**row, RTO: timeout} for row in rows]


def a2a_rows(data):
    return with_memory(data["single-skew-a2a"], "64 MB") + data["single-skew-a2a-memory"]


def with_memory(rows, memory):
    return [{**row, BUFFER: memory} for row in rows]


def a2a_lines(data):
    rows, ideal = a2a_rows(data), analytical(data, "16 MiB", "direct", "8")
    return [(f"A2A, {memory}", select(rows, **{BUFFER: memory}), ideal)
            for memory in ("1 GB", "64 MB", "4 MB") if select(rows, **{BUFFER: memory})]


def tree_lines(data):
    rows = data["single-skew-trees"]
    return [(f"DBT {chunks}, 64 MB", select(rows, **{CHUNKS: chunks}),
             analytical(data, "16 MiB", "double_binary_tree", chunks))
            for chunks in ("32", "1024") if select(rows, **{CHUNKS: chunks})]


def a2a_by_timeout(data):
    """With 64 MB: a second from skew-a2a, the others from rto-a2a."""
    others = data["single-rto-a2a"]
    second = [row for row in data["single-skew-a2a"] if row[SKEW] in distinct(others, SKEW)]
    return with_timeout(second, "1 s") + others


def system_rows(data):
    """(system, memory of all switches in MB, skew, row), the base without skew first."""
    found = []
    for system in SYSTEMS:
        base = select(data["reduced-systems"], system=system, backend="ns3")
        rows = [(row, "0 us") for row in base]
        rows += [(row, row[SKEW]) for row in select(data["reduced-skew-systems"], system=system)]
        rows += [(row, row[SKEW])
                 for row in select(data["reduced-skew-buffer-hier"], system=system)]
        found += [(system, int(row["memory"]) // 10**6, skew, row) for row, skew in rows]
    return found
