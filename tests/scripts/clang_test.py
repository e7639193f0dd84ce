#!/usr/bin/env python3
"""The tree as clang 14 sees it, the version that .clang-format and .clang-tidy are written for.

    clang_test.py BUILD_FOLDER                every source compiles, without warnings
    clang_test.py BUILD_FOLDER --tidy COMMIT  .clang-tidy has nothing to say of lines changed since

Commands come from BUILD_FOLDER's ninja; nothing is linked. Without clang 14 the test says so and
passes: it is not among what a build needs (scripts/setup --dev). A header that changed is read with
the source of its name, tests are not read. clang-tidy takes a quarter of a minute for a file: after
TIDY_SECONDS no file is begun, and the test says how many are left out.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIDY_SECONDS = 45
SOURCE = re.compile(r" -c (\S+\.(?:cc|cxx))")
IN_BATCH = re.compile(r'^#include "(.+\.cc)"', re.M)
HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
OURS_ONLY = re.compile(r"(^\S*ccache )|(-o \S+)|(-MD -MT \S+ -MF \S+)|(-Winvalid-pch -include \S+)")


def commands(folder):
    """The arguments behind the compiler, for each source of the tree."""
    printed = subprocess.run(["ninja", "-C", folder, "-t", "commands"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    found = {}
    for line in printed.splitlines():
        source = SOURCE.search(line)
        if source is None:
            continue
        arguments = shlex.split(OURS_ONLY.sub("", line))[1:]
        for path in sources_of(pathlib.Path(source[1]), folder):
            if path.is_relative_to(ROOT) and not path.is_relative_to(folder):
                found[str(path.relative_to(ROOT))] = [
                    str(path) if argument == source[1] else argument for argument in arguments]
    return found


def sources_of(path, folder):
    """Of a cold build, the files that are compiled as one: CMakeLists.txt, orrery_compile_in_batches."""
    if path.suffix == ".cc" or not path.is_relative_to(folder):
        return [path]
    return [pathlib.Path(name) for name in IN_BATCH.findall(path.read_text(encoding="utf-8"))]


def compile_one(folder, arguments):
    return subprocess.run(["clang++-14", *arguments, "-fsyntax-only", "-Wno-unknown-warning-option"],
                          cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def tidy_one(folder, source, arguments, changed):
    """`changed`: the lines of each file that count. clang-tidy names files as they are included."""
    without = [argument for argument in arguments if argument not in ("-c", str(ROOT / source))]
    headers = "|".join(re.escape(name) for name in changed if name.endswith(".h")) or "^"
    lines = json.dumps([{"name": name, "lines": ranges} for name, ranges in changed.items()])
    return subprocess.run(["clang-tidy-14", "--quiet", f"--header-filter=/({headers})$",
                           f"--line-filter={lines}", "--warnings-as-errors=*", ROOT / source,
                           "--", *without, "-Wno-everything"],
                          cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def changed_since(commit, root=ROOT):
    """{path: [[first line, last line]]} of sources and headers; None if git has no such commit."""
    run = subprocess.run(["git", "diff", "--unified=0", "--find-renames", "--diff-filter=d", commit,
                          "--", "*.cc", "*.h"],
                         cwd=root, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if run.returncode != 0:
        return None
    changed = {}
    for line in run.stdout.splitlines():
        if line.startswith("+++ b/"):
            name = line.removeprefix("+++ b/")
        elif hunk := HUNK.match(line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            if count > 0:
                changed.setdefault(name, []).append([first, first + count - 1])
    return changed


def check_all(names, check):
    """Prints what is found, and returns how many files are good and how many are not."""
    passed, failed = 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, run in zip(names, pool.map(check, names)):
            if run is None or run.returncode == 0:
                passed += run is not None
                continue
            failed += 1
            print(f"{name}:\n{run.stdout[:2000]}")
    return passed, failed


def compile_all(folder):
    known = commands(folder)
    return check_all(sorted(known), lambda name: compile_one(folder, known[name]))


def tidy_changed(folder, commit):
    changed = changed_since(commit)
    if changed is None:
        print(f"clang-tidy: git knows no {commit} here (a shallow clone?), nothing was checked")
        return 0, 0
    known = commands(folder)
    sources = sorted({name.removesuffix(".h").removesuffix(".cc") + ".cc" for name in changed})
    # Tests are left out: the macros of Catch2 expand to what several checks look for.
    names = [name for name in sources if name in known and not name.startswith("tests/")]
    deadline = time.monotonic() + TIDY_SECONDS

    def check(name):
        if time.monotonic() > deadline:
            return None
        return tidy_one(folder, name, known[name], changed)

    passed, failed = check_all(names, check)
    left_out = len(names) - passed - failed
    print(f"clang-tidy: {passed + failed} files that changed since {commit} were read"
          + (f", {left_out} were left out after {TIDY_SECONDS} s" if left_out else ""))
    return passed, failed


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    commit = sys.argv[3] if len(sys.argv) == 4 else None
    program = "clang-tidy-14" if commit else "clang++-14"
    if shutil.which(program) is None:
        print(f"{program} is not installed: nothing was checked\n0 passed, 0 failed")
        return 0
    passed, failed = tidy_changed(folder, commit) if commit else compile_all(folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
