#!/usr/bin/env python3
"""The HOTI'20 study, examples/hoti20 and docs/studies/hoti20.md.

    hoti20_test.py BINARY_FOLDER fast|slow

fast: the page and its plots are what `study.py write` makes of docs/studies/hoti20/*.csv, sentences
with measured numbers too: outside of the generated sections the page has only the numbers of the
study's description. slow: a small grid (examples/hoti20/sweeps/smoke) is simulated, and what the
study claims of systems, injection latency and lost packets holds there.
"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples/hoti20"
sys.path.insert(0, str(EXAMPLE))
import document  # noqa: E402
import results  # noqa: E402
import study  # noqa: E402


# Numbers that describe what is simulated, or are derived by hand on the page. A measured one
# belongs into examples/hoti20/findings.py.
DESCRIBED = set("""
    3 20 2020 128 100 800 8 16 150 57.4 19 0.5 1 9,000 1,500 64 0 21 22 26 2026 10 1024 32 50 2
    102.756 14 0.01 15 80 33
    896 112 28 6 30,744 48 1,752 31
    3.6 0.6 482 406
""".split())  # the last lines: injection latency; headers, and order_of_service_test.cc


def numbers_by_hand(page):
    """(line, number) outside of the generated sections, names and links that are not described."""
    text = re.sub(r"<!-- (\S+): begin -->\n.*?<!-- \1: end -->\n", "", page, flags=re.S)
    text = re.sub(r"`[^`]*`|\]\([^)]*\)|Flat\d+G|MLP_\w+|ns-?3|A2-\d+", "", text)
    return [(line, number) for line in text.splitlines()
            for number in re.findall(r"\d(?:[\d,.]*\d)?", line) if number not in DESCRIBED]


def page_is_written():
    page = document.PAGE.read_text(encoding="utf-8")
    by_hand = numbers_by_hand(page)
    seen = numbers_by_hand("It takes 12,345 us.\n<!-- a: begin -->\n678\n<!-- a: end -->\n")
    return [("docs/studies/hoti20.md is what examples/hoti20/study.py write gives", "",
             document.write(check=True)),
            ("a measured number outside of the generated sections is seen", "",
             [number for _, number in seen] == ["12,345"]),
            ("every measured number of the page comes from the CSV files",
             "; ".join(f"{number} in '{line}'" for line, number in by_hand), not by_hand)]


def columns_are_read():
    """sweep.csv has numbers, the tables of the study what its sweeps say."""
    read = {("workload.skew_ps", "100000"): ("workload.skew", "0.1 us"),
            ("workload.skew_ps", "0"): ("workload.skew", "0 us"),
            ("t.minimum_rto_ps", "200000000000"): ("t.minimum_rto", "200 ms"),
            ("switch.buffer_bytes", "64000000"): ("switch.buffer", "64 MB"),
            ("switch.window_bytes", "500000"): ("switch.window", "0.5 MB"),
            ("p[0].all_reduce_bytes", "16777216"): ("p[0].all_reduce", "16 MiB"),
            ("finish_ps", "12"): ("finish_ps", "12")}
    wrong = [key for key, written in read.items() if study.as_written(*key) != written]
    return [("columns of sweep.csv are read as they were written", str(wrong), not wrong)]


def simulated(binary, folder, name):
    """Rows of a sweep, as `study.py collect` keeps them, and the layers of all of them."""
    subprocess.run([binary, "sweep", EXAMPLE / f"sweeps/smoke/{name}.yaml", "-o", folder / name,
                    "--quiet"], check=True, stdout=subprocess.DEVNULL)
    with (folder / name / "sweep.csv").open(encoding="utf-8", newline="") as file:
        both = [study.collected(row) for row in csv.DictReader(file)]
    return [row for row, _ in both], study.layers_of(both)


def claims_hold(binary):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        systems, layers = simulated(binary, folder, "systems")
        injection, _ = simulated(binary, folder, "injection")
        single, _ = simulated(binary, folder, "single")
        analytical, _ = simulated(binary, folder, "single-analytical")
    lost = [row for row in single if int(row["timeouts"]) > 0]
    late = all(int(row["finish_ps"]) >= 10**12 for row in lost)  # the minimum RTO: a second
    return (results.check_systems(systems, layers) +
            results.check_injection(systems, injection) +
            results.check_single(single, [], analytical) +
            [("what waits for a timeout waits for a second", f"{len(lost)} runs", lost and late)])


def main(folder, tier):
    binary = pathlib.Path(folder).resolve() / "orrery"
    if tier == "slow" and "ns3" not in subprocess.run(
            [binary, "list"], check=True, capture_output=True, text=True).stdout:
        print("no ns3 in this build\n0 passed, 0 failed")
        return 0
    checks = page_is_written() + columns_are_read() if tier == "fast" else claims_hold(binary)
    for claim, measured, holds in checks:
        print(f"{claim}: {measured} {'ok' if holds else 'WRONG'}")
    wrong = sum(not holds for _, _, holds in checks)
    print(f"{len(checks) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
