#!/usr/bin/env python3
"""Does what the pages add-a-backend, -transport, -collective and -column of docs/how-to say.

    how_to_test.py BUILD_FOLDER fast|slow

In a scratch copy. One folder and one line make a backend that the conformance suite runs over; the
same make a transport, over which it runs as that of the packet backend; one file and one line make
an algorithm that the proofs run over. Two files make a column, which the schema has and the page of
the reference, not written anew, lacks. The slow tier builds and tests all with the build type of
BUILD_FOLDER. The fast one only asks the compiler whether what the pages show is right: an interface
that has changed is seen there.
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAMED_BLOCK = re.compile(r"^`([\w/.]+)`:\n\n```cpp\n(.*?)^```$", re.M | re.S)
INSERTION = re.compile(r"^ *In `([\w/.]+)`, after `([^\n]+)`:\n\n *```cpp\n(.*?)^ *```$",
                       re.M | re.S)
BLOCK = re.compile(r"^```cpp\n(.*?)^```$", re.M | re.S)

SHOWN = ["network/ideal/ideal_backend.cc", "network/datagram/datagram_transport.cc",
         "system/algorithms/again.cc", "simulation/result/traffic_rows.cc"]


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


def add_files(scratch, page, count):
    files = NAMED_BLOCK.findall(page)
    assert len(files) == count, f"the page names {len(files)} files with their text, not {count}"
    for name, text in files:
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        (scratch / name).write_text(text, encoding="utf-8")


def add_backend(scratch):
    page = (ROOT / "docs/how-to/add-a-backend.md").read_text(encoding="utf-8")
    add_files(scratch, page, 2)
    [line] = re.findall(r"^BACKEND\(.*\n", page, re.M)
    append(scratch / "network/backends.def", line)


def add_transport(scratch):
    """As the usual transport of the packet backend, so that the conformance suite runs over it."""
    page = (ROOT / "docs/how-to/add-a-transport.md").read_text(encoding="utf-8")
    add_files(scratch, page, 1)
    [line] = re.findall(r"^TRANSPORT\(.*\n", page, re.M)
    append(scratch / "network/transports.def", line)
    backend = scratch / "network/packet/packet_backend.cc"
    text = re.sub(r"(BackendTraits packet_traits.*?TransportKind::)\w+(.*?&)\w+_tolerance",
                  r"\1datagram\2datagram_tolerance", backend.read_text(encoding="utf-8"), count=1,
                  flags=re.S)
    backend.write_text(text, encoding="utf-8")


def add_collective(scratch):
    """The page shows an algorithm that is there already: it comes under another name."""
    page = (ROOT / "docs/how-to/add-a-collective.md").read_text(encoding="utf-8")
    [text] = [block for block in BLOCK.findall(page) if "class PairwisePlan" in block]
    [line] = re.findall(r"^COLLECTIVE\(.*\n", page, re.M)
    (scratch / "system/algorithms/again.cc").write_text(text.replace("pairwise_algorithm",
                                                                     "again_algorithm"),
                                                        encoding="utf-8")
    append(scratch / "system/algorithms/builtin.def", line.replace("(pairwise,", "(again,"))


def add_column(scratch):
    page = (ROOT / "docs/how-to/add-a-column.md").read_text(encoding="utf-8")
    insertions = INSERTION.findall(page)
    assert len({name for name, _, _ in insertions}) == 2, "a column touches two files"
    for name, place, text in insertions:
        path = scratch / name
        before, found, after = path.read_text(encoding="utf-8").partition(place + "\n")
        assert found, f"{name} has no line that ends with {place}"
        path.write_text(before + found + text + after, encoding="utf-8")


def lacks_column(tests):
    """Only the reference is not yet as the declarations say."""
    program = tests / "report_test"
    good = run(program, "the JSON of a result*,each CSV table*")
    reference = subprocess.run([program, "docs/reference/results.md is what the declarations say"],
                               check=False, text=True, stdout=subprocess.PIPE)
    return good and reference.returncode != 0 and "busy_ps" in reference.stdout


def run(*command):
    print("$", " ".join(map(str, command)), flush=True)
    return subprocess.run([str(word) for word in command], check=False).returncode == 0


def is_right_to_the_compiler(compiler, scratch, name):
    return run(compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
               "-DFMT_SHARED", "-I", scratch, scratch / name)


def build_and_test(scratch, build_type):
    ok = run("cmake", "-S", scratch, "-B", scratch / "build", "-G", "Ninja",
             f"-DCMAKE_BUILD_TYPE={build_type}", "-DORRERY_BENCHMARKS=OFF")
    ok = ok and run("cmake", "--build", scratch / "build", "--target", "conformance_test",
                    "system_test", "report_test")
    results = [ok]
    if ok:
        tests = scratch / "build/tests"
        results.append(run(tests / "conformance_test"))
        results.append(run(tests / "system_test", "*every algorithm is proved*,plans that*"))
        results.append(lacks_column(tests))
    return results


def main(build_folder, tier):
    build = pathlib.Path(build_folder).resolve()
    scratch = build / f"how-to-{tier}"
    shutil.rmtree(scratch, ignore_errors=True)
    copy_sources(scratch)
    for add in (add_backend, add_transport, add_collective, add_column):
        add(scratch)
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    if tier == "slow":
        results = build_and_test(scratch, re.search(r"^CMAKE_BUILD_TYPE:\w+=(\w*)", cache, re.M)[1])
    else:
        compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)", cache, re.M)[1]
        results = [is_right_to_the_compiler(compiler, scratch, name) for name in SHOWN]
    if all(results):
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
