#!/usr/bin/env python3
"""Fits what messages cost in NCCL's protocols to three measured sizes of a machine, by simulation.

    ./scripts/calibrate_protocols.py [LIBRARY ...] [--orrery BINARY] [--check]

Nothing but the sizes named below is looked at. Each gives one unknown; all else are NCCL's own
constants (system/measured_protocols.cc). Times are linear in the unknown, so two runs give it. The
numbers are printed for measured_protocols.cc, which has them; --check fails if a calibrated size
takes another time than was measured, by 0.5 %, with the library that the program has.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KIB, MIB = 1 << 10, 1 << 20

# Each fit: protocol, unknown (a key of the row, in us, bytes or share of the link), file, size,
# launch in us, and what else the row has. `overhead`: what the benchmark itself takes, in us. The
# two curves of A100 differ by 9.1 us at 1 MiB: one is a program in Python.
OVERHEAD = {"nccl_a100_8_all_reduce.csv": 9.1}
A100, VTRAIN = "nccl_a100_8_all_reduce.csv", "nccl_a100_8_vtrain.csv"
H100 = "nccl_h100_8_all_reduce.csv"
LIBRARIES = {
    "nccl-a100": dict(npu="a100", bandwidth=300, fits=[
        ("ll", "step", A100, 128 * KIB, 6.6, {"efficiency": 25.3 / 300}),
        ("ll128", "least", VTRAIN, 1 * MIB, 14.0, {"step": 1.68, "efficiency": 1}),
        ("ll128", "efficiency", VTRAIN, 16 * MIB, 14.0, {"step": 1.68}),
        ("simple", "step", VTRAIN, 32 * MIB, 8.4, {"efficiency": 235 / 300})]),
    "nccl-h100": dict(npu="h100", bandwidth=450, fits=[
        ("ll", "step", H100, 1 * KIB, 6.6, {"efficiency": 141 / 450}),
        ("ll128", "step", H100, 4 * MIB, 14.0, {"efficiency": 341.1 / 450}),
        ("nvls", "step", H100, 64 * MIB, 8.4, {"efficiency": 275 / 450, "algorithm": "ring"})]),
}


def measured(file, size):
    with (ROOT / "tests/validation/data" / file).open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if int(row["bytes"]) == size:
                return float(row["time_us"]) - OVERHEAD.get(file, 0)
    sys.exit(f"{file} has no size {size}")


def run(options, library, size, system):
    machine = LIBRARIES[library]
    text = json.dumps({
        "platform": {"npu": {"preset": machine["npu"]}, "topology": {"levels": [
            {"name": "nvlink", "kind": "switch", "size": 8, "scope": "local", "latency": "0.2 us",
             "bandwidth": f"{machine['bandwidth']} GB/s"}]}},
        "system": system})
    output = subprocess.run(
        [options.orrery, "coll", "--platform", "/dev/stdin", "--size", str(size), "--format",
         "json", "--quiet"], input=text, text=True, stdout=subprocess.PIPE, check=True).stdout
    return json.loads(output)["rows"][0]["time_ps"] * 1e-6


def time_with(options, library, fit, values):
    protocol, _, _, size, launch, _ = fit
    row = {"protocol": protocol, "scope": "local", "launch": f"{launch} us",
           "step": f"{values.get('step', 0) * 1e6:.0f} ps",
           "efficiency": f"{values['efficiency'] * 100:.4f} %"}
    if "least" in values:
        row["least"] = f"{values['least']:.0f} B"
    if "algorithm" in values:
        row["algorithm"] = values["algorithm"]
    return run(options, library, size,
               {"algorithms": "ring", "chunks": 1, "all_reduce": {"protocol": protocol},
                "protocols": [row]})


def fitted(options, library, fit):
    """The value with which the size takes what was measured."""
    _, unknown, file, size, _, others = fit
    # What the time is linear in, at two values.
    at = {"step": (0.0, 1.0), "least": (1e6, 2e6), "efficiency": (1.0, 2.0)}[unknown]

    def value_of(x):
        return 1 / x if unknown == "efficiency" else x

    times = [time_with(options, library, fit, {**others, unknown: value_of(x)}) for x in at]
    slope = (times[1] - times[0]) / (at[1] - at[0])
    x = at[0] + (measured(file, size) - times[0]) / slope
    if x < 0:
        sys.exit(f"{library}: {fit[0]} at {size} B is slower without {unknown} than measured")
    return value_of(x)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("libraries", nargs="*", default=list(LIBRARIES), metavar="LIBRARY")
    parser.add_argument("--orrery", default=str(ROOT / "build/release/orrery"))
    parser.add_argument("--check", action="store_true", help="with what the program has")
    options = parser.parse_args()
    for library in options.libraries:
        for fit in LIBRARIES[library]["fits"]:
            protocol, unknown, file, size, _, _ = fit
            if not options.check:
                print(f"{library} {protocol}.{unknown}: {fitted(options, library, fit):.6g}")
                continue
            system = {"library": library, "algorithms": "ring", "chunks": 1,
                      "all_reduce": {"protocol": protocol}}
            error = run(options, library, size, system) / measured(file, size) - 1
            if abs(error) > 5e-3:
                sys.exit(f"{library}: {protocol} at {size} B is {error:+.2%} off")


if __name__ == "__main__":
    main()
