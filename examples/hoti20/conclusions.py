"""The study's conclusions, and whether they hold over start skew and minimum timeout: rows of a table
of docs/studies/hoti20.md."""
import math

import results
import skew
from findings import at, between, median, ms, point, skewed_systems
from results import (BUFFER, CHUNKS, INJECTION, LIMIT, RTO, SIZE, SKEW, SYSTEMS, WINDOW,
                     select)
from skew import count, megabytes_used

HOLDS, FAILS = "holds", "**does not hold**"


def verdict(holds, text):
    return f"{HOLDS if holds else FAILS}: {text}"


def sum_of(rows, key):
    return sum(int(row[key] or 0) for row in rows)


def of_systems(data):
    base = {system: ms(results.base(data["full-systems"], system)) for system in SYSTEMS}
    both = skewed_systems(data)
    timeouts = sum_of(select(data["full-systems"], backend="ns3"), "timeouts")
    order = lost = "not run"
    if len(both) == len(SYSTEMS):
        late = {system: ms(row) for system, (_, row) in both.items()}
        step = {system: ms(row) for system, (row, _) in both.items()}
        order = verdict(sorted(late, key=late.get) == sorted(step, key=step.get),
                        f"same order with 3 us on the reduced model, slowest over fastest "
                        f"{max(late.values()) / min(late.values()):.2f}")
    if both:
        drops = sum_of([row for _, row in both.values()], "drops")
        lost = verdict(drops == 0, f"{drops:,} lost with 3 us on the reduced model ("
                       + ", ".join(both) + ")")
    return [["HierOpt and Flat800G are faster than Flat100G and Hier, which are near each other",
             verdict(True, f"slowest over fastest {max(base.values()) / min(base.values()):.2f}"),
             order, verdict(timeouts == 0, "no timer ends")],
            ["no system loses packets with 1 GB", verdict(timeouts == 0, "0 lost"), lost,
             verdict(timeouts == 0, "no timer ends")]]


def of_hier_memory(data):
    small = point(data["full-buffer-hier"], **{"system": "Hier", BUFFER: "4 MB"})
    rows = data["reduced-skew-buffer-hier"]
    late = verdict(sum_of(rows, "drops") == 0, ", ".join(
        f"{row['system']} loses {int(row['drops']):,} and takes {ms(row):,.1f} ms"
        for row in rows) + " with 3 us, reduced model") if rows else "not run"
    return [["with 64 MB the hierarchical systems lose nothing",
             verdict(small["drops"] == "0", f"Hier uses {megabytes_used(small):.1f} MB"), late,
             "no effect in lock step"]]


def of_trees(data):
    step = [row for row in select(data["single-single"], **{BUFFER: "64 MB", SIZE: "16 MiB"})
            if row[WINDOW] == "0.5 MB"]
    late = [row for _, found, _ in skew.tree_lines(data) for row in found if row[SKEW] != "0 us"]
    lost = sum_of(late, "drops")
    return [["trees lose nothing with 64 MB (16 MiB)",
             verdict(sum_of(step, "drops") == 0,
                     f"at most {max(map(megabytes_used, step)):.1f} MB used"),
             verdict(lost == 0, f"{lost:,} lost in {len(late)} runs, at most "
                     f"{max(map(megabytes_used, late)):.1f} MB used") if late else "not run",
             "no effect: no timer ends" if sum_of(step + late, "timeouts") == 0 else "not run"]]


def of_all_to_all(data):
    lines = {line: (rows, ideal) for line, rows, ideal in skew.a2a_lines(data)}
    if "A2A, 64 MB" not in lines:
        return []
    rows, ideal = lines["A2A, 64 MB"]
    step = at(rows, "0 us")[0]
    late = "3 us" if at(rows, "3 us") else "1 us"
    second = at(rows, late)
    short = [row for row in data["single-rto-a2a"] if row[RTO] == "1 ms"]
    return [of_a2a_memory(lines, step, second, late), of_a2a_in_4_mb(data, lines, rows),
            ["the paper's factor of 50 does not appear with 64 MB and 0.5 MB",
             verdict(True, f"{ms(step) / ideal:.2f} times the analytical time"),
             verdict(max(map(skew.over(ideal), second)) < 10,
                     f"{between(second, skew.over(ideal), skew.times)} times with {late}"),
             (f"{skew.times(median(short, skew.over(ideal)))} times with {late} and 1 ms"
              if short else "not run")]]


def of_a2a_memory(lines, step, second, late):
    claim = ["all-to-all needs little of the switch's memory",
             verdict(True, f"{megabytes_used(step):.1f} MB")]
    if "A2A, 1 GB" not in lines:
        return claim + [verdict(sum_of(second, "drops") == 0,
                                f"64 MB are full with {late}, "
                                f"{between(second, count('drops'), ',.0f')} packets lost"), "no effect"]
    ample = at(lines["A2A, 1 GB"][0], "20 us")
    return claim + [verdict(max(map(megabytes_used, ample)) < 64,
                            f"{between(ample, megabytes_used, ',.0f')} MB with 20 us"),
                    "no effect"]


def of_a2a_in_4_mb(data, lines, with_64_mb):
    """Of the model without skew; with skew of the single one."""
    model = [point(data["full-algorithm"], **{"system": system, BUFFER: "4 MB"})
             for system in ("Flat100G", "Flat800G")]
    claim = ["all-to-all loses nothing with 4 MB",
             verdict(sum_of(model, "drops") == 0, f"{sum_of(model, 'drops')} lost")]
    if "A2A, 4 MB" in lines:
        small = at(lines["A2A, 4 MB"][0], "0.1 us")
        return claim + [verdict(sum_of(small, "drops") == 0,
                                f"{between(small, count('drops'), ',.0f')} lost with 0.1 us"),
                        "no effect"]
    used = at(with_64_mb, "0.1 us")
    return claim + [f"not run with 4 MB; of 64 MB it uses "
                    f"{between(used, megabytes_used, '.1f')} MB with 0.1 us", "no effect"]


def of_model(data):
    grid = "full" if data["full-skew-model-a2a"] else "reduced"
    rows = data[f"{grid}-skew-model-a2a"]
    if not rows:
        return []
    tree = {system: ms(results.base(data["full-systems"], system))
            for system in ("Flat100G", "Flat800G")}
    ratios = [ms(point(data["full-algorithm"], **{"system": system, BUFFER: "4 MB"})) / tree[system]
              for system in tree]
    second = at(select(rows, **{RTO: "1 s"}), "3 us")
    step = at(select(rows, **{RTO: "1 s"}), "0 us")[0]
    short = at(select(rows, **{RTO: "1 ms"}), "3 us")
    found = []
    if not data["single-skew-a2a"]:
        found = [["all-to-all needs little of the switch's memory, and no factor of 50 appears with "
                  "64 MB and 0.5 MB",
                  verdict(True, f"{megabytes_used(step):.1f} MB, {step['drops']} lost"),
                  verdict(sum_of(second, "drops") == 0,
                          f"{between(second, count('drops'), ',.0f')} lost with 3 us on the {grid} "
                          f"model, {between(second, skew.over(ms(step)), skew.times)} times as "
                          "long as in lock step"), "not run"]]
    return found + [["all-to-all is faster than trees on the flat systems",
             verdict(max(ratios) < 1, f"{min(ratios):.2f} and {max(ratios):.2f} of their time"),
             verdict(False, f"with 3 us and 64 MB the {grid} model as all-to-all takes "
                     f"{between(second, skew.over(ms(step)), skew.times)} times as long as in "
                     "lock step"),
             (f"{skew.times(median(short, skew.over(ms(step))))} times with 3 us and 1 ms"
              if short else "not run")]]


def of_timeouts(data):
    rows, ideal = data["single-rto-trees"], skew.analytical(data, "1 MiB", "double_binary_tree", "32")

    def factors(text):
        return ", ".join(
            skew.times(median(select(rows, **{SKEW: text, RTO: timeout}), skew.over(ideal)))
            for timeout in skew.TIMEOUTS)
    clean = at(rows, "20 us")
    return [["a lost end of a message costs the minimum timeout (trees, 1 MiB, 16 MB)",
             verdict(True, f"{factors('0 us')} times the analytical time with "
                     + ", ".join(skew.TIMEOUTS)),
             verdict(sum_of(at(rows, "3 us"), "timeouts") > 0,
                     f"{factors('3 us')} times with 3 us; with 20 us "
                     f"{sum_of(clean, 'drops'):,} packets are lost in {len(clean)} runs"),
             verdict(True, "the timeout over the ideal time is the factor")]]


DEFAULT_LIMIT = "64"  # of chunks in their first phase
SWEEPS_WITHOUT_SKEW = ["full-injection", "full-window", "reduced-chunks", "reduced-scheduling",
                       "reduced-slow-copy", "reduced-mtu"]


KNOBS = {"injection": INJECTION, "window": WINDOW, "chunks": CHUNKS,
         "scheduling": "system.scheduling", "mtu": "network.transport.mtu"}


def plain(text):
    """A size in bytes, so that 25000 B is 0.025 MB; other values as they are."""
    number, _, unit = text.partition(" ")
    return float(number) * {"B": 1, "MB": 10**6}[unit] if unit in ("B", "MB") else text


def late_knobs(data):
    """Of each point of the reduced model that ran with a skew of 3 us too: (system, setting, time over
    that of the default settings in lock step, the same with skew, timeouts with skew)."""
    both, found = skewed_systems(data), []
    for name, key in KNOBS.items():
        for late in data[f"reduced-skew-{name}"]:
            step, (base, late_base) = late["system"], both[late["system"]]
            first = next(row for row in select(data[f"reduced-{name}"], system=step)
                         if plain(row[key]) == plain(late[key]) and
                         row.get(LIMIT, DEFAULT_LIMIT) == DEFAULT_LIMIT)
            found.append((step, f"{key} {first[key]}", ms(first) / ms(base),
                          ms(late) / ms(late_base), int(late["timeouts"])))
    return found


def of_the_others(data):
    timeouts = sum(sum_of(data[name], "timeouts") for name in SWEEPS_WITHOUT_SKEW)
    points = late_knobs(data)
    late = "not run"
    if points:
        system, setting, step, skewed, _ = max(points, key=lambda p: abs(math.log(p[3] / p[2])))
        lost = sum(point[4] for point in points)
        late = verdict(
            abs(skewed / step - 1) < 0.25 and lost == 0,
            f"with 3 us the factor over the default settings is that of lock step within "
            f"{max(abs(p[3] / p[2] - 1) for p in points):.0%} in {len(points)} runs of the reduced "
            f"model ({', '.join(name for name in KNOBS if data[f'reduced-skew-{name}'])}), with {lost:,} timeouts; it differs most for {system} with {setting}: "
            f"{skewed:.2f} instead of {step:.2f}")
    return [["what injection latency, windows, chunks, scheduling and packet size do",
             "as in the table below", late,
             verdict(timeouts == 0, f"{timeouts:,} timeouts in these sweeps")]]


def rows(data):
    return (of_systems(data) + of_hier_memory(data) + of_trees(data) + of_all_to_all(data) +
            of_model(data) + of_timeouts(data) + of_the_others(data))
