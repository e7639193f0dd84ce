#!/usr/bin/env python3
"""Prints the tables of docs/studies/mlt.md: least and most over seeds, by the workers' start.

    ./study.py [--orrery PATH]        about 11 CPU minutes
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SEEDS = (1, 2, 3)
SKEWS = ("0 s", "20 us", "500 us")
LARGE = ["--set", "platform.file=parts/hosts144.yaml", "--set", "workload.file=parts/hosts144.yaml"]
TIMEOUTS = ("1 ms", "2 ms", "10 ms")


def milliseconds(orrery, name, *settings):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([orrery, "run", f"{name}.yaml", *settings, "-o", folder], cwd=HERE,
                       check=True, capture_output=True)
        result = json.loads((pathlib.Path(folder) / "result.json").read_text())
    return result["iteration_ps"] * 1e-9


def by_start(orrery, pool, title, names, settings):
    print(f"\n{title}, ms: least - most of seeds {SEEDS}\n\n| transport | {' | '.join(SKEWS)} |")
    print("|---" * (len(SKEWS) + 1) + "|")
    runs = {(name, skew, seed): pool.submit(milliseconds, orrery, name, *settings, "--set",
                                            f"seed={seed}", "--set", f"workload.skew={skew}")
            for name in names for skew in SKEWS for seed in SEEDS}
    for name in names:
        cells = [[runs[name, skew, seed].result() for seed in SEEDS] for skew in SKEWS]
        print(f"| {name} | " + " | ".join(f"{min(c):.2f} - {max(c):.2f}" for c in cells) + " |",
              flush=True)
    for other in names:
        ratios = [runs["mlt", skew, seed].result() / runs[other, skew, seed].result()
                  for skew in SKEWS for seed in SEEDS]
        if other != "mlt":
            print(f"mlt takes {min(ratios):.3f} to {max(ratios):.3f} times as long as {other}, longer "
                  f"in {sum(ratio > 1 for ratio in ratios)} of {len(ratios)} runs", flush=True)


def by_timeout(orrery, pool):
    print(f"\n144 hosts, seed 1, all together, ms\n\n| transport | {' | '.join(TIMEOUTS)} |")
    print("|---" * (len(TIMEOUTS) + 1) + "|")
    runs = {(name, time): pool.submit(milliseconds, orrery, name, *LARGE, "--set",
                                      f"network.transport.{key}={time}")
            for name, key in (("tcp", "minimum_rto"), ("pias", "rto")) for time in TIMEOUTS}
    pfabric = pool.submit(milliseconds, orrery, "pfabric", *LARGE)
    for name in ("tcp", "pias"):
        print(f"| {name} | " + " | ".join(f"{runs[name, t].result():.2f}" for t in TIMEOUTS) + " |")
    print(f"| pfabric, its own timeout | {pfabric.result():.2f} | | |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--orrery", default=str(HERE.parent.parent / "build/release/orrery"))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        by_start(options.orrery, pool, "144 hosts", ["ndp", "uet", "dctcp", "mlt", "tcp"], LARGE)
        by_start(options.orrery, pool, "12 hosts", ["ndp", "uet", "dctcp", "mlt", "tcp"], [])
        by_timeout(options.orrery, pool)


if __name__ == "__main__":
    main()
