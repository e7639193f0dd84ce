#!/usr/bin/env python3
"""Prints the tables of docs/studies/mlt.md: least and most over seeds and the workers' start.

    ./study.py [--orrery PATH] [--keep FILE] [PART]...

PART: transports, timeouts, compression, workers, ring, ablation, gray, small; without one, all of
them. FILE remembers what was simulated, so that the same command goes on where it was stopped.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parent  # of the transports
SEEDS = (1, 2, 3)
SKEWS = ("0 s", "20 us", "500 us")
ALL = ("mlt", "uet", "ndp", "dctcp", "pfabric", "pias", "tcp")
LARGE = ("platform.file=parts/hosts144.yaml", "workload.file=parts/hosts144.yaml")
RING = ("platform.file=parts/ring144.yaml", "workload.file=parts/ring144.yaml",
        "system.file=parts/ring144.yaml")
BOTH = [(seed, skew) for skew in SKEWS for seed in SEEDS]
SOME = [(seed, "20 us") for seed in SEEDS]


class Runs:
    def __init__(self, orrery, keep):
        self.orrery, self.keep = orrery, keep
        self.known = json.loads(keep.read_text()) if keep and keep.exists() else {}

    def run(self, transport, settings):
        """Times in ms and bytes of a run."""
        key = " ".join([transport, *settings])
        if key not in self.known:
            with tempfile.TemporaryDirectory() as folder:
                command = [self.orrery, "run", f"{transport}.yaml", "-o", folder]
                for setting in settings:
                    command += ["--set", setting]
                subprocess.run(command, cwd=FOLDER, check=True, capture_output=True)
                result = json.loads((pathlib.Path(folder) / "result.json").read_text())
            packets = result["packets"]
            every = packets["tensors"][-1]
            self.known[key] = {"iteration": result["iteration_ps"] * 1e-9,
                               "mean": every["mean_ps"] * 1e-9, "p99": every["p99_ps"] * 1e-9,
                               "lost": packets["drops"], "again": packets["retransmissions"],
                               "timeouts": packets["timeouts"],
                               "layers": packets.get("missing", []),
                               "tensors": packets.get("tensors_of_layers", [])}
            if self.keep:
                self.keep.write_text(json.dumps(self.known))
        return self.known[key]

    def runs(self, transport, settings, starts):
        return [self.run(transport, [*settings, f"seed={seed}", f"workload.skew={skew}"])
                for seed, skew in starts]


def span(values, form="{:.2f}"):
    low, high = form.format(min(values)), form.format(max(values))
    return low if low == high else f"{low} - {high}"


def cells(runs):
    return " | ".join(span([one[what] for one in runs]) for what in ("iteration", "mean", "p99"))


def table(title, first):
    print(f"\n{title}\n\n| {first} | iteration | mean tensor | p99 |\n|---|---|---|---|", flush=True)


def ratio(name, runs, to, what):
    ratios = [one[what] / other[what] for one, other in zip(runs, to)]
    longer = sum(one > 1 for one in ratios)
    print(f"{what} of {name} over that of mlt: {span(ratios)}, above 1 in {longer} of {len(ratios)}",
          flush=True)


def transports(simulate, settings=LARGE, title="144 hosts, ms"):
    table(title, "transport")
    found = {}
    for name in ALL:
        found[name] = simulate.runs(name, settings, BOTH)
        print(f"| {name} | {cells(found[name])} |", flush=True)
    print()
    for name in ALL[1:]:
        for what in ("iteration", "mean", "p99"):
            ratio(name, found[name], found["mlt"], what)
    layers = found["mlt"][0]["layers"]
    print("\nMLT, seed 1, all together, by layer:\n\n| layer | not delivered | lost | of that droppable "
          "| sent again |\n|---|---|---|---|---|")
    for row in layers:
        print(f"| {row['layer']} | {row['missing_share']:.1%} | {row['lost_bytes'] * 1e-6:.0f} MB | "
              f"{row['lost_droppable_bytes'] * 1e-6:.0f} MB | {row['again_bytes'] * 1e-6:.0f} MB |")
    print("\n| MLT, way and layer | mean | p99 |\n|---|---|---|")
    for row in found["mlt"][0]["tensors"]:
        print(f"| {row['way']} {row['layer']} | {row['mean_ps'] * 1e-9:.2f} | "
              f"{row['p99_ps'] * 1e-9:.2f} |")


def small(simulate):
    transports(simulate, (), "12 hosts, ms")


def timeouts(simulate):
    table("144 hosts, start within 20 us, by the least timeout, ms", "transport")
    mlt = simulate.runs("mlt", LARGE, SOME)
    print(f"| mlt | {cells(mlt)} |")
    rows = [(name, key, time) for name, key in (("tcp", "minimum_rto"), ("pias", "rto"))
            for time in ("1 ms", "2 ms", "10 ms")]
    rows += [("pfabric", "rto", time) for time in ("45 us", "250 us", "10 ms")]
    for name, key, time in rows:
        found = simulate.runs(name, [*LARGE, f"network.transport.{key}={time}"], SOME)
        print(f"| {name}, {time} | {cells(found)} |", flush=True)
        ratio(f"{name}, {time}", found, mlt, "p99")
        ratio(f"{name}, {time}", found, mlt, "mean")


def compression(simulate):
    # A sixteenth of the gradients: layers of 512 x 512.
    table("144 hosts, a sixteenth of the gradients, start within 20 us, ms", "transport")
    small_layers = ("workload.layers.inputs=512", "workload.layers.widths=[512, 512, 512, 512]")
    for name in ALL:
        found = simulate.runs(name, [*LARGE, *small_layers], SOME)
        print(f"| {name} | {cells(found)} |", flush=True)


def workers(simulate):
    table("36 servers and 36, 72, 108 workers, start within 20 us, ms", "workers, transport")
    for of_leaf in (3, 6, 9):
        plugs = 3 + of_leaf
        servers = ",".join(f"{leaf * plugs}-{leaf * plugs + 2}" for leaf in range(12))
        shape = [*LARGE, f"platform.topology.leaf_spine.plugs={plugs}",
                 f"platform.topology.leaf_spine.spines={plugs}",
                 f'workload.data_parallel.servers="{servers}"']
        mlt = simulate.runs("mlt", shape, SOME)
        for name in ("mlt", "uet", "ndp", "tcp"):
            found = simulate.runs(name, shape, SOME)
            print(f"| {12 * of_leaf}, {name} | {cells(found)} |", flush=True)
            if name != "mlt":
                ratio(name, found, mlt, "p99")


def ring(simulate):
    table("A ring of 144 workers, start within 20 us, ms", "transport")
    for name in ALL:
        found = simulate.runs(name, RING, SOME)
        print(f"| {name} | {cells(found)} |", flush=True)


def ablation(simulate):
    table("MLT with some of its ideas, start within 20 us, ms", "ideas")
    ways = ("network.routing.policy=ecmp",)
    priorities = ("network.transport.classes=2", "network.transport.droppable.small=0 %")
    bound = ("network.transport.loss_bound=0 %",)
    for title, without in (("none", ways + priorities + bound),
                           ("a way for each packet", priorities + bound),
                           ("priorities, selective drops", ways + bound),
                           ("bounded loss", ways + priorities),
                           ("all but a way for each packet", ways),
                           ("all but priorities and drops", priorities),
                           ("all but bounded loss", bound), ("all", ())):
        found = simulate.runs("mlt", [*LARGE, *without], SOME)
        print(f"| {title} | {cells(found)} |", flush=True)


def gray(simulate):
    table("One link loses packets, start within 20 us, ms", "transport, loss")
    for name in ALL:
        for loss in ("0 %", "0.01 %", "0.1 %", "1 %"):
            link = f"network.switch.lossy_links=[{{link: leaf0 -> spine3, loss: {loss}}}]"
            found = simulate.runs(name, [*LARGE, link], SOME[:1])
            print(f"| {name}, {loss} | {cells(found)} |", flush=True)


PARTS = {"transports": transports, "small": small, "timeouts": timeouts, "compression": compression,
         "workers": workers, "ring": ring, "ablation": ablation, "gray": gray}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    parser.add_argument("--orrery", default=str(HERE.parents[2] / "build/release/orrery"))
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    simulate = Runs(options.orrery, options.keep)
    for part in options.parts or PARTS:
        PARTS[part](simulate)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"\nafter {part}: {used.ru_utime + used.ru_stime:.0f} s of CPU", flush=True)


if __name__ == "__main__":
    main()
