#!/usr/bin/env python3
"""Runs every example's commands and compares with its expected.txt; see scripts/golden.py.

    examples_test.py BINARY_FOLDER fast|slow [ROOT]
"""
import difflib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
import golden  # noqa: E402


def check(folder, binary_folder, tier):
    """None if the example belongs to the other tier, else the list of complaints."""
    expected = folder / "expected.txt"
    if not expected.exists():
        return [f"{folder.name}: no expected.txt"] if tier == "fast" else None
    before = expected.read_text(encoding="utf-8")
    if golden.is_slow(before) != (tier == "slow"):
        return None
    if not golden.commands(before):
        return [f"{expected}: no command; begin it with '$ orrery run ...'"]
    after = golden.replay(before, folder, binary_folder)
    return list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="",
                                     fromfile=f"examples/{folder.name}/expected.txt",
                                     tofile="what it prints now"))


def main(binary_folder, tier, root=golden.ROOT):
    passed = failed = 0
    for folder in golden.examples(pathlib.Path(root)):
        complaints = check(folder, binary_folder, tier)
        if complaints is None:
            continue
        print("\n".join([f"{folder.name}: {'DIFFERS' if complaints else 'ok'}"] + complaints))
        passed, failed = passed + (not complaints), failed + bool(complaints)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
