#!/usr/bin/env python3
"""The HOTI'20 study, examples/hoti20 and docs/studies/hoti20.md.

    hoti20_test.py BINARY_FOLDER fast|slow

fast: the page and its plots are what `study.py write` makes of docs/studies/hoti20/*.csv. slow: a
small grid (examples/hoti20/sweeps/smoke) is simulated, and what the study claims of systems,
injection latency and lost packets holds there.
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples/hoti20"
sys.path.insert(0, str(EXAMPLE))
import document  # noqa: E402
import results  # noqa: E402
import study  # noqa: E402


def page_is_written():
    return [("docs/studies/hoti20.md is what examples/hoti20/study.py write gives", "",
             document.write(check=True))]


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
    checks = page_is_written() if tier == "fast" else claims_hold(binary)
    for claim, measured, holds in checks:
        print(f"{claim}: {measured} {'ok' if holds else 'WRONG'}")
    wrong = sum(not holds for _, _, holds in checks)
    print(f"{len(checks) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
