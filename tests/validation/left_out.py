#!/usr/bin/env python3
"""Predicts each published set by a fit that has seen nothing of its publication.

    left_out.py BINARY_FOLDER [--write | --sets SET,...] [--jobs N]

Where an era was calibrated on rows of other publications too, its parameters are fitted again on
those alone. Where it was calibrated on this publication alone, the era NEAREST to it lends its
matrix efficiency: what a user has whose software nobody measured. A set that no fit saw needs
neither. --write simulates and writes left_out_results.csv; the table in docs/validation.md is
training_test.py's.
"""
import argparse
import csv
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
import calibrate_efficiency  # noqa: E402  pylint: disable=wrong-import-position
import training_rows  # noqa: E402  pylint: disable=wrong-import-position

RESULTS = pathlib.Path(__file__).resolve().parent / "left_out_results.csv"
FIELDS = ["set", "era", "fit", "row", "measured", "simulated"]

# The same device first, then the date of the software; 8-bit eras by 8-bit eras.
NEAREST = {
    "v100-2020": "a100-2021", "a100-2023": "a100-2021", "h100-2023": "h100-2024",
    "h100-2024": "h100-2025", "h100-2025": "h100-2024", "h100-2024-fsdp": "h100-2024",
    "h100-2023-fp8": "h100-2023-late-fp8", "h100-2023-late-fp8": "h100-2023-fp8",
    "h100-2025-fp8": "h100-2023-late-fp8", "h100-2024-fsdp-fp8": "h100-2023-late-fp8",
    "gb200-2025": "h100-2025", "gb200-2025-fp8": "h100-2025-fp8",
}


def publication_of(name):
    """Sets of one publication: one machine and one software."""
    for prefix in ("vtrain", "llm-foundry", "megatron-2020"):
        if name.startswith(prefix):
            return prefix
    return name


def efficiency_without(name, era, options):
    """(what was done, efficiency) for the rows of a set; no efficiency if no fit saw the set."""
    rows = calibrate_efficiency.calibration_rows(era)
    others = [row for row in rows if publication_of(row.set) != publication_of(name)]
    if len(others) == len(rows):
        return "not calibrated on", None
    fit = calibrate_efficiency.Fit(era, options.orrery, options.jobs, others)
    if others:
        values, _ = fit.least_squares()
        what = f"fitted on {len(others)} other rows"
    else:
        values = calibrate_efficiency.values_in(era)
        values["matrix"] = calibrate_efficiency.values_in(NEAREST[era])["matrix"]
        what = f"matrix of {NEAREST[era]}"
    texts = calibrate_efficiency.text_of({**fit.fixed, **values})
    texts.update({key: value for key, (value, _) in
                  calibrate_efficiency.software_of(era).items()})
    return what, texts


def known():
    if not RESULTS.exists():
        return []
    with RESULTS.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(lines):
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def predict(rows, name, era, options):
    what, efficiency = efficiency_without(name, era, options)
    if efficiency is None:
        return []
    print(f"{name} {era}: {what}: {efficiency}", flush=True)
    times = training_rows.simulate_all(options.orrery, rows, efficiency, options.jobs)
    return [dict(set=name, era=era, fit=what, row=row.name, measured=f"{row.seconds:.6g}",
                 simulated=f"{time:.6g}")
            for row, time in zip(rows, times) if not isinstance(time, str)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--sets", default="")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.orrery = str(pathlib.Path(options.folder) / "orrery")
    simulated = set()  # rows that training_test.py simulates: others take hours
    with (RESULTS.parent / "training_results.csv").open(encoding="utf-8") as file:
        simulated = {line["row"] for line in csv.DictReader(file)}
    sets = {}
    for row in (training_rows.published() + training_rows.vtrain("single") +
                training_rows.vtrain("multi")):
        if f"{row.set}/{row.name}/{row.seconds:.6g}" in simulated:
            sets.setdefault((row.set, row.era), []).append(row)
    lines = known()
    for (name, era), rows in sets.items():
        if options.sets and name not in options.sets.split(","):
            continue
        lines = [line for line in lines if (line["set"], line["era"]) != (name, era)]
        lines += predict(rows, name, era, options)
        if options.write:
            write(lines)  # each at once: an interrupted run keeps what it has
    return 0


if __name__ == "__main__":
    sys.exit(main())
