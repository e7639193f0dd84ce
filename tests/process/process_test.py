#!/usr/bin/env python3
"""The program as a process: what signals and full disks leave behind, and where it finds its
platforms. process_test.py BUILD."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Some 20 s of simulation.
LONG = """platform:
  topology: {levels: [{kind: switch, size: 16, bandwidth: 1 GB/s, latency: 1 us}]}
network: {backend: queue}
system: {chunks: 64}
workload: {iterations: 4000, program: [{operations: [{compute: 1 us}, {all_reduce: 1 MB}]}]}
"""
SHORT = LONG.replace("iterations: 4000", "iterations: 1")


def require(condition, what):
    if not condition:
        raise AssertionError(what)


def equal(seen, expected, what):
    require(seen == expected, f"{what}: {seen!r} instead of {expected!r}")


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


class Folder:
    """An empty one with job.yaml in it, gone afterwards."""

    def __init__(self, job):
        self.kept = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.kept.name)
        (self.path / "job.yaml").write_text(job)


def ended_by(binary, end):
    """`run` with all its files, ended in the middle. Returns its exit code and what is left."""
    folder = Folder(LONG)
    command = [binary, "run", "job.yaml", "-o", "out", "--spans", "spans.csv", "--trace",
               "job.pftrace", "--quiet"]
    run = subprocess.Popen(command, cwd=folder.path, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    while not (folder.path / "spans.csv.unfinished").exists():
        time.sleep(0.01)
    time.sleep(0.3)
    run.send_signal(end)
    return run.wait(timeout=60), folder


def signals(binary):
    """SIGINT, SIGTERM, SIGHUP: every file is finished, and marked partial."""
    for end in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        exit_code, folder = ended_by(binary, end)
        equal(exit_code, 130, end.name)
        left = files_in(folder.path)
        require(not [name for name in left if "unfinished" in name], f"{end.name}: {left}")
        result = json.loads((folder.path / "out/result.json").read_text())
        equal((result["partial"], result["partial_reason"]), (True, "interrupted"), end.name)
        last = (folder.path / "spans.csv").read_text().splitlines()[-1]
        equal(last, "# partial: interrupted", end.name)
        require(b"PARTIAL RESULT: interrupted" in (folder.path / "job.pftrace").read_bytes(),
                f"{end.name}: the timeline is not marked")


def limited(binary, folder, most, *options):
    """`run` when no file may have more than so many bytes, as on a full disk: EFBIG for ENOSPC."""
    return subprocess.run([binary, "run", "job.yaml", "--quiet", *options], cwd=folder,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def full_disk(binary):
    """Exit code 3, no half file, an earlier result stays, and the result is printed anyway."""
    kept = Folder(SHORT)
    folder = kept.path
    equal(limited(binary, folder, 1 << 30, "-o", "out").returncode, 0, "without a limit")
    before = {name: (folder / name).read_bytes() for name in files_in(folder)}
    for most in (0, 100, 3000):
        run = limited(binary, folder, most, "-o", "out", "--force")
        equal(run.returncode, 3, f"{most} bytes")
        require("cannot write" in run.stderr, run.stderr)
        require("finish" in run.stdout, "the report is lost")
        equal({name: (folder / name).read_bytes() for name in files_in(folder)}, before,
              f"files after {most} bytes")
    for option in ("--spans", "--trace"):
        run = limited(binary, folder, 1000, option, "file")
        equal(run.returncode, 3, option)
        require("finish" in run.stdout, "the report is lost")
        equal(files_in(folder), sorted(before), option)


def empty_names(binary):
    kept = Folder(SHORT)
    coll = ["coll", "--size", "1M", "--platform"]
    for command, exit_code, message in [
            *((["run", "job.yaml", option], 2, "the name is empty")
              for option in ("-o", "--spans", "--trace", "--log-file")),
            (coll, 2, "the name is empty"), ([*coll, "dgx-h100", "--measured"], 2, "the name is empty"),
            (["run", "job.yaml", "--seed"], 2, "the number is missing"),
            (["run"], 3, "cannot read a file without a name")]:
        run = subprocess.run([binary, *command, ""], cwd=kept.path, check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        equal(run.returncode, exit_code, command)
        require(message in run.stderr, f"{command}: {run.stderr}")


def copied(binary):
    """A program without its tree has its platforms, and nobody else's under their names."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = shutil.copy(binary, folder / "orrery")
        (folder / "platforms").mkdir()
        (folder / "platforms/dgx-h100.yaml").write_text("description: another one\n")

        def said(*arguments):
            environment = {key: value for key, value in os.environ.items() if key != "ORRERY_PATH"}
            return subprocess.run([program, *arguments], cwd=folder, env=environment, check=True,
                                  stdout=subprocess.PIPE, text=True).stdout

        listed = said("list", "platforms")
        for platform in sorted((ROOT / "platforms").glob("*.yaml")):
            require(f" {platform.stem} " in listed, f"{platform.stem} is not listed")
        require("another one" not in listed, "./platforms replaces a bundled platform")
        require("busbw" in said("coll", "--platform", "dgx-h100", "--size", "1M"), "coll")
        content = pathlib.Path(program).read_bytes()
        require(str(ROOT).encode() not in content, "the program names the folder it was built from")


def provenance(binary):
    """The command of a result gives the same result."""
    kept = Folder(SHORT)

    def run(command):
        subprocess.run(["bash", "-c", command], cwd=kept.path, check=True,
                       env=dict(os.environ, PATH=f"{binary.parent}:{os.environ['PATH']}"),
                       stdout=subprocess.DEVNULL)
        return json.loads((kept.path / "an out/result.json").read_text())

    first = run("orrery run job.yaml --set 'system.chunks=7' -o 'an out' --force")
    again = run(first["provenance"]["command"])
    other = run("orrery run job.yaml --set system.chunks=8 -o 'an out' --force")
    equal(first["provenance"]["configuration"]["system.chunks"], "7", "chunks")
    equal(again["provenance"], first["provenance"], "provenance")
    equal(again["fingerprint"], first["fingerprint"], "fingerprint")
    require(other["provenance"]["inputs"] != first["provenance"]["inputs"], "inputs are the same")


CASES = [signals, full_disk, empty_names, copied, provenance]


def main(binary_folder):
    binary = pathlib.Path(binary_folder).resolve() / "orrery"
    failed = 0
    for case in CASES:
        try:
            case(binary)
        except Exception as complaint:
            failed += 1
            print(f"{case.__name__}: {type(complaint).__name__}: {complaint}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
