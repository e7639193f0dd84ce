#!/usr/bin/env python3
"""Do the tests notice when a rule is broken? Applies mutations, one at a time.

    scripts/mutate.py [FOLDER]           all of them; FOLDER is where the copy is built
                                         (default: build/mutants)
    scripts/mutate.py --only network     those of one room
    scripts/mutate.py --part 2/8         the second of eight parts
    scripts/mutate.py --check            only: does what a mutation replaces still stand there?

tests/mutations/ROOM.toml lists the mutations of a room. Each replaces `old`, which stands exactly
once in `file`, by `new`; `breaks` says which rule that breaks. The tests of that room alone must
notice (their fast part; the conformance suite belongs to network). Every mutation is made in a copy
of the sources. A mutated test program that fails, is killed by a signal or takes ten times as long
as the original has noticed it. A mutation that does not compile is an error in the list.

Exit code 0: at least 90 % were noticed. 1: fewer were, or the list is wrong.
"""

import argparse
import collections
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOMS = ["core", "network", "simulation", "system", "workload"]
SHARE_TO_NOTICE = 0.9
MEMORY = 4 << 30  # bytes: a mutant may loop and store

Mutation = collections.namedtuple("Mutation", "room file old new breaks")


def programs_of(room):
    return [f"{room}_test"] + (["conformance_test"] if room == "network" else [])


def read_mutations():
    mutations = []
    for room in ROOMS:
        text = (ROOT / "tests" / "mutations" / f"{room}.toml").read_text()
        for entry in tomllib.loads(text)["mutation"]:
            mutations.append(Mutation(room=room, **entry))
    return mutations


def faults_of(mutations):
    """What is wrong with the list, one text each."""
    faults = []
    for m in mutations:
        path = ROOT / m.file
        count = path.read_text().count(m.old) if path.exists() else 0
        if m.file.split("/")[0] != m.room:
            faults.append(f"{m.file} is not in {m.room}/: {m.breaks}")
        elif count != 1:
            faults.append(f"{m.file} holds {count} times, not once, what is to be replaced for "
                          f"'{m.breaks}':\n{m.old}")
        elif m.old == m.new:
            faults.append(f"{m.file}: nothing is replaced for '{m.breaks}'")
    return faults


def copy_sources(target):
    """Git's files as they are here; those that are equal keep their time, and so their objects."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.split("\n")
    names = {name for name in listed if name and (ROOT / name).is_file()}
    for name in names:
        source, copy = ROOT / name, target / name
        content = source.read_bytes()
        if copy.exists() and copy.read_bytes() == content:
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(content)
        shutil.copymode(source, copy)
    for copy in target.rglob("*"):
        name = copy.relative_to(target)
        if copy.is_file() and name.parts[0] != "build" and str(name) not in names:
            copy.unlink()


class DoesNotCompile(Exception):
    pass


class Copy:
    """A copy of the sources, with its own build folder."""

    def __init__(self, folder):
        self.folder = folder
        self.build_folder = folder / "build" / "release"
        folder.mkdir(parents=True, exist_ok=True)
        copy_sources(folder)
        self.seconds = {}  # processor time of each program without a mutation

    def build(self, room):
        """Returns whether it compiles, and what the compiler said."""
        if not (self.build_folder / "build.ninja").exists():
            subprocess.run(["cmake", "--preset", "release", "-DORRERY_BENCHMARKS=OFF"],
                           cwd=self.folder, check=True, capture_output=True)
        done = subprocess.run(["cmake", "--build", self.build_folder, "--target",
                               *programs_of(room)], capture_output=True, text=True)
        return done.returncode == 0, done.stdout + done.stderr

    def run(self, program, limit):
        """Returns how the fast tests of a program ended: None if well, else a few words."""

        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run([self.build_folder / "tests" / program, "~[slow]", "--abort"],
                                  capture_output=True, text=True, errors="replace",
                                  preexec_fn=limits, timeout=20 * limit)
        except subprocess.TimeoutExpired:
            return "waits for ever"
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.last_seconds = after.ru_utime - before.ru_utime
        if done.returncode == 0:
            return None
        if done.returncode in (-9, -24):  # SIGKILL, SIGXCPU
            return "takes too long"
        if done.returncode < 0:
            return f"signal {-done.returncode}"
        name = re.search(r"^-{79}\n(.+)\n", done.stdout, re.M)
        return name.group(1).strip() if name else f"exit code {done.returncode}"

    def prepare(self, room):
        """Builds and runs the room's tests as they are: they must pass."""
        compiles, said = self.build(room)
        if not compiles:
            sys.exit(f"the tests of {room} do not build:\n{said[-3000:]}")
        for program in programs_of(room):
            failure = self.run(program, limit=600)
            if failure:
                sys.exit(f"{program} fails without a mutation: {failure}")
            self.seconds[program] = self.last_seconds

    def notice(self, mutation):
        """Returns what noticed the mutation, None if nothing did. Throws DoesNotCompile."""
        path = self.folder / mutation.file
        original = path.read_text()
        path.write_text(original.replace(mutation.old, mutation.new))
        try:
            compiles, said = self.build(mutation.room)
            if not compiles:
                raise DoesNotCompile("\n".join(re.findall(r"^.*\berror: .*$", said, re.M)[:3]))
            for program in programs_of(mutation.room):
                failure = self.run(program, limit=int(10 * self.seconds[program]) + 10)
                if failure:
                    return f"{program}: {failure}"
            return None
        finally:
            path.write_text(original)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--only", choices=ROOMS)
    parser.add_argument("--part", default="1/1", help="K/N: the K-th of N parts")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()

    mutations = read_mutations()
    faults = faults_of(mutations)
    if faults:
        print("\n".join(faults), file=sys.stderr)
        print(f"{len(mutations) - len(faults)} passed, {len(faults)} failed")
        return 1
    if arguments.check:
        print(f"{len(mutations)} passed, 0 failed")
        return 0

    part, parts = (int(text) for text in arguments.part.split("/"))
    chosen = [m for m in mutations if arguments.only in (None, m.room)]
    chosen = chosen[len(chosen) * (part - 1) // parts:len(chosen) * part // parts]
    copy = Copy(arguments.folder.resolve())
    noticed, wrong = [], 0
    for mutation in chosen:
        if programs_of(mutation.room)[0] not in copy.seconds:
            copy.prepare(mutation.room)
        begin = time.monotonic()
        try:
            by = copy.notice(mutation)
            verdict = "noticed" if by else "SURVIVED"
        except DoesNotCompile as error:
            by, verdict = str(error), "NO CODE"
            wrong += 1
        print(f"{verdict:8} {time.monotonic() - begin:5.1f} s  {mutation.file}: {mutation.breaks}"
              + (f"\n                  {by}" if by else ""), flush=True)
        if verdict == "noticed":
            noticed.append(mutation)
    for room in ROOMS:
        of_room = [m for m in chosen if m.room == room]
        if of_room:
            print(f"{room}: {sum(m.room == room for m in noticed)} of {len(of_room)}")
    print(f"mutations noticed by the room's own tests: {len(noticed)} of {len(chosen)}")
    if wrong:
        print(f"{wrong} do not compile: write them anew")
    enough = len(noticed) >= SHARE_TO_NOTICE * len(chosen) and not wrong
    print(f"{1 if enough else 0} passed, {0 if enough else 1} failed")
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
