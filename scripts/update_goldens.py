#!/usr/bin/env python3
"""Rewrites examples/*/expected.txt with what the commands in them print now (see golden.py).

    ./scripts/update_goldens.py [EXAMPLE...]     all examples, or those named: flat-vs-hier

Build first. Read the difference before committing it: every changed number needs a reason.
"""
import sys

import golden


def main(wanted):
    folders = {folder.name: folder for folder in golden.examples()}
    for name in wanted or folders:
        if name not in folders:
            sys.exit(f"no example {name}; there are: {', '.join(folders)}")
        expected = folders[name] / "expected.txt"
        if not expected.exists():
            sys.exit(f"{expected} is missing: begin it with the line '$ orrery run ...'")
        before = expected.read_text(encoding="utf-8")
        after = golden.replay(before, folders[name], golden.ROOT / "build/release")
        if after != before:
            expected.write_text(after, encoding="utf-8")
        print(f"{name}: {'rewritten' if after != before else 'unchanged'}")


if __name__ == "__main__":
    main(sys.argv[1:])
