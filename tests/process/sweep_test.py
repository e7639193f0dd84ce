#!/usr/bin/env python3
"""Sweeps that are killed at random moments while their inputs are edited: sweep_test.py BUILD TIER.

What a result says it is the result of is `provenance.inputs`, a hash. `orrery run` of each state that
the inputs were in gives the results to compare with: a result of the sweep has the hash of one of
them, and is equal to it in every field and table.
"""
import csv
import io
import itertools
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

SEEDS = [1, 2, 3, 4]
SWEEP = f"""name: killed
experiments: job.yaml
vary: [{{seed: {SEEDS}}}]
"""
# Three files, each in two states: the experiment, and two data files that it names.
STATES = {
    "job.yaml": [f"""platform: {{npu: {{peak: 1 TFLOP/s, jitter: {{relative: 10 %}}}}, topology: {{hpcc: wires.txt}}}}
system: {{chunks: {chunks}}}
network: {{backend: queue}}
workload: {{text: layers.txt, iterations: 3}}
""" for chunks in (16, 32)],
    "wires.txt": ["33 1 32\n32\n" + "".join(f"{host} 32 {rate}Gbps 1us 0\n" for host in range(32))
                  for rate in (100, 40)],
    "layers.txt": [f"DATA\n1\nL -1 1000 NONE 0 2000 NONE 0 3000 ALLREDUCE {size} 4\n"
                   for size in (1 << 20, 1 << 21)],
}


def write(folder, state):
    """Each file as an editor saves it: the new text is there at once."""
    for name, which in zip(STATES, state):
        (folder / (name + "~")).write_text(STATES[name][which])
        (folder / (name + "~")).rename(folder / name)


def table(path):
    """Without the columns about the machine."""
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    return [{key: value for key, value in row.items()
             if key not in ("wall_s", "cpu_s", "peak_rss_bytes")} for row in rows]


def result_in(folder):
    """What `run -o` left: the tables by name, and result.json without host and command."""
    result = json.loads((folder / "result.json").read_text())
    del result["host"]
    del result["provenance"]["command"]
    found = {path.name: table(path) for path in folder.glob("*.csv")}
    return found | {"result.json": result}


def fresh_results(binary, folder):
    """`orrery run` of every state and seed: (state, seed) -> hash, and hash -> result."""
    hashes, results = {}, {}
    for state in itertools.product((0, 1), repeat=len(STATES)):
        write(folder, state)
        for seed in SEEDS:
            out = folder / "fresh"
            subprocess.run([binary, "run", "job.yaml", "--set", f"seed={seed}", "-o", out,
                            "--force", "--quiet"],
                           cwd=folder, check=True, stdout=subprocess.DEVNULL)
            result = result_in(out)
            digest = result["result.json"]["provenance"]["inputs"]
            hashes[state, seed] = digest
            results[digest] = result
    return hashes, results


def processes_with(text):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text in path.read_bytes().decode(errors="replace"):
                found.append(path.parent.name)
        except OSError:
            continue
    return found


class Trial:
    """One folder that sweeps work in, one after the other, as a user's does."""

    def __init__(self, binary, folder, fresh):
        self.folder, self.out = folder, folder / "out"
        self.command = [binary, "sweep", "sweep.yaml", "-o", str(self.out), "--jobs", "2", "--quiet"]
        (folder / "sweep.yaml").write_text(SWEEP)
        self.hashes, self.fresh = fresh
        begin = time.monotonic()
        write(folder, self.state_of(0))
        self.whole(self.state_of(0))
        self.seconds = time.monotonic() - begin  # of a whole sweep

    @staticmethod
    def state_of(number):
        return tuple((number >> bit) & 1 for bit in range(len(STATES)))

    def check(self):
        """Every result that is there is that of what it says it is."""
        complete = 0
        for path in self.out.glob("points/*/result.json"):
            result = result_in(path.parent)
            if result["result.json"]["partial"]:
                continue
            digest = result["result.json"]["provenance"]["inputs"]
            if result != self.fresh[digest]:
                names = [name for name, rows in result.items() if rows != self.fresh[digest].get(name)]
                raise AssertionError(f"{path}: not a result of {digest}: {names}")
            complete += 1
        return complete

    def whole(self, state):
        """A sweep that nobody disturbs: every point is done, and of this state."""
        write(self.folder, state)
        printed = subprocess.run(self.command + ["--format", "csv"], cwd=self.folder, check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
        rows = list(csv.DictReader(io.StringIO(printed)))
        said = [(int(row["seed"]), row["status"], row["inputs"]) for row in rows]
        expected = [(seed, "ok", self.hashes[state, seed]) for seed in SEEDS]
        if said != expected:
            raise AssertionError(f"{said} instead of {expected}")
        for row in rows:
            fresh = self.fresh[row["inputs"]]["result.json"]
            if (row["fingerprint"], int(row["finish_ps"])) != (fresh["fingerprint"],
                                                               fresh["finish_ps"]):
                raise AssertionError(f"seed {row['seed']}: {row}, and `run` gives another result")
        self.check()

    def kill(self, end, number):
        """One sweep that `end` stops at a moment that the number chooses."""
        chance = random.Random(number)
        state = self.state_of(chance.randrange(8))
        write(self.folder, state)
        stop = time.monotonic() + chance.uniform(0, 1.1 * self.seconds)
        child = subprocess.Popen(self.command, cwd=self.folder, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        while time.monotonic() < stop:
            time.sleep(chance.uniform(0, self.seconds / 4))
            write(self.folder, self.state_of(chance.randrange(8)))
        child.send_signal(end)
        child.wait(timeout=60)
        patience = time.monotonic() + 5
        while processes_with(str(self.out)):
            if time.monotonic() > patience:
                raise AssertionError(f"processes go on: {processes_with(str(self.out))}")
            time.sleep(0.01)
        self.check()
        if chance.random() < 0.5:
            self.whole(state)  # as it was when the killed sweep began


def random_moments(binary, fresh, end, moments):
    with tempfile.TemporaryDirectory() as name:
        trial = Trial(binary, pathlib.Path(name), fresh)
        for moment in range(moments):
            trial.kill(end, 1000 * int(end) + moment)
        # What is left of a point is removed when that point runs again, whose files are as they were.
        for last in range(8):
            trial.whole(trial.state_of(last))
        half = [str(path) for path in trial.out.rglob(".*.unfinished")]
        if half:
            raise AssertionError(f"left half written: {half}")


def edited(binary, fresh):
    """The files change as soon as the sweep has begun: it simulates what it has read."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trial = Trial(binary, folder, fresh)
        before, after = trial.state_of(6), trial.state_of(1)
        write(folder, before)
        child = subprocess.Popen(trial.command + ["--force", "--format", "csv"], cwd=folder,
                                 stdout=subprocess.PIPE, text=True)
        while not list(trial.out.glob("points/*/.*.unfinished")) and child.poll() is None:
            if any(result_in_progress(path, trial.hashes[before, 1]) for path in
                   trial.out.glob("points/*/result.json")):
                break
            time.sleep(0.001)
        write(folder, after)
        said = [(row["status"], row["inputs"])
                for row in csv.DictReader(io.StringIO(child.communicate()[0]))]
        if said != [("ok", trial.hashes[before, seed]) for seed in SEEDS]:
            raise AssertionError(f"{said} is not of what the sweep began with")
        trial.check()
        trial.whole(after)
        trial.whole(before)


def result_in_progress(path, digest):
    try:
        return json.loads(path.read_text())["provenance"]["inputs"] == digest
    except (OSError, ValueError):
        return False


def long_sweep(folder, command):
    """A sweep of half a minute, whose processes have begun."""
    (folder / "sweep.yaml").write_text(SWEEP)
    write(folder, (0, 0, 0))
    (folder / "job.yaml").write_text(
        STATES["job.yaml"][0].replace("iterations: 3", "iterations: 2000"))
    sweep = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    while len(list(folder.glob("out/points/*/log.txt"))) < 2:
        time.sleep(0.01)
    return sweep


def no_orphans(binary):
    """Whatever ends a sweep, its processes end with it, and leave nothing half written."""
    for end in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        with tempfile.TemporaryDirectory() as name:
            out = pathlib.Path(name) / "out"
            sweep = long_sweep(pathlib.Path(name), [binary, "sweep", "sweep.yaml", "-o", str(out),
                                                    "--jobs", "2", "--quiet"])
            if len(processes_with(str(out))) != 3:
                raise AssertionError(f"{len(processes_with(str(out)))} processes, not 1 + 2")
            sweep.send_signal(end)
            sweep.wait(timeout=60)
            time.sleep(0.5)
            if processes_with(str(out)):
                raise AssertionError(f"after {end.name} {len(processes_with(str(out)))} go on")
            for path in out.glob("points/*/result.json"):
                if not json.loads(path.read_text())["partial"]:
                    raise AssertionError(f"after {end.name} {path} is complete")


def together(binary):
    """A sweep of other points in the folder is refused while the first one works."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        command = [binary, "sweep", "sweep.yaml", "-o", "out", "--jobs", "2", "--quiet"]
        first = long_sweep(folder, command)
        write(folder, (1, 0, 0))
        second = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True, check=False)
        first.send_signal(signal.SIGTERM)
        ended = first.wait(timeout=60)
        if second.returncode != 3 or "another sweep works in out" not in second.stderr:
            raise AssertionError(f"{second.returncode}: {second.stderr}")
        if ended != 130:
            raise AssertionError(f"SIGTERM ended it with {ended}")


def main(binary_folder, tier):
    binary = pathlib.Path(binary_folder).resolve() / "orrery"
    moments = 10 if tier == "slow" else 2
    with tempfile.TemporaryDirectory() as name:
        fresh = fresh_results(binary, pathlib.Path(name))
    cases = [(f"{end.name} at {moments} moments",
              lambda end=end: random_moments(binary, fresh, end, moments))
             for end in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)]
    if tier == "fast":
        cases += [("edited", lambda: edited(binary, fresh)),
                  ("no orphans", lambda: no_orphans(binary)),
                  ("together", lambda: together(binary))]
    failed = 0
    for name, case in cases:
        try:
            case()
        except Exception as complaint:
            failed += 1
            print(f"{name}: {type(complaint).__name__}: {complaint}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
