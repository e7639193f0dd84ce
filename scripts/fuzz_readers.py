#!/usr/bin/env python3
"""Readers of other programs' files under libFuzzer: tests/fuzz/readers/reader_fuzz.cc.

    scripts/fuzz_readers.py --seconds 3600             builds build/fuzz with clang, and runs
    scripts/fuzz_readers.py --seconds 60 --seed 7      other inputs than before
    scripts/fuzz_readers.py --merge                    adds what was found to the kept corpus

It begins with the seeds of tests/fuzz/seeds and the inputs of tests/fuzz/readers/corpus.zip, and
writes what is new into build/fuzz/corpus and findings into build/fuzz/findings. Exit code 1 if there
is a finding. Without clang++ and its fuzzer (libclang-rt-14-dev) nothing is run.
"""
import argparse
import gzip
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/fuzz"
KEPT = ROOT / "tests/fuzz/readers/corpus.zip"
MOST_KEPT = 1_000_000  # bytes, packed and unpacked
LONGEST = 1 << 16  # of an input
# Files that seed a reader, by the reader's place in the list of reader_fuzz.cc.
SEEDS = {
    0: ["chakra/step.json", "astra/*.et"],
    1: ["chakra/step.json"],
    2: ["astra/step.0.et"],
    3: ["chakra/groups.json", "astra/groups.json"],
    4: ["imports/kineto.json"],
    5: ["astra/*.txt"],
    6: ["msccl/*.xml"],
    7: ["imports/topo.xml"],
    8: ["imports/run.sh"],
    9: ["hpcc/topology.txt"],
    10: ["astra/network.yml"],
    11: ["astra/system.json"],
    12: ["astra/memory.json"],
}


def has_fuzzer():
    if not shutil.which("clang++"):
        return False
    tried = subprocess.run(["clang++", "-fsanitize=fuzzer,address", "-x", "c++", "-", "-o",
                            os.devnull], check=False, capture_output=True,
                           input=b'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned '
                                 b'long) { return 0; }')
    return tried.returncode == 0


def built():
    environment = dict(os.environ, ORRERY_CMAKE_OPTIONS="-DCCACHE=" + ("ccache" if shutil.which(
        "ccache") else "OFF"))
    subprocess.run([ROOT / "scripts/build", "--preset", "fuzz", "orrery_reader_fuzz"], check=True,
                   env=environment)
    return BUILD / "tests/fuzz/readers/orrery_reader_fuzz"


def varint(number):
    text = b""
    while number > 127:
        text += bytes([number & 127 | 128])
        number >>= 7
    return text + bytes([number])


def field(number, value):
    """Of a protobuf message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    return field(10, field(1, name) + field(9 if isinstance(value, int) else 29, value))


def wire_trace():
    """A node of each kind; field numbers: formats/chakra/wire_node.h."""
    groups = rb'["[{\"pg_name\": \"1\", \"ranks\": [0, 1]}]"]'
    nodes = [
        field(1, 1) + field(2, b"process_group:init") + field(3, 1) + field(8, field(1, groups)),
        field(1, 2) + field(2, b"gemm") + field(3, 4) + field(7, 10) + attribute(b"stream", 7),
        field(1, 3) + field(3, 4) + field(5, 2) + attribute(b"num_ops", 10**9),
        field(1, 4) + field(3, 7) + field(5, b"\x02\x03") + attribute(b"comm_type", 0)
        + attribute(b"comm_size", 1000) + attribute(b"pg_name", b"1"),
        field(1, 5) + field(3, 5) + field(4, 4) + attribute(b"comm_dst", 1)
        + attribute(b"comm_size", 1000) + attribute(b"comm_tag", 3),
        field(1, 6) + field(3, 6) + attribute(b"comm_src", 1) + attribute(b"comm_size", 1000),
        field(1, 7) + field(3, 2) + field(7, 3) + attribute(b"tensor_size", 4096)]
    messages = [field(1, b"1.0.0"), *nodes]
    return b"".join(varint(len(message)) + message for message in messages)


def write_corpus(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for reader in range(3):
        for number, trace in enumerate([wire_trace(), gzip.compress(wire_trace())]):
            (folder / f"wire.{reader}.{number}").write_bytes(bytes([reader]) + trace)
    for reader, patterns in SEEDS.items():
        for pattern in patterns:
            files = sorted((ROOT / "tests/fuzz/seeds").glob(pattern))
            assert files, pattern
            for file in files:
                data = bytes([reader]) + file.read_bytes()
                (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)
    if KEPT.exists():
        zipfile.ZipFile(KEPT).extractall(folder)


def keep(program):
    """The fewest inputs that reach all that the corpus reaches."""
    merged = BUILD / "merged"
    shutil.rmtree(merged, ignore_errors=True)
    merged.mkdir()
    subprocess.run([program, "-merge=1", f"-max_len={LONGEST}", merged, BUILD / "corpus"], check=True,
                   stderr=subprocess.DEVNULL)
    size = 0
    with zipfile.ZipFile(KEPT, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for file in sorted(merged.iterdir(), key=lambda file: (file.stat().st_size, file.name)):
            size += file.stat().st_size
            if size > MOST_KEPT:
                break
            # Without a date: what is packed is the same if the inputs are.
            packed.writestr(zipfile.ZipInfo(file.name), file.read_bytes(), zipfile.ZIP_DEFLATED)
    print(f"{KEPT.relative_to(ROOT)}: {len(zipfile.ZipFile(KEPT).namelist())} inputs, "
          f"{KEPT.stat().st_size} bytes")


def run(program, seconds, seed):
    findings = BUILD / "findings"
    findings.mkdir(exist_ok=True)
    command = [program, f"-max_total_time={seconds}", f"-seed={seed}", f"-max_len={LONGEST}",
               "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1",
               f"-artifact_prefix={findings}/", BUILD / "corpus"]
    ran = subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True, errors="replace")
    print(ran.stderr[-6000:] if ran.returncode else
          "\n".join(line for line in ran.stderr.splitlines() if line.startswith("stat::")))
    print(f"{int(ran.returncode == 0)} passed, {int(ran.returncode != 0)} failed")
    return min(ran.returncode, 1)


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--merge", action="store_true")
    options = options.parse_args()
    if not has_fuzzer():
        print("clang++ has no fuzzer here: apt install clang libclang-rt-14-dev\n0 passed, 0 failed")
        return 0
    program = built()
    write_corpus(BUILD / "corpus")
    if options.merge:
        keep(program)
        return 0
    return run(program, options.seconds, options.seed)


if __name__ == "__main__":
    sys.exit(main())
