#!/usr/bin/env python3
"""Ultra Ethernet at 8,192 hosts against the limit that its reference simulator asks of itself:
128 racks of 64 hosts, 64 spines, 200 Gb/s and 1 us; each host sends to one other, at once.

    ./study-uet.py [--orrery PATH] [--largest]

--largest: 100 MB only, which takes an hour of CPU and more.
"""
import argparse
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SHAPE = ["platform.topology.leaf_spine.leaves=128", "platform.topology.leaf_spine.plugs=64",
         "platform.topology.leaf_spine.spines=64"]


def run(orrery, control, paths, megabytes, slow):
    settings = [*SHAPE, f"traffic.flows.sizes={megabytes} MB", f"network.transport.control={control}",
                f"network.transport.entropy_values={paths}"]
    if slow:  # of the first rack, both ways
        faults = ", ".join(f"{{at: 0 s, link: leaf0 - spine{spine}, state: degraded, "
                           "bandwidth: 50 Gb/s}" for spine in range(slow))
        settings.append(f"network.faults=[{faults}]")
    command = [orrery, "traffic", "permutation-uet.yaml", "--format", "json", "--quiet"]
    for setting in settings:
        command += ["--set", setting]
    ran = subprocess.run(command, cwd=HERE, check=True, capture_output=True, text=True)
    result = json.loads(ran.stdout)
    last = result["finish_ps"] * 1e-6
    # The reference counts 9 us of path; here that is the idle round trip of four links of 1 us.
    limit = 1.2 * (8000 * megabytes / 200 + 9) * 64 / (64 - slow + slow / 4)
    packets = result["packets"]
    print(f"| {control} | {paths} | {megabytes} MB | {slow} | {last:.1f} us | {limit:.1f} us | "
          f"{last / limit:.2f} | {packets['refusals']} | "
          f"{packets['timeouts']} | {result['host']['cpu_s']:.0f} s |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--orrery", default=str(HERE.parents[1] / "build/release/orrery"))
    parser.add_argument("--largest", action="store_true")
    options = parser.parse_args()
    print("| control | paths | size | slow uplinks | last | limit | ratio | trimmed | timeouts | CPU |")
    print("|---" * 10 + "|")
    controls = ("nscc", "rccc", "both")
    cases = [(control, paths, 1, 0) for control in controls for paths in (32, 64, 128)]
    cases += [(control, 64, 1, slow) for control in controls for slow in (1, 16)]
    cases += [(control, 64, 10, slow) for control in controls for slow in (0, 1, 16)]
    if options.largest:
        cases = [(control, 64, 100, 0) for control in controls]
    for case in cases:
        run(options.orrery, *case)


if __name__ == "__main__":
    main()
