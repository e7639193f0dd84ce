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
  npu: {peak: 100 TFLOP/s, memory_bandwidth: 1 TB/s, efficiency: none}
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

    def of_rank_tracks(self, rank):
        """{name of a track: tracks drawn as one} of a rank; that of its own steps is ""."""
        found = {}
        for path, tracks in self.trace.by_path().items():
            name, _, inner = path.partition(" / ")
            if name.startswith("rank ") and int(name.split()[1]) == rank:
                found[inner] = tracks
        return found

    def of_rank(self, rank):
        """{name of a track: its slices} of a rank, without its steps and counters."""
        return {name: self.trace.slices(tracks[0].path)
                for name, tracks in self.of_rank_tracks(rank).items()
                if name and not tracks[0].is_counter}

    def steps(self, rank):
        return self.trace.slices(self.of_rank_tracks(rank)[""][0].path)


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
    traced = [int(path.split()[1]) for path in run.trace.by_path()
              if path.startswith("rank") and " / " not in path]
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


def schedule(binary):
    """Four stages, eight micro-batches, one forward and one backward: stage s begins with 3 - s
    forward passes and ends with as many backward passes, written out by hand."""
    expected = {
        0: "F0 F1 F2  F3 B0 F4 B1 F5 B2 F6 B3 F7 B4  B5 B6 B7",
        4: "F0 F1  F2 B0 F3 B1 F4 B2 F5 B3 F6 B4 F7 B5  B6 B7",
        8: "F0  F1 B0 F2 B1 F3 B2 F4 B3 F5 B4 F6 B5 F7 B6  B7",
        12: "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7",
    }
    run = Run(binary, PIPELINE)
    for rank, order in expected.items():
        slices = run.steps(rank)
        equal([piece.name for piece in slices if piece.category == "iteration"],
              ["iteration 1", "iteration 2"], "iterations")
        steps = [piece for piece in slices if piece.category == "step"]
        require(all(piece.depth == 1 for piece in steps), "steps are inside of iterations")
        equal([piece.name for piece in steps], order.split() * 2, f"steps of rank {rank}")
        for piece in run.of_rank(rank)["compute"]:
            if " mb " not in piece.name:
                continue
            number = piece.name.rpartition(" mb ")[2]
            around = [step for step in steps
                      if step.begin_ns <= piece.begin_ns and piece.end_ns <= step.end_ns]
            equal([step.name[1:] for step in around], [number], f"the step around {piece.name}")


def layers(binary):
    """Two layers a stage, numbered through the model: attention and MLP of each, forward once and
    backward once for each micro-batch and iteration."""
    names = [piece.name for piece in Run(binary, PIPELINE).of_rank(8)["compute"]]
    for layer in (4, 5):
        for what in ("attention", "mlp"):
            wanted = f"{what} {layer} forward mb 3"
            require(wanted in names, f"no {wanted}")
    require(not any(name.startswith("attention 6 ") for name in names), "layer 6 is elsewhere")


def arrows(binary):
    """Activations and their gradients of 8 micro-batches and 2 iterations over 3 boundaries."""
    run = Run(binary, PIPELINE)
    flows = run.trace.flows()
    equal(len(flows), 3 * 2 * 8 * 2, "arrows")
    for sent, received in flows:
        equal(sent.name.rpartition(" mb ")[2], received.name.rpartition(" mb ")[2], "micro-batch")
        require("sends" in sent.track.name and "receives" in received.track.name, "ends")
        stages = [int(piece.track.path.split("stage ")[1][0]) for piece in (sent, received)]
        equal(stages[1] - stages[0], -1 if "gradients" in sent.name else 1, "direction")
        require(sent.begin < received.end, "an arrow goes forward in time")
        # The end of the receive is 5 us of latency to the switch and from it, and 256 kB at
        # 10 GB/s, behind the send at least: half of 512 tokens of 1,024 elements of 2 B.
        require(received.end - sent.begin >= 10_000_000 + 52_428_800 // 2, "faster than the link")
    equal(len(Run(binary, PIPELINE, "--trace-ranks", "0,8").trace.flows()), 0, "ends left out")


def memory(binary):
    """The counter's peak is what `orrery run` says a stage needs, and its steps are micro-batches:
    p - s of them at most on stage s."""
    run = Run(binary, PIPELINE)
    for stage, row in enumerate(run.result["memory"]):
        [track] = run.of_rank_tracks(4 * stage)["memory"]
        values = [value for _, value in track.values]
        equal(max(values), row["total"], f"peak of stage {stage}")
        equal((values[0], values[-1]), (min(values), min(values)), "nothing in flight")
        equal(len(set(values)) - 1, 4 - stage, "micro-batches in flight")
        equal([time for time, _ in track.values], sorted(time for time, _ in track.values), "order")


def counters(binary):
    """What --activity and a watched queue say over time is in the trace as it is in the result."""
    run = Run(binary, PIPELINE, "--activity")
    network = {path.partition(" / ")[2]: tracks[0] for path, tracks in run.trace.by_path().items()
               if path.startswith("network / ")}
    links = {row["link"] for row in run.result["link_activity"]}
    for link in links:
        rows = [row for row in run.result["link_activity"] if row["link"] == link]
        values = network[f"{link}: % of its bandwidth"].values
        equal([time for time, _ in values],
              [row["begin_ps"] // 1000 for row in rows] + [rows[-1]["end_ps"] // 1000], "times")
        require(all(abs(value - 100 * row["utilisation"]) < 1e-9
                    for (_, value), row in zip(values, rows)), f"values of {link}")
    equal(len(network), len(links) + 2, "counters of links and of two levels")


INCAST = """
platform:
  topology:
    levels: [{kind: switch, size: 4, bandwidth: 100 Gb/s, latency: 0.5 us, scope: scale_out}]
network:
  backend: ns3
  switch: {watch: [switch 4 -> npu 0]}
workload:
  program:
    - ranks: 0
      operations:
        - {receive: 1 MB, from: 1, async: true}
        - {receive: 1 MB, from: 2, async: true}
        - {receive: 1 MB, from: 3, async: true}
    - {ranks: [1, 2, 3], operations: [{send: 1 MB, to: 0}]}
"""


def queues(binary):
    """Three send to one: the queue before it and the switch's memory over time, where packets are
    simulated."""
    backends = subprocess.run([binary / "orrery", "list", "backends"], text=True, check=True,
                              stdout=subprocess.PIPE).stdout
    if "\n  ns3 " not in backends:
        return
    run = Run(binary, INCAST)
    network = {path.partition(" / ")[2]: [value for _, value in tracks[0].values]
               for path, tracks in run.trace.by_path().items() if path.startswith("network / ")}
    packets = run.result["packets"]
    [before] = [row for row in packets["queues"] if row["name"] == "switch 4 -> npu 0"]
    require(before["most_waiting"] > 400_000, "nothing waits")
    equal(max(network["queue before switch 4 -> npu 0"]), before["most_waiting"], "queue")
    equal(network["memory of switch 4"], packets["switches"][0]["peaks"] + [0], "memory")
    equal(len(run.trace.flows()), 3, "arrows")


def messages(binary):
    """Each of the four ranks sends 6 messages of 1 kB to the next one, twice."""
    run = Run(binary, RING, "--trace-messages")
    for rank in range(4):
        sent = run.of_rank(rank)["messages"]
        equal({piece.name for piece in sent}, {f"to {(rank + 1) % 4}: 1 kB, world"}, "names")
        equal([piece.duration for piece in sent], [2 * 500_000 + 333_334] * 12, "times")
    require("messages" not in Run(binary, RING).of_rank(0), "only if they are asked for")


def overlapping(binary):
    """Two collectives beside each other are in two rows; one that begins when both are over needs
    no third. That slices of a row do not overlap is what the decoder checks."""
    beside = ("{all_reduce: 4 kB, name: one, async: true}, "
              "{all_reduce: 8 kB, name: two, async: true}, {wait: one}, {wait: two}")
    run = Run(binary, RING.replace("{all_reduce: 4 kB, name: sum}, {wait: sum}", beside))
    for path, rows in run.trace.by_path().items():
        if not path.endswith("/ all_reduce"):
            continue
        equal(len(rows), 2, "rows")
        pieces = run.trace.slices(path)
        equal(sorted(piece.name for piece in pieces),
              ["one all_reduce 4 kB"] * 2 + ["two all_reduce 8 kB"] * 2, "slices of two iterations")
        for one, two in (pieces[:2], pieces[2:]):
            equal(one.begin, two.begin, "called at the same time")
            require(one.end != two.end and one.track != two.track, "ends apart, rows apart")


STUCK = """
workload:
  program:
    - {ranks: 0, operations: [{compute: 3 us}, {receive: 1 kB, from: 1}]}
    - {ranks: 1, operations: [{compute: 1 us}]}
platform:
  topology:
    levels: [{kind: switch, size: 2, bandwidth: 3 GB/s, latency: 0.5 us}]
"""


def stuck(binary):
    """A run that ends early has a trace of what was reached, under the name that was asked for."""
    run = Run(binary, STUCK)
    equal(run.exit_code, 1, "exit code")
    equal([piece.duration for piece in run.of_rank(0)["compute"]], [3_000_000], "compute")
    equal(run.left, ["job.yaml", "run.pftrace"], "files")


def same_bytes(binary):
    """The same input and seed give the same file."""
    require(Run(binary, PIPELINE).bytes == Run(binary, PIPELINE).bytes, "two runs differ")


def limits(binary):
    """What is dropped is said, what is wrong is refused, and nothing unfinished stays."""
    run = Run(binary, PIPELINE, "--trace-limit", "100")
    equal(sum(piece.category not in ("step", "iteration") for track in run.trace.tracks.values()
              for piece in track.slices), 100, "slices")
    require("the trace has the first 100 of" in run.said, "a notice of the limit")
    require("the trace has 4 of 16 ranks" in Run(binary, PIPELINE, "--no-fold").said,
            "a notice of the ranks left out")
    for wrong in ("16", "a", "3-1", "0,,1"):
        run = Run(binary, PIPELINE, "--trace-ranks", wrong)
        equal(run.exit_code, 2, f"--trace-ranks {wrong}")
        equal(run.left, ["job.yaml"], "files")
    require("is not among 16 ranks" in Run(binary, PIPELINE, "--trace-ranks", "16").said, "why")


CASES = [ring, sums, folded, schedule, layers, arrows, memory, counters, queues, messages,
         overlapping, stuck, same_bytes, limits]


def main(binary_folder):
    binary = pathlib.Path(binary_folder).resolve()
    failed = 0
    for case in CASES:
        try:
            case(binary)
        except Exception as complaint:  # a track that is not there is a KeyError
            failed += 1
            print(f"{case.__name__}: {type(complaint).__name__}: {complaint}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
