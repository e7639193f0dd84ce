#!/usr/bin/env python3
"""Executes what the documents tell a reader to type: every ```sh block of README.md and of
docs/how-to/*.md, one test case each, in the repository's root, stopping at the first failing line.
Blocks marked ```console or ```text show what is seen, and are not executed.

    readme_test.py BINARY_FOLDER [ROOT]
"""
import os
import pathlib
import subprocess
import sys

# Not executed here, because continuous integration has just done so: it runs in a clone, and this
# test is a part of ./scripts/test.
EXCEPTIONS = ("git clone ", "cd orrery", "./scripts/test", "./.ci/run")
TIMEOUT_SECONDS = 300


def is_exception(line):
    return any(line == word.strip() or line.startswith(word.strip() + " ") for word in EXCEPTIONS)


def blocks(text):
    """(line of the first command, commands) of each ```sh block, without the exceptions."""
    first, commands = None, []
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if first is None and stripped == "```sh":
            first, commands = number + 1, []
        elif first is not None and stripped == "```":
            if any(command and not command.startswith("#") for command in commands):
                yield first, "\n".join(commands)
            first = None
        elif first is not None and not is_exception(stripped):
            commands.append(stripped)


def run(commands, root, binary_folder):
    """The complaint about one block, None if all of it went well."""
    environment = dict(os.environ, NO_COLOR="1")
    environment["PATH"] = f"{pathlib.Path(binary_folder).resolve()}:{environment['PATH']}"
    # Traced, so that the last "+ command" names the one that failed.
    script = ["bash", "-c", "set -euxo pipefail\n" + commands]
    try:
        ran = subprocess.run(script, cwd=root, env=environment, stdin=subprocess.DEVNULL, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                             timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return f"not done after {TIMEOUT_SECONDS} s"
    return None if ran.returncode == 0 else f"exit code {ran.returncode}\n{ran.stdout[-4000:]}"


def main(binary_folder, root=pathlib.Path(__file__).resolve().parent.parent.parent):
    root = pathlib.Path(root)
    passed = failed = 0
    for document in [root / "README.md", *sorted(root.glob("docs/how-to/*.md"))]:
        if not document.exists():
            print(f"{document.name} is missing")
            failed += 1
            continue
        for line, commands in blocks(document.read_text(encoding="utf-8")):
            complaint = run(commands, root, binary_folder)
            print(f"{document.relative_to(root)}:{line}: {complaint or 'ok'}")
            passed, failed = passed + (not complaint), failed + bool(complaint)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
