#!/usr/bin/env python3
"""Measures whole commands and writes them into docs/speed.md, with date, commit and yardstick.

    ./scripts/build && ./scripts/measure_speed.py             all cases, about ten minutes
    ./scripts/measure_speed.py --only ring --only traces      these alone; prints, writes nothing

CPU seconds of a process and of those that it starts: user and system, median of three runs (of one
where a run takes more than 10 s). The yardstick is a hold of the event queue (pop one event and push
one, 10,000 pending, with dispatch), measured before and after: machines are shared and differ, so a
time in holds says more than seconds.
"""
import argparse
import datetime
import json
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RELEASE = ROOT / "build/release"
ORRERY = RELEASE / "orrery"
PAGE = ROOT / "docs/speed.md"
BEGIN, END = "<!-- scripts/measure_speed.py begins -->", "<!-- scripts/measure_speed.py ends -->"
SCALE = ROOT / "tests/benchmark/scale"
LONG = 10  # seconds: measured once

sys.path.insert(0, str(ROOT / "tests/benchmark"))
import trace_files  # noqa: E402


def hold_of_the_queue():
    """In nanoseconds."""
    printed = subprocess.run(
        [RELEASE / "tests/benchmark/event_queue_benchmark", "--benchmark_format=json",
         "--benchmark_filter=exponential/EventQueue/10000$", "--benchmark_min_time=0.5"],
        check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return json.loads(printed)["benchmarks"][0]["cpu_time"]


def one_run(command, folder, lines=None):
    """CPU seconds and peak memory in MB, of a child of its own: the peak of children is the largest
    of all that a process has had."""
    script = ("import json, resource, subprocess, sys; "
              "code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, "
              "stderr=subprocess.DEVNULL).returncode; "
              "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
              "print(json.dumps([code, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))")
    with (open(lines, encoding="utf-8") if lines else open("/dev/null", encoding="utf-8")) as given:
        ran = subprocess.run([sys.executable, "-c", script, *map(str, command)], cwd=folder,
                             check=True, stdin=given, stdout=subprocess.PIPE, text=True)
    code, seconds, peak = json.loads(ran.stdout)
    if code != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {code}")
    return seconds, peak


def measured(command, folder, lines=None):
    runs = [one_run(command, folder, lines)]
    while len(runs) < 3 and runs[0][0] < LONG:
        runs.append(one_run(command, folder, lines))
    return statistics.median(run[0] for run in runs), max(run[1] for run in runs)


def run(*arguments):
    return [ORRERY, "run", *arguments, "--quiet"]


def written(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def job(folder, name, place, workload):
    return run(written(folder, name + ".yaml", f"platform: {place}\nworkload: {workload}\n"))


def cases_of_rings(folder):
    benchmark = RELEASE / "tests/benchmark/collective_benchmark"
    yield ("ring all-reduce, 1,024 ranks, 64 chunks: 134 M messages",
           [benchmark, 1024, 64, "ring", 10])
    yield ("Flat100G, trees in 1,024 chunks over 128 ranks",
           run(ROOT / "examples/flat-vs-hier/flat100g.yaml", "--no-fold"))
    yield ("`compare examples/flat-vs-hier`, four systems",
           [ORRERY, "compare", *sorted((ROOT / "examples/flat-vs-hier").glob("*.yaml")), "--quiet"])
    direct = written(folder, "direct.yaml", """platform:
  topology: {levels: [{kind: switch, size: 4096, bandwidth: 50 GB/s, latency: 1 us}]}
system: {algorithms: direct, chunks: 1}
workload: {program: [{operations: [{all_to_all: 64 MiB}]}]}
""")
    yield "direct all-to-all of 4,096 ranks: 16.8 M messages", run(direct, "--no-fold")


def cases_of_training(folder):
    llama = SCALE / "llama3-405b.yaml"
    larger = ["--set", "workload.training.data=1024", "--set", "workload.training.global_batch=16384",
              "--set", "platform.topology.levels[1].size=16384"]
    yield "Llama-3 405B on 16,384 H100, folded", run(llama)
    yield "the same on `fluid`", run(llama, "--set", "network.backend=fluid")
    yield "the same on 131,072 H100, folded", run(llama, *larger)
    yield "Llama-3 405B on 16,384 H100, every rank: 151 M messages", run(llama, "--no-fold")
    server = "server: dgx-h100"
    shapes = {"rails": f"{{nodes: 128, {server}}}",
              "leaf-spine of 2:1": f"{{nodes: 128, {server}, oversubscription: 2}}",
              "a torus of 8 x 8 x 16": "{npu: h100, topology: {levels: ["
                                      "{kind: ring, size: 8, bandwidth: 100 GB/s, latency: 500 ns}, "
                                      "{kind: ring, size: 8, bandwidth: 100 GB/s, latency: 500 ns}, "
                                      "{kind: ring, size: 16, bandwidth: 100 GB/s, latency: 500 ns}]}}"}
    for i, (name, place) in enumerate(shapes.items()):
        yield (f"Llama-3 70B (TP 8, PP 4, DP 32) on 1,024 H100, {name}",
               job(folder, f"llama{i}", place, "{model: llama3-70b, training: "
                                               "{tensor: 8, pipeline: 4, data: 32, global_batch: 512}}"))
        yield f"DLRM (DCNv2) on 1,024 H100, {name}", job(folder, f"dlrm{i}", place, "{model: dlrm-dcnv2}")
    superpod = "{file: dgx-h100-superpod, ranks: %d}"
    yield ("GPT-3 175B on 512 H100 (TP 8, PP 8)",
           job(folder, "gpt", superpod % 512,
               "{model: gpt3-175b, training: {tensor: 8, pipeline: 8, global_batch: 1536}}"))
    yield ("DeepSeek-V3 on 2,048 H100 (PP 16, EP 64), DualPipe",
           job(folder, "deepseek", superpod % 2048,
               "{model: deepseek-v3, training: {pipeline: 16, expert: 64, schedule: dualpipe, "
               "global_batch: 15360}}"))
    yield ("`search` of 29,184 configurations of GPT-3 on 1,024 A100",
           [ORRERY, "search", SCALE / "gpt3-search.yaml", "--quiet"])


def cases_of_networks(folder):
    del folder
    yield ("`fluid`: all-to-all of 1,024 hosts on a fat tree, ECMP: 1.05 M flows",
           run(SCALE / "fat-tree.yaml", "--no-fold"))
    yield ("`fluid`: rings of 512 GPUs on eight rails",
           run(SCALE / "rails.yaml", "--no-fold", "--set", "platform.topology.rail.nodes=64", "--set",
               "workload.program[0].operations[0].over.count=64"))
    yield ("packets, TCP of ns-3: 16 MiB all-reduce, direct, 128 hosts",
           run(ROOT / "examples/hoti20/single.yaml"))
    yield ("packets, RoCE with DCQCN: DLRM of `examples/transports`",
           run(ROOT / "examples/transports/dlrm.yaml"))


def cases_of_many(folder):
    example = ROOT / "examples/first-run/first.yaml"
    yield "`orrery version`, 100 times", ["sh", "-c", f"for i in $(seq 100); do {ORRERY} version; done"]
    lines = written(folder, "lines", (json.dumps(str(example)) + "\n") * 1_000)
    yield "`batch`, 1,000 of examples/first-run", [ORRERY, "batch"], lines
    latencies = ", ".join(f"{1 + i * 0.001:.3f} us" for i in range(2_000))
    sweep = written(folder, "study.yaml",
                    f"experiments: {example}\nvary:\n  - platform.topology.levels.ring.latency: [{latencies}]\n")
    for name, options in (("pool of processes", ["run", "-j", "2"]),
                          ("`--batch`", ["exec", "--shard", "0/1", "--batch"]),
                          ("`--batch --keep none`",
                           ["exec", "--shard", "0/1", "--batch", "--keep", "none"])):
        yield (f"sweep of 2,000 points of it, {name}",
               [ORRERY, "sweep", options[0], sweep, "-o", "out", "--force", "--quiet", *options[1:]])
    operations = "\n".join(f"        - {{compute: {i % 7 + 1} us}}" for i in range(80_000))
    program = written(folder, "long.yaml", "platform: dgx-a100\nworkload:\n  program:\n"
                                           f"    - operations:\n{operations}\n")
    yield "`validate` of 80,000 written operations", [ORRERY, "validate", program]


def cases_of_traces(folder):
    """The files are written where each case begins, and are of this folder."""
    trace_files.write_traces(folder, 1, 1_000_000, 1)
    yield "`trace check`, 10^6 nodes of 100 bytes", [ORRERY, "trace", "check", "t.0.et"]
    trace_files.write_traces(folder, 1_024, 10_000, 1_024, every=5)
    trace_files.experiment(folder, 1_024)
    trace = ["run", "job.yaml", "--quiet"]
    yield "trace of 1,024 ranks x 10^4 nodes, all different", [ORRERY, *trace]
    trace_files.write_traces(folder, 1_024, 10_000, 16, every=5)
    yield "the same, 16 distinct, folded", [ORRERY, *trace]
    yield "the same, not folded", [ORRERY, *trace, "--no-fold"]
    trace_files.write_traces(folder, 1_024, 100_000, 16, every=5)
    yield "trace of 1,024 ranks x 10^5 nodes, 16 distinct, folded", [ORRERY, *trace]
    yield "the same with 10^5 nodes, not folded", [ORRERY, *trace, "--no-fold"]
    trace_files.write_profile(folder / "k.json")
    yield "`import kineto`, 26 MB of JSON", [ORRERY, "import", "kineto", "k.json"]


CASES = {"rings": cases_of_rings, "training": cases_of_training, "networks": cases_of_networks,
         "many": cases_of_many, "traces": cases_of_traces}


def rows_of(names, hold):
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            for title, command, *lines in CASES[name](pathlib.Path(folder)):
                seconds, peak = measured(command, folder, *lines)
                digits = 2 if seconds >= 0.1 else 3
                row = (f"| {title} | {seconds:.{digits}f} s | {seconds * 1e3 / hold:,.2f} | "
                       f"{peak:,.0f} MB |")
                print(row, flush=True)
                yield row


def processor():
    try:
        found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found[1] if found else platform.machine()


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--only", choices=CASES, action="append")
    chosen = options.parse_args().only
    before = hold_of_the_queue()
    rows = list(rows_of(chosen or CASES, before))
    after = hold_of_the_queue()
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty", "--abbrev=12"],
                            check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    head = (f"Measured on {datetime.date.today()} at commit {commit}, {processor()}. A hold of the\n"
            f"event queue took {before:.1f} ns before and {after:.1f} ns after.\n\n"
            "| whole process | CPU | millions of holds | peak memory |\n|---|---|---|---|\n")
    print(head)
    if chosen:
        return
    page = PAGE.read_text(encoding="utf-8")
    start, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    PAGE.write_text(page[:start] + "\n" + head + "\n".join(rows) + "\n" + page[end:], encoding="utf-8")


if __name__ == "__main__":
    main()
