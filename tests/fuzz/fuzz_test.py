#!/usr/bin/env python3
"""The fuzzer must notice a program that fails: it is shown several.

    fuzz_test.py BUILD_FOLDER
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest


class FuzzTest(unittest.TestCase):
    def run_on(self, script, *options):
        """Gives a program written as shell commands 5 inputs; returns exit code and output."""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program")
            program.write_text("#!/bin/sh\n" + script)
            program.chmod(0o755)
            done = subprocess.run([FUZZER, "--program", program, "--inputs", "5", "--keep",
                                   f"{folder}/kept", *options], capture_output=True, text=True)
            self.kept = sorted(pathlib.Path(folder, "kept").rglob("finding.txt"))
            self.first = self.kept[0].read_text() if self.kept else ""
            return done.returncode, done.stdout

    def test_a_result_and_a_refusal_are_well(self):
        for script in ["exit 0", "echo 'file.yaml:1: wrong' >&2; exit 2",
                       "echo 'stuck' >&2; exit 1", "exit 130"]:
            code, output = self.run_on(script)
            self.assertEqual((code, self.kept), (0, []), output)
            self.assertTrue(output.endswith("1 passed, 0 failed\n"), output)

    def test_what_is_wrong_is_found_and_kept(self):
        for script, what in [("echo 'this is a bug in Orrery: 7 > 6' >&2; exit 70", "exit code 70"),
                             ("kill -SEGV $$", "signal 11"),
                             ("kill -FPE $$", "signal 8"),
                             ("exit 2", "it fails and does not say why")]:
            code, output = self.run_on(script)
            self.assertEqual(code, 1, output)
            self.assertIn("5 findings", output)
            self.assertTrue(self.first.startswith(what + "\ninput --seed 1 --first "), self.first)

    def test_only_a_simulation_may_lack_memory(self):
        code, output = self.run_on("echo 'error: out of memory' >&2; [ $1 = run ]", "--inputs", "99")
        self.assertIn("it takes too much memory", output)
        self.assertNotIn(", run", output)

    def test_an_input_is_the_same_each_time(self):
        script = ('for word in "$@"; do case $word in /*) cat "$word" 2>/dev/null;; esac; done >&2\n'
                  'exit 70')
        self.run_on(script, "--seed", "9", "--first", "123")
        first = self.first.split("\n", 3)[3]
        self.run_on(script, "--seed", "9", "--first", "123")
        self.assertEqual(first, self.first.split("\n", 3)[3])
        self.run_on(script, "--seed", "9", "--first", "124")
        self.assertNotEqual(first, self.first.split("\n", 3)[3])


if __name__ == "__main__":
    FUZZER = pathlib.Path(sys.argv.pop(1)) / "tests/fuzz/orrery_fuzz"
    unittest.main()
