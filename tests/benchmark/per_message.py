#!/usr/bin/env python3
"""What a message of Flat100G costs, every rank simulated, in those of a plain ring of 128 ranks.

    tests/benchmark/per_message.py                  CPU seconds, in turns, median of five pairs
    tests/benchmark/per_message.py --instructions   instructions, counted by valgrind (minutes)

Build first: ./scripts/build orrery collective_benchmark. The whole processes are counted.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / "build/release"


def flat100g(iterations):
    return [str(RELEASE / "orrery"), "run", str(ROOT / "examples/flat-vs-hier/flat100g.yaml"),
            "--no-fold", "--set", f"workload.iterations={iterations}"]


def ring(chunks):
    return [str(RELEASE / "tests/benchmark/collective_benchmark"), "128", str(chunks), "ring", "10"]


def messages_of(output):
    found = re.search(r"^messages +(\d+)|(\d+) messages", output, re.MULTILINE)
    if found is None:
        sys.exit(f"no number of messages in:\n{output}")
    return int(found.group(1) or found.group(2))


def cpu_of(command):
    """Nanoseconds of CPU for a message."""
    before = os.times()
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    after = os.times()
    used = after.children_user + after.children_system
    used -= before.children_user + before.children_system
    return 1e9 * used / messages_of(output)


def instructions_of(command):
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
        capture_output=True, text=True, check=True)
    count = re.search(r"Collected : (\d+)", run.stderr)
    return int(count.group(1)) / messages_of(run.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--pairs", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.instructions:
        ours, plain, unit = instructions_of(flat100g(1)), instructions_of(ring(64)), "instructions"
        ratio = ours / plain
    else:
        pairs = [(cpu_of(flat100g(2)), cpu_of(ring(256))) for _ in range(arguments.pairs)]
        ours, plain = (statistics.median(side) for side in zip(*pairs))
        ratio, unit = statistics.median(a / b for a, b in pairs), "ns"
    print(f"a message of Flat100G {ours:.0f} {unit}, of the ring {plain:.0f}: {ratio:.2f} times")


if __name__ == "__main__":
    main()
