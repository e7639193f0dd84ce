#!/usr/bin/env python3
"""The tree as clang 14 sees it, the version that .clang-format and .clang-tidy are written for.

    clang_test.py BUILD_FOLDER                every source compiles, without warnings
    clang_test.py BUILD_FOLDER --tidy COMMIT  .clang-tidy has nothing to say of sources that changed since

Commands come from BUILD_FOLDER's ninja; nothing is linked. Without clang 14 the test says so and
passes: it is not among what a build needs (scripts/setup --dev).
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
AT_MOST = 12  # files that clang-tidy reads: it takes a quarter of a minute for each
SOURCE = re.compile(r" -c (\S+\.cc)")
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
        path = pathlib.Path(source[1])
        if path.is_relative_to(ROOT) and not path.is_relative_to(folder):
            arguments = OURS_ONLY.sub("", line).split()[1:]
            found[str(path.relative_to(ROOT))] = arguments
    return found


def compile_one(folder, arguments):
    return subprocess.run(["clang++-14", *arguments, "-fsyntax-only", "-Wno-unknown-warning-option"],
                          cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def tidy_one(folder, source, arguments):
    without = [argument for argument in arguments if argument not in ("-c", str(ROOT / source))]
    return subprocess.run(["clang-tidy-14", "--quiet", "--header-filter=^$",
                           "--warnings-as-errors=*", ROOT / source,
                           "--", *without, "-Wno-everything"],
                          cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def changed_since(commit, known):
    run = subprocess.run(["git", "diff", "--name-only", commit, "--", "*.cc"], cwd=ROOT, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    names = [name for name in run.stdout.split() if name in known]
    if len(names) > AT_MOST:
        print(f"clang-tidy: {len(names)} files changed since {commit}; the first {AT_MOST} are read")
    return names[:AT_MOST]


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    tidy = sys.argv[3] if len(sys.argv) == 4 else None
    program = "clang-tidy-14" if tidy else "clang++-14"
    if shutil.which(program) is None:
        print(f"{program} is not installed: nothing was checked\n1 passed, 0 failed")
        return 0
    known = commands(folder)
    names = changed_since(tidy, known) if tidy else sorted(known)
    passed, failed = 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        check = (lambda name: tidy_one(folder, name, known[name])) if tidy else (
            lambda name: compile_one(folder, known[name]))
        for name, run in zip(names, pool.map(check, names)):
            if run.returncode == 0:
                passed += 1
                continue
            failed += 1
            print(f"{name}:\n{run.stdout[:2000]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
