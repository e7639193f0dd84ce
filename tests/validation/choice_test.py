#!/usr/bin/env python3
"""Holds what is chosen without `system:` against twenty sections that an expert may write.

    choice_test.py BINARY_FOLDER fast|slow|table [NAME...]

A case is an experiment without `system:` and without `network:`: its iteration takes at most 10 %
longer than with the best of SECTIONS. `fast` takes small ones, `slow` a larger torus and those of
docs/models/llm-on-your-cluster.md; `table` prints the time of every section, for all or those that
are named. A section that does not fold may take long: if it has no result after LIMIT seconds it
counts as none. None of them has `in_network`: its switch has no limits (docs/models/selection.md).
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/models/llm-on-your-cluster.md"
LIMIT, QUICK_LIMIT = 20, 2  # seconds
BEST = 1.10


def named(algorithms, chunks, schedule="local_bandwidth_aware", more=""):
    """Names algorithms for large buffers. Few bytes go as an expert sends them: in log2 n steps."""
    return (f"{{algorithms: {algorithms}, chunks: {chunks}, schedule: {schedule}, all_reduce: "
            f"{{ranges: [{{below: 64 KiB, use: auto}}, {{use: {algorithms}}}]}}{more}}}")


SECTIONS = [
    "{algorithms: ring}",
    named("ring", 8, "baseline"),
    named("ring", 1),
    named("ring", 4),
    named("ring", 16),
    named("ring", 64),
    named("ring", 16, more=", scheduling: fifo"),
    named("ring", 16, "themis"),
    named("ring:2", 16),
    named("ring:2", 18, "torus"),
    named("ring:2", 64, "torus"),
    named("direct", 1),
    named("direct", 16),
    named("pat", 16),
    named("pat", 64),
    named("halving_doubling", 16),
    named("ring", 8, more=", all_to_all: {algorithms: pairwise}"),
    named("ring", 8, more=", all_to_all: {algorithms: direct, schedule: across_first, chunks: 8}"),
    named("ring", 8, more=", all_to_all: {algorithms: direct, chunks: 1}"),
    "{schedule: flat, algorithms: ring, chunks: 8, all_reduce: {algorithms: double_binary_tree}}",
]

# Small enough for each change: the same kinds of traffic on each kind of platform.
LLAMA = """
workload:
  transformer: {preset: llama3-8b, layers: 8}
  training: {tensor: 4, pipeline: 2, sequence_parallel: true, global_batch: 32}
"""
EXPERTS = """
workload:
  transformer: {preset: mixtral-8x7b, layers: 4}
  training: {expert: 8, global_batch: 64}
"""
SHARDED = """
workload:
  transformer: {preset: llama3-8b, layers: 4}
  training: {sharding: zero3, global_batch: 32}
"""
SUPERPOD = "platform: {file: dgx-h100-superpod, ranks: 32}"
TAPERED = """
platform:
  npu: {preset: h100, efficiency: {preset: h100-2024}}
  topology:
    leaf_spine: {leaves: 2, plugs: 16, spines: 4, bandwidth: 400 Gb/s, uplink_bandwidth: 800 Gb/s,
                 latency: 0.5 us, nodes: 4, node: {npus: 8, bandwidth: 450 GB/s, latency: 0.5 us,
                 nics: 8, bus_bandwidth: 64 GB/s, bus_latency: 0.4 us}}
"""
TORUS = """
platform:
  npu: {preset: h100, efficiency: {preset: h100-2024}}
  topology: {torus: {sizes: [4, 4], bandwidth: 100 GB/s, latency: 0.5 us}}
"""
PLATFORMS = {"superpod": SUPERPOD, "leaf-spine 2:1": TAPERED, "torus": TORUS}
DEEPER = TORUS.replace("[4, 4]", "[4, 4, 2]")
JOBS = {"llama": LLAMA, "experts": EXPERTS, "zero3": SHARDED}
SMALL = {f"{job} on {where}": platform + workload
         for where, platform in PLATFORMS.items() for job, workload in JOBS.items()}
LARGER = {f"{job} on torus 4x4x2": DEEPER + workload for job, workload in JOBS.items()}


# Of the page, those that take a moment: gradients run beside a pipeline there, and FSDP.
QUICK = ("llama", "mixtral")


def experiments_of_page(folder):
    """Writes what the page shows as files; the text of each experiment by its name."""
    cases = {}
    for file, text in re.findall(r"```(?:yaml|json) (\S+)\n(.*?)```", PAGE.read_text(), re.S):
        (folder / file).write_text(text)
        if file.endswith(".yaml"):
            cases[file.removesuffix(".yaml")] = text
    return cases


def chosen_cases(mode, names, folder):
    page = experiments_of_page(folder)
    if mode == "fast":
        return {**SMALL, **{name: page[name] for name in QUICK}}
    if mode == "slow":
        return {**LARGER, **page}
    return {name: text for name, text in {**SMALL, **LARGER, **page}.items() if not names or name in names}


def iteration(binary, folder, text, limit):
    """In seconds; None if there is no result, with the reason."""
    file = folder / "experiment.yaml"
    file.write_text(text)
    try:
        run = subprocess.run([binary, "run", file, "--format", "json", "--quiet"], timeout=limit,
                             capture_output=True, text=True, check=False)
    except subprocess.TimeoutExpired:
        return None, f"none in {limit} s"
    if run.returncode != 0:
        return None, run.stderr.strip().splitlines()[0]
    return json.loads(run.stdout)["iteration_ps"] * 1e-12, ""


def compare(binary, folder, text, limit):
    """The ratio to the best section, None if there is none; and the table."""
    chosen, why = iteration(binary, folder, text, limit)
    times = [iteration(binary, folder, text + f"\nsystem: {section}\n", limit)
             for section in SECTIONS]
    best = min((time for time, _ in times if time is not None), default=None)
    if chosen is None or best is None:
        return None, f"chosen: {why}"
    lines = [f"chosen {chosen * 1e3:.3f} ms, {chosen / best:.3f} times the best of "
             f"{len(SECTIONS)} sections"]
    for (time, why), section in zip(times, SECTIONS):
        shown = f"{time * 1e3:12.3f} ms {time / best:6.3f}" if time else f"{why:>22}"
        lines.append(f"  {shown}  {section}")
    return chosen / best, "\n".join(lines)


def main():
    binary, mode = pathlib.Path(sys.argv[1]).resolve() / "orrery", sys.argv[2]
    limit = QUICK_LIMIT if mode == "fast" else LIMIT
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cases = chosen_cases(mode, sys.argv[3:], folder)
        for case, text in cases.items():
            ratio, table = compare(binary, folder, text, limit)
            good = ratio is not None and ratio <= BEST
            failed += not good
            if mode == "table" or not good:
                print(f"{case}: {table}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
