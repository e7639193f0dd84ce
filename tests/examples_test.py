#!/usr/bin/env python3
"""Runs every example's commands and compares with its expected.txt; see scripts/golden.py.

    examples_test.py BINARY_FOLDER fast|slow [ROOT]

No line of output is longer than 100 characters, and the head of a report (iteration, time, why) is
complete within its first eight lines.
"""
import difflib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
import golden  # noqa: E402


WIDTH, HEAD = 100, 8
# Of files and data, which go on as long as they are; so do messages, which no terminal cuts.
DATA = ("json", "csv", "cat ", "head ")
MESSAGES = ("error: ", "notice: ")


def outputs(transcript):
    """Each command with the lines that it printed."""
    found = []
    for line in transcript.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def out_of_form(transcript):
    """What is too wide for a terminal, and what a report's head lacks."""
    wrong = []
    for command, lines in outputs(transcript):
        if not command.startswith("orrery ") or any(word in command for word in DATA):
            continue
        wrong += [f"longer than {WIDTH} characters: {line}" for line in lines
                  if len(line) > WIDTH and not line.startswith(MESSAGES)]
        is_report = command.startswith("orrery run ") and not any("PARTIAL" in line for line in lines)
        names = [line.split(" ")[0] for line in lines[:HEAD] if line and line[0] != " "]
        if is_report and lines and not lines[0].startswith("["):
            wrong += [f"the head of `{command}` has no {name} in its first {HEAD} lines"
                      for name in ("iteration", "time", "why") if name not in names]
    return wrong


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
    return out_of_form(after) + list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="",
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
