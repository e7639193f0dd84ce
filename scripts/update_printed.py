#!/usr/bin/env python3
"""Writes anew the numbers of printed blocks (```text printed) of README.md, docs/how-to and
docs/models.

    ./scripts/update_printed.py [PAGE...]     all pages, or those named

A line that the commands before it no longer print becomes the line that differs from it in its
numbers only, or else least. Build first. Read the difference before committing it, and the prose
beside it: every changed number needs a reason.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/readme"))
import readme_test  # noqa: E402  pylint: disable=wrong-import-position

BINARIES = ROOT / "build/release"


def printed_by(commands, folder):
    environment = dict(os.environ, NO_COLOR="1", ORRERY_PATH=str(ROOT),
                       PATH=f"{BINARIES}:{os.environ['PATH']}")
    ran = subprocess.run(["bash", "-c", "set -euo pipefail\n" + commands], cwd=folder, text=True,
                         env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False)
    return [line.rstrip() for line in ran.stdout.splitlines()]


def shape(line):
    return re.sub(r"\d[\d.,]*", "#", " ".join(line.split()))


def nearest(line, printed):
    """The printed line of most alike shape; of several the one with most alike numbers."""
    return max(printed, default=line, key=lambda other: (
        difflib.SequenceMatcher(None, shape(line), shape(other)).ratio(),
        difflib.SequenceMatcher(None, line, other).ratio()))


def rewrite(page):
    before = text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        folder = ROOT
        if page.parent.name == "models":
            folder = pathlib.Path(scratch)
            readme_test.write_files(text, folder)
        for _, commands, lines, _ in readme_test.blocks(text, "fast"):
            printed = printed_by(commands, folder)
            there = {line.strip() for line in printed}
            for line in lines:
                if line.strip() not in there:
                    after = nearest(line, [other for other in printed if other.strip()])
                    text = text.replace(f"\n{line}\n", f"\n{after}\n")
    page.write_text(text, encoding="utf-8")
    print(f"{page.relative_to(ROOT)}: {'rewritten' if text != before else 'unchanged'}")


def main(named):
    pages = readme_test.documents(ROOT)
    for page in [page for page in pages if not named or str(page.relative_to(ROOT)) in named]:
        rewrite(page)


if __name__ == "__main__":
    main(sys.argv[1:])
