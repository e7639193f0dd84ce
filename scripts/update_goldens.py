#!/usr/bin/env python3
"""Rewrites examples/*/expected.txt with what the commands in them print now (see golden.py), and
docs/reference/keys.md and the pages of tests/report/.

    ./scripts/update_goldens.py [EXAMPLE...]     all, or those named: flat-vs-hier, keys,
                                                 pages

Build first. Read the difference before committing it: every changed number needs a reason.
"""
import subprocess
import sys

import golden

KEYS = "keys"    # docs/reference/keys.md
PAGES = "pages"  # tests/report/pages/


def update_keys():
    page = golden.ROOT / "docs/reference/keys.md"
    before = page.read_text(encoding="utf-8") if page.exists() else ""
    after = subprocess.run([golden.ROOT / "build/release/orrery", "schema", "--format", "markdown"],
                           stdout=subprocess.PIPE, text=True, check=True).stdout
    page.write_text(after, encoding="utf-8")
    print(f"{page.name}: {'rewritten' if after != before else 'unchanged'}")


def update_pages():
    subprocess.run([sys.executable, golden.ROOT / "tests/report/report_page_test.py",
                    golden.ROOT / "build/release", "--update"], check=True)
    print("pages of tests/report: written")


def main(wanted):
    folders = {folder.name: folder for folder in golden.examples()}
    if not wanted or KEYS in wanted:
        update_keys()
    if not wanted or PAGES in wanted:
        update_pages()
    for name in [name for name in wanted or folders if name not in (KEYS, PAGES)]:
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
