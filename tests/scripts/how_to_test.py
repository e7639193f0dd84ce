#!/usr/bin/env python3
"""Does what docs/how-to/add-a-backend.md and add-a-collective.md say, to the letter, in a scratch copy.

    how_to_test.py BUILD_FOLDER

One folder and one line make a backend that the conformance suite runs over; one file and one line an
algorithm that the proofs run over. Both are built and tested with the build type of BUILD_FOLDER.
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAMED_BLOCK = re.compile(r"^`([\w/.]+)`:\n\n```cpp\n(.*?)^```$", re.M | re.S)
BLOCK = re.compile(r"^```cpp\n(.*?)^```$", re.M | re.S)


def copy_sources(scratch):
    """What git tracks, as it is in the working tree."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, text=True,
                             stdout=subprocess.PIPE).stdout.split("\0")
    for name in filter(None, tracked):
        target = scratch / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            shutil.copy2(ROOT / name, target)


def append(path, line):
    path.write_text(path.read_text(encoding="utf-8") + line, encoding="utf-8")


def add_backend(scratch):
    page = (ROOT / "docs/how-to/add-a-backend.md").read_text(encoding="utf-8")
    files = NAMED_BLOCK.findall(page)
    assert len(files) == 2, f"the page names {len(files)} files with their text, not 2"
    for name, text in files:
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        (scratch / name).write_text(text, encoding="utf-8")
    [line] = re.findall(r"^BACKEND\(.*\n", page, re.M)
    append(scratch / "network/backends.def", line)


def add_collective(scratch):
    """The page shows an algorithm that is there already: it comes under another name."""
    page = (ROOT / "docs/how-to/add-a-collective.md").read_text(encoding="utf-8")
    [text] = [block for block in BLOCK.findall(page) if "class PairwisePlan" in block]
    [line] = re.findall(r"^COLLECTIVE\(.*\n", page, re.M)
    (scratch / "system/algorithms/again.cc").write_text(text.replace("pairwise_algorithm",
                                                                     "again_algorithm"),
                                                        encoding="utf-8")
    append(scratch / "system/algorithms/builtin.def", line.replace("(pairwise,", "(again,"))


def run(*command):
    print("$", " ".join(map(str, command)), flush=True)
    return subprocess.run([str(word) for word in command], check=False).returncode == 0


def main(build_folder):
    build = pathlib.Path(build_folder).resolve()
    scratch = build / "how-to"
    shutil.rmtree(scratch, ignore_errors=True)
    copy_sources(scratch)
    add_backend(scratch)
    add_collective(scratch)
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    build_type = re.search(r"^CMAKE_BUILD_TYPE:\w+=(\w*)", cache, re.M)[1]
    ok = run("cmake", "-S", scratch, "-B", scratch / "build", "-G", "Ninja",
             f"-DCMAKE_BUILD_TYPE={build_type}", "-DORRERY_BENCHMARKS=OFF")
    ok = ok and run("cmake", "--build", scratch / "build", "--target", "conformance_test",
                    "system_test")
    results = [ok]
    if ok:
        tests = scratch / "build/tests"
        results.append(run(tests / "conformance_test"))
        results.append(run(tests / "system_test", "*every algorithm is proved*,plans that*"))
    shutil.rmtree(scratch, ignore_errors=True)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
