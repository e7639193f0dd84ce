#!/usr/bin/env python3
"""Executes what the documents tell a reader to type: every ```sh block of README.md, of
docs/how-to/*.md and of docs/models/*.md, one test case each, stopping at the first failing line.
README.md and the how-tos run in the repository's root. A page of docs/models/ runs in a folder of
its own, into which its blocks marked ```yaml NAME.yaml, ```text NAME.txt or ```json NAME.json are written first.
Blocks marked ```console or ```text show what is seen, and are not executed. Each line of a block
marked ```text printed must be among what the ```sh block before it prints. A picture whose title is
a file, ![...](NAME.svg "out/FILE.svg"), must be that file as the block before it wrote it. The
numbers in examples/README.md must be among those of the examples. A block that takes long is marked
```sh slow.

    readme_test.py BINARY_FOLDER fast|slow [ROOT]
    readme_test.py BINARY_FOLDER --pictures   writes the pictures anew
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Not executed here, because continuous integration has just done so: it runs in a clone, and this
# test is a part of ./scripts/test.
EXCEPTIONS = ("git clone ", "cd orrery", "./scripts/test", "./.ci/run")
TIMEOUT_SECONDS = 300
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def is_exception(line):
    return any(line == word.strip() or line.startswith(word.strip() + " ") for word in EXCEPTIONS)


PICTURE = re.compile(r'!\[[^\]]*\]\((\S+\.svg) "(\S+\.svg)"\)')


BEGINNINGS = {"fast": "```sh", "slow": "```sh slow"}


def blocks(text, tier):
    """(line of the first command, commands, lines to be printed, pictures) of each ```sh block of the
    tier, without the exceptions."""
    found, in_tier = [], []
    inside = None  # the list that takes the lines of the block
    indent = ""    # of the block, which is no part of its lines
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if inside is None and stripped in BEGINNINGS.values():
            in_tier.append(stripped == BEGINNINGS[tier])
            found.append((number + 1, [], [], []))
            inside = found[-1][1]
            indent = line[:len(line) - len(line.lstrip())]
        elif inside is None and stripped == "```text printed":
            inside = found[-1][2]
        elif stripped == "```":
            inside = None
        elif inside is not None and stripped and not is_exception(stripped):
            inside.append(line.rstrip().removeprefix(indent))
        elif inside is None and found:
            found[-1][3].extend(PICTURE.findall(line))
    return [(first, "\n".join(commands), *seen)
            for (first, commands, *seen), wanted in zip(found, in_tier)
            if wanted and any(not command.startswith("#") for command in commands)]


NAMED_FILE = re.compile(r"(?ms)^```(?:yaml|text|json) ([\w.-]+\.(?:yaml|txt|json))$\n(.*?)^```$")


def write_files(text, folder):
    """Writes what the page shows as a file with a name."""
    for name, content in NAMED_FILE.findall(text):
        (folder / name).write_text(content, encoding="utf-8")


def run(commands, printed, folder, root, binary_folder):
    """The complaint about one block, None if all of it went well."""
    environment = dict(os.environ, NO_COLOR="1", ORRERY_PATH=str(root))
    environment["PATH"] = f"{pathlib.Path(binary_folder).resolve()}:{environment['PATH']}"
    # Traced, so that the last "+ command" names the one that failed.
    script = ["bash", "-c", "set -euxo pipefail\n" + commands]
    try:
        ran = subprocess.run(script, cwd=folder, env=environment, stdin=subprocess.DEVNULL, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                             timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return f"not done after {TIMEOUT_SECONDS} s"
    if ran.returncode != 0:
        return f"exit code {ran.returncode}\n{ran.stdout[-4000:]}"
    seen = {line.strip() for line in ran.stdout.splitlines()}
    missing = [line for line in printed if line.strip() not in seen]
    return "it does not print\n" + "\n".join(missing) if missing else None


def complaint_about(picture, made):
    if not made.exists():
        return f"{made} is not written"
    if not picture.exists() or picture.read_bytes() != made.read_bytes():
        return f"{picture.name} is not {made} (readme_test.py --pictures writes it anew)"
    return None


def write_pictures(root, binary_folder):
    for document in documents(root):
        text = document.read_text(encoding="utf-8")
        for line, commands, _, pictures in blocks(text, "fast") + blocks(text, "slow"):
            if not pictures:
                continue
            complaint = run(commands, [], root, root, binary_folder)
            print(f"{document.relative_to(root)}:{line}: {complaint or len(pictures)}")
            for shown, made in pictures:
                shutil.copyfile(root / made, document.parent / shown)
    return 0


def documents(root):
    return [root / "README.md", *sorted(root.glob("docs/how-to/*.md")),
            *sorted(root.glob("docs/models/*.md"))]


def run_document(document, root, binary_folder, tier):
    """Whether each block went well."""
    text = document.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        folder = root
        if document.parent.name == "models":
            folder = pathlib.Path(scratch)
            write_files(text, folder)
        for line, commands, printed, pictures in blocks(text, tier):
            complaint = run(commands, printed, folder, root, binary_folder)
            for shown, made in pictures:
                complaint = complaint or complaint_about(document.parent / shown, root / made)
            print(f"{document.relative_to(root)}:{line}: {complaint or 'ok'}")
            yield not complaint


NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
ROW = re.compile(r"(?m)^\| \[([\w-]+)\]\([\w-]+/README\.md\) \|.*\| (.*) \|$")


def shown_by(example):
    """The numbers in what an example prints."""
    return [float(number) for path in example.glob("expected*.txt")
            for number in re.findall(r"\d+(?:\.\d+)?", path.read_text(encoding="utf-8"))]


def first_numbers(examples):
    """Whether the numbers of each row of examples/README.md are what that example prints, rounded.
    Whole ones of fewer than four digits are left out: they count ranks and stages."""
    page = examples / "README.md"
    rows = page.read_text(encoding="utf-8") if page.exists() else ""
    for name, numbers in ROW.findall(rows):
        shown = shown_by(examples / name)
        missing = []
        for number in NUMBER.findall(numbers):
            digits = len(number.partition(".")[2])
            value = float(number.replace(",", ""))
            if (digits or value >= 1000) and value not in {round(other, digits) for other in shown}:
                missing.append(number)
        complaint = f"{', '.join(missing)} is not in expected.txt" if missing else "ok"
        print(f"examples/README.md, {name}: {complaint}")
        yield not missing


def main(binary_folder, tier, root=ROOT):
    if tier == "--pictures":
        return write_pictures(ROOT, binary_folder)
    root = pathlib.Path(root).resolve()
    passed = failed = 0
    for document in documents(root):
        if not document.exists():
            print(f"{document.name} is missing")
            failed += 1
            continue
        for is_good in run_document(document, root, binary_folder, tier):
            passed, failed = passed + is_good, failed + (not is_good)
    for is_good in first_numbers(root / "examples") if tier == "fast" else []:
        passed, failed = passed + is_good, failed + (not is_good)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
