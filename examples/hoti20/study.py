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
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
import document  # noqa: E402

SINGLE = ["single-analytical", "single", "single-a2a"]  # the same in both grids
TRAINING = ["systems", "scheduling", "injection", "slow-copy", "buffer-flat", "buffer-hier",
            "window", "chunks", "algorithm", "mtu"]
WITH_LAYERS = ["systems", "scheduling"]
REDUCED = ["workload.model.bottom_mlp=[1024, 1024, 64]", "workload.model.top_mlp=[2048, 2048, 1]"]
LEFT_OUT = ["folder", "peak_rss_bytes", "wall_s", "idle_ps", "drops", "retransmissions", "timeouts",
            "mfu", "inputs"]
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


def settings_of(result):
    """The values that `--set` gave to a point, by key."""
    arguments = shlex.split(result.get("provenance", {}).get("command", ""))
    return dict(value.split("=", 1) for option, value in zip(arguments, arguments[1:])
                if option == "--set")


def collected(row):
    """What is kept of a row of sweep.csv and of the result in its folder."""
    result = {}
    if row["status"] == "ok":
        result = json.loads((pathlib.Path(row["folder"]) / "result.json").read_text("utf-8"))
    words = settings_of(result)
    kept = {}
    for key, value in row.items():
        key_in_words = key.removesuffix("_bytes").removesuffix("_ps")
        if key_in_words in words:  # varied: as it is written in the sweep
            kept[key_in_words] = words[key_in_words]
        elif key not in LEFT_OUT:
            kept[key] = value
    kept["experiment"] = pathlib.Path(row["experiment"]).stem
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
