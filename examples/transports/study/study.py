#!/usr/bin/env python3
"""Prints tables as those of docs/studies/roce.md, with other starts: least and most over seeds.

    ./study.py [--orrery PATH] [controls|sizes|pairs]...
"""
import argparse
import json
import pathlib
import resource
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SEEDS = (1, 2, 3)
SKEWS = ("0 s", "50 us")
CONTROLS = ("none", "dctcp", "hpcc", "dcqcn", "timely", "swift")
ALL_REDUCE = "workload.program[0].operations[0].all_reduce"
TO_ALL = "workload.program[0].operations=[{name: tokens, all_to_all: %s}]"


class Runs:
    def __init__(self, orrery):
        self.orrery, self.known = orrery, {}

    def time(self, file, settings):
        """Milliseconds of a run."""
        key = (file, tuple(settings))
        if key not in self.known:
            with tempfile.TemporaryDirectory() as folder:
                command = [self.orrery, "run", file, "-o", folder]
                for setting in settings:
                    command += ["--set", setting]
                subprocess.run(command, cwd=HERE, check=True, capture_output=True)
                result = json.loads((pathlib.Path(folder) / "result.json").read_text())
            self.known[key] = result["finish_ps"] * 1e-9
        return self.known[key]

    def times(self, file, settings):
        """Of each seed and start."""
        return [self.time(file, [*settings, f"seed={seed}", f"workload.skew={skew}"])
                for skew in SKEWS for seed in SEEDS]


def span(values):
    low, high = min(values), max(values)
    return f"{low:.4g}" if f"{low:.4g}" == f"{high:.4g}" else f"{low:.4g} - {high:.4g}"


def table(runs, file, title, heads, rows):
    print(f"\n{title}\n\n| {' | '.join(heads)} |")
    print("|---" * len(heads) + "|")
    for name, cells in rows:
        times = [runs.times(file, settings) for settings in cells]
        print(f"| {name} | " + " | ".join(span(one) for one in times) + " |", flush=True)


def controls(runs):
    sizes = [f"{ALL_REDUCE}={size}" for size in ("4 MiB", "16 MiB", "64 MiB")] + [TO_ALL % "64 MiB"]
    heads = ["control", "all-reduce, 4 MiB", "16 MiB", "64 MiB", "all-to-all, 64 MiB"]
    rows = [(name, [[f"network.transport.congestion_control={name}", size] for size in sizes])
            for name in CONTROLS]
    rows += [(f"{name}, `astra-sim`", [["network.transport.preset=astra-sim",
                                        "network.transport.payload=4096",
                                        f"network.transport.congestion_control={name}", size]
                                       for size in sizes])
             for name in ("dctcp", "hpcc", "dcqcn", "timely")]
    table(runs, "leaves.yaml", "Controls, ms", heads, rows)


def sizes(runs):
    for title, form in (("all-reduce", ALL_REDUCE + "=%s"), ("all-to-all", TO_ALL)):
        kinds = [("TCP", ["network.transport.kind=tcp"]),
                 ("RoCE, 4,096", []),
                 ("RoCE, 8,948", ["network.transport.payload=8948"])]
        rows = [(name, [[*kind, form % size] for size in ("16 KiB", "256 KiB", "1 MiB", "4 MiB")])
                for name, kind in kinds]
        table(runs, "sizes.yaml", f"TCP and RoCE, {title}, ms",
              ["transport", "16 KiB", "256 KiB", "1 MiB", "4 MiB"], rows)


def pairs(runs):
    heads = ["control", "1 queue pair", "4", "16", "spray"]
    spray = ["network.routing.policy=spray", "network.transport.recovery=selective_repeat"]
    rows = []
    for name in ("none", "dctcp", "dcqcn"):
        control = f"network.transport.congestion_control={name}"
        rows.append((name, [[control, f"network.transport.qps_per_pair={n}"] for n in (1, 4, 16)]
                     + [[control, *spray]]))
    table(runs, "groups.yaml", "Queue pairs, ms", heads, rows)
    for name, cells in rows:
        times = [runs.times("groups.yaml", settings) for settings in cells]
        ordered = sum(one >= four >= many >= sprayed for one, four, many, sprayed in zip(*times))
        print(f"{name}: {ordered} of {len(times[0])} runs in the order 1, 4, 16, spray", flush=True)


PARTS = {"controls": controls, "sizes": sizes, "pairs": pairs}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=", ".join(PARTS))
    parser.add_argument("--orrery", default=str(HERE.parents[2] / "build/release/orrery"))
    options = parser.parse_args()
    runs = Runs(options.orrery)
    for part in options.parts:
        PARTS[part](runs)
        print(f"\nafter {part}: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime:.0f} s of CPU")


if __name__ == "__main__":
    main()
