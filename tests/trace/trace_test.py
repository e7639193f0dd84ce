#!/usr/bin/env python3
"""What `orrery run --trace` draws, read by a decoder that shares nothing with the writer
(scripts/read_trace.py).

    trace_test.py BINARY_FOLDER
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import read_trace  # noqa: E402

# Four ranks compute for 10 us and reduce 4 kB: a ring of 6 steps of 1 kB at 3 GB/s (333,334 ps,
# rounded up) and twice 0.5 us, to the switch and from it. So nothing after that is on a whole
# nanosecond.
RING = """
platform:
  topology:
    levels: [{kind: switch, size: 4, bandwidth: 3 GB/s, latency: 0.5 us}]
system: {algorithms: ring, chunks: 1, injection_latency: 0 us}
workload:
  iterations: 2
  program:
    - {operations: [{compute: 10 us}, {all_reduce: 4 kB, name: sum}, {wait: sum}]}
"""

PIPELINE = """
platform:
  npu: {peak: 100 TFLOP/s, memory_bandwidth: 1 TB/s}
  topology:
    levels:
      - {kind: switch, size: 4, bandwidth: 100 GB/s, latency: 1 us, scope: local}
      - {kind: switch, size: 4, bandwidth: 10 GB/s, latency: 5 us}
system: {algorithms: ring, chunks: 1, injection_latency: 0 us}
workload:
  iterations: 2
  transformer: {layers: 8, hidden: 1024, heads: 8, vocabulary: 8192, sequence: 512, data_type: bf16}
  training: {tensor: 2, pipeline: 4, sequence_parallel: true, sharding: zero1, global_batch: 16}
"""


class Run:
    """One run: its trace, its result, what it said."""

    def __init__(self, binary, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            self.folder = pathlib.Path(folder)
            (self.folder / "job.yaml").write_text(text, encoding="utf-8")
            file = self.folder / "run.pftrace"
            ran = subprocess.run([binary / "orrery", "run", "job.yaml", "--trace", file.name,
                                  "--format", "json", *options], cwd=folder, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.exit_code, self.said = ran.returncode, ran.stderr
            self.left = sorted(path.name for path in self.folder.iterdir())
            if ran.returncode in (0, 1) and ran.stdout:
                self.result = json.loads(ran.stdout)
            self.bytes = file.read_bytes() if file.exists() else b""
        self.trace = read_trace.Trace(self.bytes)

    def of_rank(self, rank):
        """{name of a track: its slices} of a rank."""
        found = {}
        for path in self.trace.by_path():
            name, _, inner = path.partition(" / ")
            if int(name.split()[1]) == rank and inner:
                found[inner] = self.trace.slices(path)
        return found


def require(condition, complaint):
    if not condition:
        raise AssertionError(complaint)


def equal(found, expected, what):
    require(found == expected, f"{what}: {found}, expected {expected}")


def ring(binary):
    """Every time of a job small enough to be worked out by hand."""
    run = Run(binary, RING, "--no-fold")
    step = 2 * 500_000 + 333_334
    for rank in range(4):
        tracks = run.of_rank(rank)
        equal([(piece.begin, piece.end) for piece in tracks["compute"]],
              [(0, 10_000_000), (10_000_000 + 6 * step, 20_000_000 + 6 * step)], "compute")
        equal([(piece.begin_ns, piece.end_ns) for piece in tracks["compute"]],
              [(0, 10_000), (18_000, 28_000)], "whole nanoseconds of 18,000,004 ps")
        for name in ("all_reduce", "exposed"):
            equal([piece.duration for piece in tracks[name]], [6 * step] * 2, name)
        equal(tracks["all_reduce"][0].arguments["bytes"], 4_000, "bytes")
    equal(run.result["compute_ps"], 20_000_000, "compute of the result")


def check_sums(run):
    ranks = {row["rank"]: row for row in run.result["ranks"]}
    traced = [int(path.split()[1]) for path in run.trace.by_path() if " / " not in path]
    for rank in traced:
        tracks = run.of_rank(rank)
        for name, key in (("compute", "compute_ps"), ("exposed", "exposed_ps")):
            equal(sum(piece.duration for piece in tracks[name]), ranks[rank][key],
                  f"rank {rank}: sum of {name}")
        stream = sorted(tracks["compute"] + tracks["exposed"], key=lambda piece: piece.begin)
        for before, after in zip(stream, stream[1:]):
            require(before.end <= after.begin, f"{before.name} overlaps {after.name}")
    return traced


def sums(binary):
    """Computing and waiting on the tracks add up to the accounts of the rank, to the picosecond."""
    equal(check_sums(Run(binary, PIPELINE, "--no-fold")), [0, 4, 8, 12], "a rank of each stage")
    named = ("--trace-ranks", "3,8-10")
    equal(check_sums(Run(binary, PIPELINE, "--no-fold", *named)), [3, 8, 9, 10], "named ranks")
    equal(check_sums(Run(binary, PIPELINE, *named)), [0, 8], "those that stand for them")


def folded(binary):
    """A rank that stands for others looks as it does when all are simulated."""
    alone, among_all = Run(binary, PIPELINE), Run(binary, PIPELINE, "--no-fold")
    require(alone.result["folded"], "the job folds")
    require(any("stands for 4 ranks" in path for path in alone.trace.by_path()), "names say so")
    for rank in (0, 4, 8, 12):
        mine, theirs = alone.of_rank(rank), among_all.of_rank(rank)
        equal(list(mine), list(theirs), "tracks")
        for name, slices in mine.items():
            equal([(piece.name, piece.begin, piece.end) for piece in slices],
                  [(piece.name, piece.begin, piece.end) for piece in theirs[name]],
                  f"rank {rank}, {name}")


def same_bytes(binary):
    """The same input and seed give the same file."""
    require(Run(binary, PIPELINE).bytes == Run(binary, PIPELINE).bytes, "two runs differ")


def limits(binary):
    """What is dropped is said, what is wrong is refused, and nothing unfinished stays."""
    run = Run(binary, PIPELINE, "--trace-limit", "100")
    equal(sum(len(track.slices) for track in run.trace.tracks.values()), 100, "slices")
    require("the trace has the first 100 of" in run.said, "a notice of the limit")
    require("the trace has 4 of 16 ranks" in Run(binary, PIPELINE, "--no-fold").said,
            "a notice of the ranks left out")
    for wrong in ("16", "a", "3-1", "0,,1"):
        run = Run(binary, PIPELINE, "--trace-ranks", wrong)
        equal(run.exit_code, 2, f"--trace-ranks {wrong}")
        equal(run.left, ["job.yaml"], "files")
    require("is not among 16 ranks" in Run(binary, PIPELINE, "--trace-ranks", "16").said, "why")


CASES = [ring, sums, folded, same_bytes, limits]


def main(binary_folder):
    binary = pathlib.Path(binary_folder).resolve()
    failed = 0
    for case in CASES:
        try:
            case(binary)
        except AssertionError as complaint:
            failed += 1
            print(f"{case.__name__}: {complaint}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
