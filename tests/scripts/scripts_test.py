#!/usr/bin/env python3
"""The scripts that count, replay and execute must notice a failure: each is shown one."""
import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
for folder in ["scripts", "tests", "tests/readme", "tests/scripts"]:
    sys.path.insert(0, str(ROOT / folder))
import clang_test  # noqa: E402
import count_cases  # noqa: E402
import examples_test  # noqa: E402
import golden  # noqa: E402
import mutate  # noqa: E402
import readme_test  # noqa: E402

# An `orrery` that prints its arguments, the time, and fails if told to.
FAKE_ORRERY = """#!/usr/bin/env bash
echo "ran $*"
echo "host: 0.1 s"
[[ "$*" != *fail* ]] || exit 2
"""


def testcase(output, status="run"):
    return f'<testcase name="a" status="{status}"><system-out>{output}</system-out></testcase>'


class TreeTest(unittest.TestCase):
    """Has a temporary tree with a fake orrery in build/release."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.binaries = self.root / "build/release"
        self.write("build/release/orrery", FAKE_ORRERY).chmod(0o755)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")
        return self.root / path

    def printed(self, function, *arguments):
        """What function(*arguments) returns, and the last line that it prints."""
        with contextlib.redirect_stdout(io.StringIO()) as output:
            code = function(*arguments)
        return code, output.getvalue().splitlines()[-1]


class CountCasesTest(TreeTest):
    def count(self, *cases):
        report = self.write("tests.xml", "<testsuite>" + "".join(cases) + "</testsuite>")
        with contextlib.redirect_stderr(io.StringIO()):
            return self.printed(count_cases.main, report)

    def test_sums_the_cases_of_all_programs(self):
        self.assertEqual(
            self.count(testcase("All tests passed (9 assertions in 4 test cases)"),
                       testcase("....\nRan 3 tests in 0.1s\n\nOK (skipped=1)"),
                       testcase("5 passed, 0 failed"), testcase("no summary")),
            (0, "12 passed, 0 failed"))

    def test_failures_inside_a_program(self):
        self.assertEqual(
            self.count(testcase("test cases:  9 |  6 passed | 2 failed | 1 failed as expected\n",
                                "fail"),
                       testcase("Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=2)", "fail")),
            (1, "9 passed, 5 failed"))

    def test_a_program_that_dies_has_failed(self):
        self.assertEqual(self.count(testcase("", "fail")), (1, "0 passed, 1 failed"))
        self.assertEqual(self.count(testcase("", "notrun")), (1, "0 passed, 1 failed"))
        # All cases passed, then the leak check spoke.
        died = testcase("All tests passed (2 assertions in 2 test cases)\nLeakSanitizer", "fail")
        self.assertEqual(self.count(died), (1, "2 passed, 1 failed"))

    def test_nothing_ran(self):
        self.assertEqual(self.count(), (1, "0 passed, 0 failed"))
        self.assertEqual(self.count(testcase("No tests ran\n")), (1, "0 passed, 0 failed"))
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(self.printed(count_cases.main, "absent.xml"),
                             (1, "0 passed, 0 failed"))


class GoldenTest(TreeTest):
    def check(self, tier="fast"):
        return self.printed(examples_test.main, self.binaries, tier, self.root)

    def test_compares_everything_but_host_lines(self):
        self.write("examples/a/expected.txt", "$ orrery show a\nran show a\n")
        self.assertEqual(self.check(), (0, "1 passed, 0 failed"))
        self.write("examples/a/expected.txt", "$ orrery show a\nran show b\n")
        self.assertEqual(self.check(), (1, "0 passed, 1 failed"))

    def test_exit_code_is_part_of_the_transcript(self):
        self.write("examples/a/expected.txt", "$ orrery fail\nran fail\n[exit code 2]\n")
        self.assertEqual(self.check(), (0, "1 passed, 0 failed"))
        self.write("examples/a/expected.txt", "$ orrery fail\nran fail\n")
        self.assertEqual(self.check(), (1, "0 passed, 1 failed"))

    def test_an_example_without_a_transcript_fails(self):
        self.write("examples/a/a.yaml", "")
        self.assertEqual(self.check(), (1, "0 passed, 1 failed"))
        self.write("examples/a/expected.txt", "no command\n")
        self.assertEqual(self.check(), (1, "0 passed, 1 failed"))

    def test_slow_examples_have_their_tier(self):
        self.write("examples/a/expected.txt", "# slow\n$ orrery a\nran a\n")
        self.assertEqual(self.check("fast"), (0, "0 passed, 0 failed"))
        self.assertEqual(self.check("slow"), (0, "1 passed, 0 failed"))

    def test_replay_writes_what_it_will_accept(self):
        folder = self.write("examples/a/expected.txt", "").parent
        after = golden.replay("# slow\n$ orrery b\nold\n$ orrery fail\n", folder, self.binaries)
        self.assertEqual(
            after, "# slow\n$ orrery b\nran b\n$ orrery fail\nran fail\n[exit code 2]\n")
        self.assertEqual(golden.replay(after, folder, self.binaries), after)


class ReadmeTest(TreeTest):
    def check(self, text, tier="fast"):
        self.write("README.md", text)
        return self.printed(readme_test.main, self.binaries, tier, self.root)

    def test_runs_sh_blocks_only(self):
        text = "```sh\ngit clone x\ncd orrery\n./scripts/test\n```\n```console\n$ false\n```\n"
        self.assertEqual(self.check(text), (0, "0 passed, 0 failed"))
        self.assertEqual(self.check(text + "```sh\norrery run a  # why\n```\n"),
                         (0, "1 passed, 0 failed"))
        self.write("docs/how-to/a.md", "```sh\norrery b \\\n  c\n```\n")
        self.assertEqual(self.check(text), (0, "1 passed, 0 failed"))

    def test_any_failing_line_fails(self):
        for line in ["orrery fail", "false | cat", "echo $unset_variable", "no_such_command"]:
            self.assertEqual(self.check(f"```sh\n{line}\necho on\n```\n"),
                             (1, "0 passed, 1 failed"))

    def test_slow_blocks_have_their_tier(self):
        text = "```sh\norrery a\n```\n```sh slow\norrery fail\n```\n"
        self.assertEqual(self.check(text), (0, "1 passed, 0 failed"))
        self.assertEqual(self.check(text, "slow"), (1, "0 passed, 1 failed"))

    def test_a_picture_is_what_the_block_before_it_wrote(self):
        text = '```sh\necho "<svg/>" > made.svg\n```\n![a picture](shown.svg "made.svg")\n'
        self.assertEqual(self.check(text), (1, "0 passed, 1 failed"))
        self.write("shown.svg", "<svg/>\n")
        self.assertEqual(self.check(text), (0, "1 passed, 0 failed"))
        self.write("shown.svg", "<svg id='old'/>\n")
        self.assertEqual(self.check(text), (1, "0 passed, 1 failed"))

    def test_no_readme(self):
        self.assertEqual(self.printed(readme_test.main, self.binaries, "fast", self.root),
                         (1, "0 passed, 1 failed"))


class RunTest(TreeTest):
    """./scripts/run, with its build step replaced."""

    def setUp(self):
        super().setUp()
        self.write("scripts/run", (ROOT / "scripts/run").read_text(encoding="utf-8"))
        self.write("scripts/build", "#!/bin/sh\n").chmod(0o755)
        self.write("examples/one/a.yaml", "")
        for name in "bac":
            self.write(f"examples/many/{name}.yaml", "")

    def run_script(self, *arguments):
        ran = subprocess.run(["bash", "scripts/run", *arguments], cwd=self.root, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        return ran.returncode, ran.stdout.splitlines()[0] if ran.stdout else "", ran.stderr

    def test_one_experiment_is_run(self):
        line = f"ran run examples/one/a.yaml --output {self.root}/out/one --force --set x=1"
        self.assertEqual(self.run_script("examples/one/", "--set", "x=1"), (0, line, ""))

    def test_several_are_compared_in_their_order(self):
        def names():
            return [os.path.basename(word) for word in
                    self.run_script("examples/many")[1].split(" --output")[0].split()]
        self.assertEqual(names(), ["ran", "compare", "a.yaml", "b.yaml", "c.yaml"])
        self.write("examples/many/order.txt", "c.yaml\na.yaml\n")
        self.assertEqual(names(), ["ran", "compare", "c.yaml", "a.yaml"])

    def test_commands_are_handed_through(self):
        for words in [("compare", "examples/many/a.yaml", "b.yaml"), ("run", "x.yaml", "--ties")]:
            self.assertEqual(self.run_script(*words), (0, "ran " + " ".join(words), ""))

    def test_exit_code_and_mistakes(self):
        self.assertEqual(self.run_script("examples/one", "fail")[0], 2)
        self.assertEqual(self.run_script("examples/absent")[0], 2)
        self.write("examples/many/order.txt", "d.yaml\n")
        self.assertIn("names d.yaml", self.run_script("examples/many")[2])

    def test_no_argument_explains(self):
        code, first, _ = self.run_script()
        self.assertEqual((code, first[:6]), (0, "usage:"))


class SetupTest(TreeTest):
    """./scripts/setup on a machine made of fakes, which has every package but ninja-build."""

    def setUp(self):
        super().setUp()
        for tool in ["bash", "env", "grep"]:
            (self.root / "bin").mkdir(exist_ok=True)
            (self.root / "bin" / tool).symlink_to(shutil.which(tool))
        self.fake("dpkg-query",
                  'shift 2; for p; do [ "$p" = ninja-build ] || echo "installed $p"; done')
        self.fake("apt-get", 'echo "$DEBIAN_FRONTEND: $*"')

    def fake(self, tool, text):
        self.write(f"bin/{tool}", f"#!/bin/sh\n{text}\n").chmod(0o755)

    def setup_script(self):
        ran = subprocess.run(["bash", str(ROOT / "scripts/setup")], text=True, check=False,
                             env={"PATH": str(self.root / "bin")}, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        return ran.returncode, ran.stderr.splitlines()

    def test_root_installs_what_is_missing(self):
        self.fake("id", "echo 0")
        code, lines = self.setup_script()
        options = "noninteractive: -qq -o DPkg::Lock::Timeout=300"
        self.assertEqual((code, lines), (0, [
            "setup: installing ninja-build", f"{options} update",
            f"{options} install --yes --no-install-recommends ninja-build", "setup: done"]))

    def test_others_need_sudo(self):
        self.fake("id", "echo 1000")
        code, lines = self.setup_script()
        self.assertEqual((code, lines[-1]),
                         (1, "setup:   apt-get install --no-install-recommends ninja-build"))
        self.fake("sudo", 'echo sudo; "$@"')
        self.assertEqual(self.setup_script()[0], 0)

    def test_nothing_to_do(self):
        self.fake("dpkg-query", 'shift 2; for p; do echo "installed $p"; done')
        self.assertEqual(self.setup_script(), (0, []))


class MutateTest(unittest.TestCase):
    def mutation(self, **changes):
        fields = {"room": "core", "file": "core/base/check.cc", "old": "throw CheckFailure(",
                  "new": "return (", "breaks": "nothing fails", **changes}
        return mutate.Mutation(**fields)

    def test_a_mutation_of_what_stands_there_once(self):
        self.assertEqual(mutate.faults_of([self.mutation()]), [])

    def test_a_mutation_of_what_is_gone_or_not_unique(self):
        for changes in [{"old": "no such text"}, {"old": "details"}, {"file": "core/none.cc"},
                        {"room": "network"}, {"new": "throw CheckFailure("}]:
            self.assertEqual(len(mutate.faults_of([self.mutation(**changes)])), 1, changes)

    def test_the_list_is_long_enough(self):
        self.assertGreaterEqual(len(mutate.read_mutations()), 60)


class ChangedLines(TreeTest):
    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                       cwd=self.root, check=True, stdout=subprocess.DEVNULL)

    def test_lines_that_changed_are_named(self):
        self.git("init", "--quiet")
        self.write("a.cc", "one\ntwo\nthree\n")
        self.write("b.md", "one\n")
        self.git("add", "a.cc", "b.md")
        self.git("commit", "--quiet", "--message", "a")
        self.assertEqual(clang_test.changed_since("HEAD", self.root), {})
        self.write("a.cc", "one\n2\n2b\nthree\nfour\n")
        self.write("b.md", "two\n")
        self.assertEqual(clang_test.changed_since("HEAD", self.root), {"a.cc": [[2, 3], [5, 5]]})

    def test_files_of_a_batch_are_found(self):
        batch = self.write("build/core_0.cxx", '/* CMake */\n#include "/x/a.cc"\n#include "/x/b.cc"\n')
        paths = clang_test.sources_of(batch, self.root / "build")
        self.assertEqual([str(path) for path in paths], ["/x/a.cc", "/x/b.cc"])

    def test_without_the_commit_nothing_is_known(self):
        self.assertIsNone(clang_test.changed_since("HEAD^", self.root))
        self.git("init", "--quiet")
        self.assertIsNone(clang_test.changed_since("HEAD^", self.root))


if __name__ == "__main__":
    unittest.main()
