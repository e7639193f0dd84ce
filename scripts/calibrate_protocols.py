#!/usr/bin/env python3
"""Fits the costs of the protocols LL, LL128 and Simple to four measured sizes of one machine, by
simulation, and writes platforms/NAME-nccl.yaml.

    ./scripts/calibrate_protocols.py [NAME] [--orrery BINARY] [--check]

Nothing but the four sizes named in MACHINES is looked at. Four unknowns, one size for each:

    ll.step                      from the first size; its efficiency is NCCL's own cap over the link
    ll128.step, efficiency       from the second and the third
    simple.step                  from the fourth; its efficiency is 1, the data sheet

Times are linear in a step and in 1/efficiency, so two runs give each slope; a last run at each of
the four sizes must give the measured time to 0.1 %, else the fit is refused. --check compares with
the file that is there instead of writing it.

The starting values are facts of NCCL 2.2x, src/graph/tuning.cc: the latency of a launch (ring: LL
6.6, LL128 14.0, Simple 8.4 us; tree: 6.8, 14.0, 8.4), the latency of a step over NVLink (ring .6,
1.9, 3.4; tree .6, 1.25, 4.0), the most that LL reaches in one node (87.7 GB/s on Ampere, 141 GB/s on
Hopper), and what a tree has less than a ring (LL 1/3.8, LL128 7/9, Simple .92).
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KIB, MIB = 1 << 10, 1 << 20
MACHINES = {
    "dgx-h100": dict(gpu="H100", npu="h100", bandwidth=450, ll_cap=141.0,
                     measured="nccl_h100_8_all_reduce.csv",
                     sizes=(1 * KIB, 4 * MIB, 8 * MIB, 16 * MIB)),
    "dgx-a100": dict(gpu="A100", npu="a100", bandwidth=300, ll_cap=87.7,
                     measured="nccl_a100_8_all_reduce.csv",
                     sizes=(32 * KIB, 4 * MIB, 8 * MIB, 64 * MIB)),
}
LAUNCH = {"ring": {"ll": 6.6, "ll128": 14.0, "simple": 8.4},
          "double_binary_tree": {"ll": 6.8, "ll128": 14.0, "simple": 8.4}}
STEP = {"ring": {"ll": .6, "ll128": 1.9, "simple": 3.4},
        "double_binary_tree": {"ll": .6, "ll128": 1.25, "simple": 4.0}}
TREE_EFFICIENCY = {"ll": 2 / 3.8, "ll128": 7 / 9 / .92, "simple": .92}  # of the ring's


def measured_times(machine):
    path = ROOT / "tests/validation/data" / machine["measured"]
    with path.open(encoding="utf-8") as file:
        return {int(row["bytes"]): float(row["time_us"]) for row in csv.DictReader(file)}


def size_text(size):
    return f"{size // MIB}M" if size >= MIB else f"{size // KIB}K"


def platform_text(name, costs):
    machine = MACHINES[name]
    rows = "\n".join(
        f"    - {{protocol: {protocol}, {algorithm}launch: {launch:.1f} us, "
        f"step: {step * 1e6:.0f} ps, efficiency: {efficiency * 100:.2f} %}}"
        for algorithm, protocol, launch, step, efficiency in
        (("" if row[0] == "ring" else f"algorithm: tree, ", *row[1:]) for row in costs))
    sizes = ", ".join(f"{size_text(size)[:-1]} {size_text(size)[-1]}iB" for size in machine["sizes"])
    return f"""\
description: "DGX {machine['gpu']} as NCCL uses it: protocols LL, LL128 and Simple, calibrated"
# Written by scripts/calibrate_protocols.py {name}; do not edit. Calibrated on the times of an
# all-reduce among 8 {machine['gpu']} at {sizes} and nothing else
# (tests/validation/data/{machine['measured']}); docs/validation.md has the error at every size.
platform:
  npu: {{preset: {machine['npu']}}}
  topology:
    levels:
      # As {name}.yaml, but for the latency: 0.2 us is an estimate of the wire and half a switch, and
      # what a step costs beyond it is in `step` below.
      - {{name: nvlink, kind: switch, size: 8, bandwidth: {machine['bandwidth']} GB/s, latency: 0.2 us, scope: local}}
system:
  algorithms: ring
  chunks: 1  # what NCCL overlaps within a collective is in its steps
  protocol: auto
  protocols:
    # Fitted to a ring, and taken for all algorithms but the tree, whose rows are the ring's changed
    # by the ratios in NCCL's own model: not calibrated.
{rows}
"""


class Fit:
    def __init__(self, name, orrery):
        self.name, self.orrery = name, orrery
        self.measured = measured_times(MACHINES[name])

    def time(self, protocol, size, step, efficiency):
        """Simulated microseconds of a ring all-reduce in this protocol."""
        costs = [("ring", protocol, LAUNCH["ring"][protocol], step, efficiency)]
        text = platform_text(self.name, costs).replace("protocol: auto", f"protocol: {protocol}")
        output = subprocess.run(
            [self.orrery, "coll", "--platform", "/dev/stdin", "--size", str(size), "--format",
             "json", "--quiet"], input=text, text=True, capture_output=True, check=True).stdout
        return json.loads(output)["rows"][0]["time_ps"] * 1e-6

    def step(self, protocol, size, efficiency):
        """The step with which `size` takes what was measured."""
        without = self.time(protocol, size, 0, efficiency)
        slope = self.time(protocol, size, 1, efficiency) - without
        step = (self.measured[size] - without) / slope
        if step < 0:
            sys.exit(f"{self.name}: {protocol} at {size} B is slower without a step than measured")
        return step

    def costs(self):
        machine = MACHINES[self.name]
        small, middle, large, largest = machine["sizes"]
        ll = machine["ll_cap"] / machine["bandwidth"]
        fitted = {"ll": (self.step("ll", small, ll), ll)}
        wire = self.time("ll128", large, 0, 1) - self.time("ll128", middle, 0, 1)
        efficiency = round(wire / (self.measured[large] - self.measured[middle]), 4)
        fitted["ll128"] = (self.step("ll128", middle, efficiency), efficiency)
        fitted["simple"] = (self.step("simple", largest, 1), 1)
        for protocol, size in (("ll", small), ("ll128", middle), ("ll128", large),
                               ("simple", largest)):
            error = self.time(protocol, size, *fitted[protocol]) / self.measured[size] - 1
            if abs(error) > 1e-3:
                sys.exit(f"{self.name}: {protocol} at {size} B is {error:+.2%} off after the fit")
        rows = []
        for algorithm in ("ring", "double_binary_tree"):
            for protocol, (step, efficiency) in fitted.items():
                is_tree = algorithm != "ring"
                ratio = STEP[algorithm][protocol] / STEP["ring"][protocol]
                share = TREE_EFFICIENCY[protocol] if is_tree else 1
                rows.append((algorithm, protocol, LAUNCH[algorithm][protocol], step * ratio,
                             efficiency * share))
        return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("name", nargs="?", default="dgx-h100", choices=MACHINES)
    parser.add_argument("--orrery", default=str(ROOT / "build/release/orrery"))
    parser.add_argument("--check", action="store_true", help="compare, do not write")
    options = parser.parse_args()
    text = platform_text(options.name, Fit(options.name, options.orrery).costs())
    path = ROOT / "platforms" / f"{options.name}-nccl.yaml"
    if not options.check:
        path.write_text(text, encoding="utf-8")
    elif path.read_text(encoding="utf-8") != text:
        sys.exit(f"{path} is not what the calibration gives now")


if __name__ == "__main__":
    main()
