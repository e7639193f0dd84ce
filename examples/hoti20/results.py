"""The rows that `study.py collect` kept, and what the study's claims say of them."""
import csv

import order_of_service

SYSTEMS = ["Flat100G", "Flat800G", "Hier", "HierOpt"]
SIZE = "workload.program[0].operations[0].all_reduce"
BUFFER, WINDOW = "network.switch.buffer", "network.transport.window"
INJECTION, CHUNKS = "system.injection_latency", "system.all_reduce.chunks"
LIMIT, ALGORITHM = "system.first_phase_limit", "system.all_reduce.algorithms"
SKEW, RTO = "workload.skew", "network.transport.minimum_rto"
COUNTERS = ["drops", "retransmissions", "timeouts"]


def read_all(folder, name):
    path = folder / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read(folder, name):
    """The rows of one sweep that finished; none if it was not run."""
    return [row for row in read_all(folder, name) if row.get("status", "ok") == "ok"]


def unfinished(folder, name):
    """How many runs of a sweep have no result."""
    return len(read_all(folder, name)) - len(read(folder, name))


def select(rows, **wanted):
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def milliseconds(row):
    return int(row["finish_ps"]) * 1e-9


def base(systems, system):
    """The default parameters on the ns3 backend."""
    return next(iter(select(systems, system=system, backend="ns3")), None)


def slopes(systems, injection):
    """Of each system, microseconds that the two iterations take longer for each of latency."""
    found = {}
    for system in SYSTEMS:
        slow = [row for row in select(injection, system=system) if row[INJECTION] == "100 us"]
        if slow and base(systems, system):
            more = milliseconds(slow[0]) - milliseconds(base(systems, system))
            found[system] = more * 1e3 / 99.99
    return found


def single_ratios(tcp, analytical):
    """Rows of single all-reduces over TCP, each with the analytical one and their ratio."""
    found = []
    for row in tcp:
        algorithm = row.get(ALGORITHM) or ("double_binary_tree" if CHUNKS in row else "direct")
        same = [other for other in analytical
                if other[SIZE] == row[SIZE] and other[ALGORITHM] == algorithm and
                other[CHUNKS] == row.get(CHUNKS, "8")]
        if same:
            found.append((row, same[0], milliseconds(row) / milliseconds(same[0])))
    return found


def in_turn(rows_ratios):
    """Trees of order_of_service.CHUNKS chunks: (row, analytical row, its time with ports that serve
    their targets in turn, in ms)."""
    times, found = {}, []
    for row, ideal, _ in rows_ratios:
        if row.get(CHUNKS) != str(order_of_service.CHUNKS):
            continue
        size = bytes_of(row[SIZE])
        if size not in times:
            same = order_of_service.finish_ps(size, order_of_service.InOrder)
            if same != int(ideal["finish_ps"]):
                raise SystemExit(f"order_of_service.py: {same} ps for {row[SIZE]}, the analytical "
                                 f"backend {ideal['finish_ps']} ps")
            times[size] = order_of_service.finish_ps(size, order_of_service.InTurn) * 1e-9
        found.append((row, ideal, times[size]))
    return found


def bytes_of(text):
    number, unit = text.split()
    return int(number) * {"KiB": 1024, "MiB": 1024**2, "MB": 10**6}[unit]


def check_systems(systems, layers):
    time = {row["system"]: milliseconds(row) for row in select(systems, backend="ns3")}
    if len(time) < len(SYSTEMS):
        return []
    ratio = max(time.values()) / min(time.values())
    hier = time["Hier"] / time["Flat100G"]
    checks = [("A2-4: slowest over fastest system in [2.4, 7] (paper: 3)", f"{ratio:.2f}",
               2.4 <= ratio <= 7),
              ("A2-5: HierOpt < Flat100G, Flat800G < Flat100G, HierOpt < Hier",
               ", ".join(f"{name} {time[name]:.2f} ms" for name in SYSTEMS),
               time["HierOpt"] < time["Flat100G"] > time["Flat800G"] and
               time["HierOpt"] < time["Hier"]),
              ("A2-5: Hier within 25 % of Flat100G", f"{hier - 1:+.1%}", abs(hier - 1) <= 0.25)]
    for system in ("Flat100G", "Hier"):  # where all-reduces are exposed at all
        exposed = {}
        for row in select(layers, system=system, backend="ns3", **{"pass": "weight_gradient"}):
            exposed[row["name"]] = exposed.get(row["name"], 0) + int(row["exposed_ps"])
        if exposed:
            worst = max(exposed, key=exposed.get)
            checks.append((f"A2-12: largest exposed all-reduce of {system}: MLP_Top_0", worst,
                           worst == "MLP_Top_0"))
    return checks


def exposed_of(layers, system, which, names=None):
    """us, of both iterations, by layer."""
    found = {}
    for row in select(layers, system=system, backend="ns3", **{"pass": which}):
        if names is None or row["name"].startswith(names):
            found[row["name"]] = found.get(row["name"], 0) + int(row["exposed_ps"]) * 1e-6
    return found


def check_sums(systems):
    if not systems:
        return []
    wrong = [row for row in systems
             if int(row["finish_ps"]) != int(row["compute_ps"]) + int(row["exposed_ps"])]
    return [("A2-2: finish = compute + exposed", f"to the picosecond in {len(systems)} runs",
             not wrong)]


def check_layers(layers):
    """Where the all-reduces of the top layers are hidden, a bottom one is the most exposed."""
    if not layers:
        return []
    worst = {}
    for system in SYSTEMS:
        exposed = exposed_of(layers, system, "weight_gradient")
        worst[system] = max(exposed, key=exposed.get)
    forward = {system: next(int(row["exposed_ps"]) * 1e-9 for row in select(
        layers, system=system, backend="ns3", iteration="1", **{"pass": "forward"}))
        for system in SYSTEMS}
    return [("A2-12: the same of all systems", ", ".join(
        f"{system} {name}" for system, name in worst.items()),
             set(worst.values()) == {"MLP_Top_0"}),
            ("A2-13: first forward all-to-all exposed: 0.214 ms on Flat100G within 10 %, 0 on "
             "Flat800G", f"{forward['Flat100G']:.3f} ms, {forward['Flat800G']:.3f} ms",
             abs(forward["Flat100G"] / 0.214 - 1) <= 0.1 and forward["Flat800G"] == 0)]


def check_order(lifo, fifo):
    """Layers of the default scheduling, and of first in, first out."""
    if not lifo or not fifo:
        return []
    bottom = [[sum(exposed_of(layers, system, "weight_gradient", "MLP_Bottom").values()) * 1e-3
               for system in SYSTEMS] for layers in (lifo, fifo)]
    raw = [[max(int(row["raw_ps"]) * 1e-9 for row in select(
        layers, system=system, backend="ns3", name="MLP_Top_1", **{"pass": "weight_gradient"}))
            for system in SYSTEMS] for layers in (lifo, fifo)]
    return [("A2-11: LIFO exposes less of the bottom layers than FIFO", ", ".join(
        f"{system} {a:.2f} ms, not {b:.2f}" for system, a, b in zip(SYSTEMS, *bottom)),
             all(a <= b for a, b in zip(*bottom))),
            ("A2-11: and makes top layers take longer from issue to end (MLP_Top_1)", ", ".join(
                f"{system} {a:.2f} ms, not {b:.2f}" for system, a, b in zip(SYSTEMS, *raw)),
             all(a >= b for a, b in zip(*raw)))]


def check_slow_copy(injection, slow_copy):
    many = [row for row in select(injection, system="Flat100G") if row[INJECTION] == "100 us"]
    if not many or not slow_copy:
        return []
    few = {row[CHUNKS]: milliseconds(row) for row in slow_copy}
    return [("A2-9: with 100 us of injection latency, fewer chunks are better (Flat100G)",
             ", ".join(f"{chunks}: {time:.0f} ms" for chunks, time in few.items()) +
             f", 1024: {milliseconds(many[0]):.0f} ms", max(few.values()) < milliseconds(many[0]))]


def check_injection(systems, injection):
    slope = slopes(systems, injection)
    if len(slope) < len(SYSTEMS):
        return []
    ratio = (min(slope["Flat100G"], slope["Flat800G"]) / max(slope["Hier"], slope["HierOpt"]))
    checks = [("A2-7: injection latency: slope of the flat systems over the hierarchical at least 3",
               f"{ratio:.1f} (least flat over most hierarchical)", ratio >= 3)]
    small = [milliseconds(row) / milliseconds(base(systems, row["system"])) - 1
             for row in injection if row[INJECTION] == "1 us"]
    if small:
        checks.append(("A2-7: 0.01 to 1 us changes no system by 10 %", f"at most {max(small):+.1%}",
                       max(small) < 0.1))
    return checks


def check_single(trees, all_to_all, analytical):
    ratios = single_ratios(trees, analytical) + single_ratios(all_to_all, analytical)
    if not ratios:
        return []
    ample = [ratio for row, _, ratio in single_ratios(trees, analytical) if row[BUFFER] == "1 GB"]
    low = min(ratio for _, _, ratio in ratios)
    worst, _, high = max(ratios, key=lambda found: found[2])
    checks = [("A2-6: single all-reduce: TCP over analytical at least 1 everywhere", f"least {low:.3f}",
               low >= 1)]
    turns = [milliseconds(row) / time for row, _, time in in_turn(single_ratios(trees, analytical))]
    if turns:
        checks.append(("A2-6: the same, where analytical ports serve their targets in turn",
                       f"least {min(turns):.3f}", min(turns) >= 1))
    bounds = [int(row["finish_ps"]) / int(ideal["bound_ps"]) for row, ideal, _ in ratios]
    checks += [("A2-6: single all-reduce: TCP over the lower bound at least 1 everywhere",
                f"least {min(bounds):.3f}", min(bounds) >= 1),
              ("A2-6: its maximum at least 10 (paper: up to 50)",
               f"{high:.0f} ({worst[SIZE]}, memory {worst[BUFFER]})", high >= 10)]
    if ample:
        checks.append(("A2-6: trees at 1 GB: at most 3", f"{max(ample):.2f}", max(ample) <= 3))
    return checks


def check_buffer(systems, buffers):
    if not buffers or not systems:
        return []
    change = min(milliseconds(row) / milliseconds(base(systems, row["system"])) - 1
                 for row in buffers)
    return [("A2-8: less buffer makes nothing more than 5 % faster", f"at most {-change:.1%}",
             change > -0.05)]


def best_points(chunks):
    """Of each system, the fastest (chunks, parallelism)."""
    best = {}
    for row in chunks:
        known = best.get(row["system"])
        if known is None or milliseconds(row) < milliseconds(known):
            best[row["system"]] = row
    return {system: (row[CHUNKS], row[LIMIT]) for system, row in best.items()}


def check_chunks(chunks):
    best = best_points(chunks)
    if len(best) < 2:
        return []
    return [("A2-9: chunks x parallelism: the best depends on the system, or lies inside",
             ", ".join(f"{system} {count} x {limit}" for system, (count, limit) in best.items()),
             len(set(best.values())) > 1 or any(count == "128" for count, _ in best.values()))]
