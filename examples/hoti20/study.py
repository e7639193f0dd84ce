#!/usr/bin/env python3
"""The HOTI'20 study: runs its sweeps, keeps what they say, and writes docs/studies/hoti20.md.

    ./study.py run -o out/hoti20 [--grid full|reduced] [--only SWEEP...] [--jobs N]
    ./study.py collect out/hoti20        results -> docs/studies/hoti20/*.csv
    ./study.py write [--check]           those -> tables of docs/studies/hoti20.md, and its plots

`run` goes on where it stopped (orrery sweep). The reduced grid trains fewer layers of the same sizes
on the same network with the same settings; the full one, the whole model.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
import document  # noqa: E402

SINGLE = ["single-analytical", "single", "single-a2a", "skew-a2a", "skew-a2a-memory", "rto-a2a",
          "skew-trees", "rto-trees"]  # the same in both grids
TRAINING = ["systems", "scheduling", "injection", "slow-copy", "buffer-flat", "buffer-hier",
            "window", "chunks", "algorithm", "mtu", "skew-systems", "skew-buffer-hier",
            "skew-model-a2a", "skew-injection", "skew-window", "skew-chunks", "skew-scheduling",
            "skew-mtu"]
WITH_LAYERS = ["systems", "scheduling"]
REDUCED = ["workload.model.bottom_mlp=[1024, 1024, 64]", "workload.model.top_mlp=[2048, 2048, 1]"]
COUNTERS = ["packets", "packet_hops", "drops", "retransmissions", "timeouts", "connections"]


def sweeps_of(grid):
    return [(name, "single" if name in SINGLE else grid) for name in SINGLE + TRAINING]


def run(options):
    failed = []
    for name, grid in sweeps_of(options.grid):
        if options.only and name not in options.only:
            continue
        command = [str(pathlib.Path(options.orrery).resolve()), "sweep", f"{name}.yaml", "-o",
                   str(pathlib.Path(options.output).resolve() / grid / name)]
        for setting in REDUCED if grid == "reduced" else []:
            command += ["--set", setting]
        if options.jobs:
            command += ["--jobs", str(options.jobs)]
        if subprocess.run(command, check=False, cwd=HERE / "sweeps").returncode != 0:
            failed.append(name)
    if failed:
        sys.exit(f"not complete: {', '.join(failed)}")


def in_largest(value, units):
    """1500000, [(10^9, GB), (10^6, MB)] -> "1.5 MB"; of the last unit if it is less than 0.1."""
    size, name = next((unit for unit in units if value >= unit[0] / 10), units[-1])
    return f"{value / size:g} {name}"


def as_written(key, value):
    """A varied key and its value as in the file of the sweep: sweep.csv has numbers, with the unit
    in the header."""
    if "." not in key or not value:
        return key, value
    if key.endswith("_ps"):
        whole = [unit for unit in [(10**12, "s"), (10**9, "ms")] if int(value) >= unit[0]]
        return key.removesuffix("_ps"), in_largest(int(value), whole or [(10**6, "us")])
    if key.endswith("_bytes"):
        binary = int(value) % 1000 != 0 and int(value) % 1024 == 0
        units = ([(2**20, "MiB"), (2**10, "KiB")] if binary
                 else [(10**9, "GB"), (10**6, "MB"), (1, "B")])
        return key.removesuffix("_bytes"), in_largest(int(value), units)
    return key, value


def collected(row):
    """What is kept of a row of sweep.csv and of the result in its folder."""
    kept = dict(as_written(key, value) for key, value in row.items()
                if key not in ("folder", "peak_rss_bytes", "wall_s", "idle_ps"))
    kept["experiment"] = pathlib.Path(row["experiment"]).stem
    result = {}
    if row["status"] == "ok":
        result = json.loads((pathlib.Path(row["folder"]) / "result.json").read_text("utf-8"))
    packets = result.get("packets") or {}
    for counter in COUNTERS:
        kept[counter] = packets.get(counter, "")
    switches = packets.get("switches", [])
    kept["memory"] = sum(switch["memory"] for switch in switches)
    kept["most_used"] = sum(switch["most_used"] for switch in switches)
    kept["cpu_s"] = f"{float(row['cpu_s']):.1f}" if row["cpu_s"] else ""
    return kept, result.get("layers", [])


def layers_of(both):
    return [{"system": row["system"], "backend": row["backend"], **layer}
            for row, layers in both for layer in layers if layer["collective"]]


def write_csv(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def collect(options):
    document.DATA.mkdir(parents=True, exist_ok=True)
    for table in sorted(pathlib.Path(options.folder).glob("*/*/sweep.csv")):
        name = f"{table.parent.parent.name}-{table.parent.name}"
        with table.open(encoding="utf-8", newline="") as file:
            both = [collected(row) for row in csv.DictReader(file)]
        write_csv(document.DATA / f"{name}.csv", [row for row, _ in both])
        if table.parent.name in WITH_LAYERS:
            write_csv(document.DATA / f"{name}-layers.csv", layers_of(both))
        print(f"{name}: {len(both)} rows")


def write(options):
    if not document.write(check=options.check):
        sys.exit("docs/studies/hoti20 is not what examples/hoti20/study.py write gives")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("run")
    command.add_argument("-o", "--output", required=True)
    command.add_argument("--grid", choices=["full", "reduced"], default="reduced")
    command.add_argument("--only", nargs="*", metavar="SWEEP")
    command.add_argument("--jobs", type=int)
    command.add_argument("--orrery", default=str(ROOT / "build/release/orrery"))
    command.set_defaults(call=run)
    command = commands.add_parser("collect")
    command.add_argument("folder")
    command.set_defaults(call=collect)
    command = commands.add_parser("write")
    command.add_argument("--check", action="store_true")
    command.set_defaults(call=write)
    options = parser.parse_args()
    options.call(options)


if __name__ == "__main__":
    main()
