#!/usr/bin/env python3
"""What traces and other files of other programs cost, as rows of docs/speed.md: CPU seconds and
peak memory of whole commands. trace_files.py BUILD [--ranks N] [--only WORD]

Traces are written here: nodes of about 100 bytes with two dependencies each, a fifth of them
all-reduces in some cases; `distinct` ranks differ in the time of a node."""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    return text(10, text(1, name) + number(9, value))


def node(identity, collective, time):
    body = number(1, identity) + text(2, b"a_kernel_of_some_model_%08d" % identity)
    body += number(3, 7 if collective else 4) + number(7, time)
    body += b"".join(number(5, other) for other in (identity - 1, identity - 2) if other >= 0)
    if collective:
        body += attribute(b"comm_type", 0) + attribute(b"comm_size", 65_536)
    else:
        body += attribute(b"num_ops", 1_000_000) + attribute(b"tensor_size", 4_096)
    return varint(len(body)) + body


def write_traces(folder, ranks, nodes, distinct, every=0):
    """Ranks r and r + distinct share a file."""
    head = varint(7) + text(1, b"1.0.0")
    plain = [node(i, every > 0 and i % every == every - 1, 10) for i in range(nodes)]
    for rank in range(ranks):
        path = folder / f"t.{rank}.et"
        if rank >= distinct:
            os.link(folder / f"t.{rank % distinct}.et", path)
            continue
        own = list(plain)
        own[1] = node(1, False, 11 + rank)
        path.write_bytes(head + b"".join(own))


def experiment(folder, ranks):
    (folder / "job.yaml").write_text(
        f"platform: {{topology: {{levels: [{{kind: switch, size: {ranks}, bandwidth: 25 GB/s, "
        "latency: 1 us}]}}\nsystem: {algorithms: halving_doubling, chunks: 1}\nworkload: {trace: {files: t.%d.et}}\n")


def measured(name, command, folder, **more):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # The peak of children is the largest of all: a child of its own tells this one's.
    script = ("import resource, subprocess, sys; "
              "code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, "
              "stderr=subprocess.DEVNULL).returncode; "
              "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    ran = subprocess.run(["python3", "-c", script, *command], cwd=folder, check=True,
                         stdout=subprocess.PIPE, text=True, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    code, peak = map(int, ran.stdout.split())
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"| {name} | {seconds:.2f} s | {peak / 1024:,.0f} MB |{'' if code == 0 else ' failed'}",
          flush=True)


def case_nodes(orrery, folder, ranks):
    del ranks
    write_traces(folder, 1, 1_000_000, 1)
    measured("`trace check`, 10^6 nodes of 100 bytes", [orrery, "trace", "check", "t.0.et"], folder)


def case_different(orrery, folder, ranks):
    write_traces(folder, ranks, 10_000, ranks, every=5)
    experiment(folder, ranks)
    measured(f"`run`, {ranks:,} ranks x 10^4 nodes, all different, one collective in five",
             [orrery, "run", "job.yaml", "--quiet"], folder)


def case_alike(orrery, folder, ranks):
    write_traces(folder, ranks, 10_000, min(16, ranks), every=5)
    experiment(folder, ranks)
    for option, word in ([], "folded"), (["--no-fold"], "not folded"):
        measured(f"`run`, {ranks:,} ranks x 10^4 nodes, 16 distinct, {word}",
                 [orrery, "run", "job.yaml", "--quiet", *option], folder)


def case_kineto(orrery, folder, ranks):
    del ranks
    event = {"ph": "X", "cat": "kernel", "name": "void a::kernel<float, 4>(int, float*)", "pid": 0,
             "tid": 7, "args": {"External id": 1, "device": 0, "context": 1, "stream": 7,
                                "correlation": 1, "registers per thread": 40, "grid": [16, 1, 1],
                                "block": [128, 1, 1], "est. achieved occupancy %": 0}}
    events = [dict(event, ts=i * 10, dur=5 + i % 7) for i in range(85_000)]
    (folder / "k.json").write_text(json.dumps({"traceEvents": events}))
    size = (folder / "k.json").stat().st_size
    measured(f"`import kineto`, {size / 1e6:.0f} MB of JSON", [orrery, "import", "kineto", "k.json"],
             folder)


def case_batch(orrery, folder, ranks):
    del ranks
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    line = json.dumps(str(root / "examples/first-run/first.yaml"))
    (folder / "lines").write_text((line + "\n") * 1_000)
    with (folder / "lines").open() as lines:
        measured("`batch`, 1,000 of examples/first-run", [orrery, "batch"], folder, stdin=lines)


CASES = {"nodes": case_nodes, "different": case_different, "alike": case_alike,
         "kineto": case_kineto, "batch": case_batch}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("build")
    options.add_argument("--ranks", type=int, default=1_024)
    options.add_argument("--only", choices=CASES)
    given = options.parse_args()
    orrery = str(pathlib.Path(given.build).resolve() / "orrery")
    for name, case in CASES.items():
        if given.only in (None, name):
            with tempfile.TemporaryDirectory() as folder:
                case(orrery, pathlib.Path(folder), given.ranks)


if __name__ == "__main__":
    main()
