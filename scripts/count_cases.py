#!/usr/bin/env python3
"""Counts the test cases in a JUnit report of ctest: one line, "N passed, N failed".

To ctest a test is a program; a program here holds many cases and says at its end how many passed.
Exit code 0 only if at least one case ran and none failed.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree

CATCH_ALL_PASSED = re.compile(r"^All tests passed \(\d+ assertions? in (\d+) test cases?\)", re.M)
CATCH_SOME_FAILED = re.compile(r"^test cases: +(\d+) \|(.*)$", re.M)
CATCH_NONE = re.compile(r"^No tests ran$", re.M)
UNITTEST = re.compile(r"^Ran (\d+) tests? in .*$\s*^(?:OK|FAILED)(?: \((.*)\))?", re.M)
PLAIN = re.compile(r"^(\d+) passed, (\d+) failed$", re.M)


def numbers_before(word, text):
    return sum(int(n) for n in re.findall(rf"(\d+) {word}\b", text))


def cases_in(output):
    """(passed, failed) as a program's own summary has it; None if it printed none."""
    if found := CATCH_ALL_PASSED.search(output):
        return int(found[1]), 0
    if found := CATCH_SOME_FAILED.search(output):
        passed = numbers_before("passed", found[2]) + numbers_before("failed as expected", found[2])
        return passed, int(found[1]) - passed
    if CATCH_NONE.search(output):
        return 0, 0
    if found := UNITTEST.search(output):
        outcome = dict(re.findall(r"(\w+)=(\d+)", found[2] or ""))
        failed = int(outcome.get("failures", 0)) + int(outcome.get("errors", 0))
        return int(found[1]) - failed - int(outcome.get("skipped", 0)), failed
    if found := PLAIN.search(output):
        return int(found[1]), int(found[2])
    return None


def count(report):
    passed = failed = 0
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        ok = case.get("status") == "run" and case.find("failure") is None
        inside = cases_in(case.findtext("system-out") or "")
        case_passed, case_failed = inside or ((1, 0) if ok else (0, 1))
        if not ok:  # a crash, a timeout or a sanitizer's report after the summary is a failure too
            case_failed = max(case_failed, 1)
        passed, failed = passed + case_passed, failed + case_failed
    return passed, failed


def main(report):
    try:
        passed, failed = count(report)
    except (OSError, ElementTree.ParseError) as error:
        print(f"no test report: {error}", file=sys.stderr)
        passed = failed = 0
    if passed + failed == 0:
        print("no test ran", file=sys.stderr)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed > 0 and failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
