#!/usr/bin/env python3
"""Holds the calibrated platform dgx-h100-nccl against every measured size, and docs/validation.md
against that.

    protocols_test.py BINARY_FOLDER [--write]

A case is a row of the measurement: its error is within the goal (10 % at 1 MiB and above, 25 %
below), or the row is one of KNOWN_MISSES, with the error that is written there. And two more: the
table in docs/validation.md is what the program prints now (--write writes it), and the platform is
what scripts/calibrate_protocols.py fits.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MEASURED = ROOT / "tests/validation/data/nccl_h100_8_all_reduce.csv"
DOCUMENT = ROOT / "docs/validation.md"
BEGIN, END = "<!-- protocols: begin -->\n", "<!-- protocols: end -->\n"
CALIBRATED = (1 << 10, 4 << 20, 8 << 20, 16 << 20)
KNOWN_MISSES = {4096: -0.280}  # measured 23.6 us, between 16.9 at 1 KiB and 17.4 at 8 KiB


def goal(size):
    return 0.10 if size >= 1 << 20 else 0.25


def rows(binary):
    output = subprocess.run(
        [binary, "coll", "--platform", str(ROOT / "platforms/dgx-h100-nccl.yaml"), "--measured",
         str(MEASURED), "--format", "json", "--quiet"],
        check=True, capture_output=True, text=True).stdout
    return json.loads(output)["rows"]


def size_text(size):
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def table(results):
    lines = ["| size | measured us | simulated us | error | protocol | |", "|---:|---:|---:|---:|---|---|"]
    for row in results:
        size, remark = row["bytes"], ""
        if size in CALIBRATED:
            remark = "calibrated"
        elif abs(row["error"]) > goal(size):
            remark = f"misses {goal(size):.0%}"
        lines.append(f"| {size_text(size)} | {row['measured_ps'] * 1e-6:.2f} | "
                     f"{row['time_ps'] * 1e-6:.2f} | {row['error']:+.1%} | "
                     f"{row['chosen'].split('/')[1]} | {remark} |")
    others = [abs(row["error"]) for row in results if row["bytes"] not in CALIBRATED]
    lines.append(f"\nMean absolute error of the {len(others)} sizes that were not calibrated: "
                 f"{sum(others) / len(others):.1%}.")
    return "\n".join(lines) + "\n"


def is_good(row):
    known = KNOWN_MISSES.get(row["bytes"])
    if known is not None:
        return abs(row["error"] - known) < 0.001
    return abs(row["error"]) <= goal(row["bytes"])


def main(folder, write=False):
    binary = pathlib.Path(folder) / "orrery"
    results = rows(binary)
    checks = {f"{size_text(row['bytes'])}: {row['error']:+.1%}": is_good(row) for row in results}
    before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
    old, _, after = rest.partition(END)
    if write:
        DOCUMENT.write_text(before + BEGIN + table(results) + END + after, encoding="utf-8")
        old = table(results)
    checks["docs/validation.md (--write writes it)"] = old == table(results)
    checks["scripts/calibrate_protocols.py --check"] = subprocess.run(
        [sys.executable, ROOT / "scripts/calibrate_protocols.py", "dgx-h100", "--check",
         "--orrery", binary], check=False).returncode == 0
    for name, good in checks.items():
        print(f"{name}: {'ok' if good else 'WRONG'}")
    wrong = list(checks.values()).count(False)
    print(f"{len(checks) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--write" in sys.argv))
