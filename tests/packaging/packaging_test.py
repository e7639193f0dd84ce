#!/usr/bin/env python3
"""What packages hold. packaging_test.py BUILD fast|slow.

fast: man pages and completion, as the program writes them. slow: the Debian packages in an empty
root, and a program that finds the libraries.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = None
COMPLETE = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_orrery
printf '%s\\n' "${COMPREPLY[@]}"
"""


def output(*command, **options):
    ran = subprocess.run(list(map(str, command)), check=False, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, **options)
    if ran.returncode != 0:
        raise AssertionError(f"{command}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


class Folder(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        self.program = BUILD / "orrery"


class Fast(Folder):
    def setUp(self):
        super().setUp()
        output(self.program, "pages", self.folder)

    def options_in_help(self, command):
        help_text = output(self.program, command, "--help")
        return set(re.findall(r"(?m)^  (?:-\w,)?(--[\w-]+)", help_text))

    def test_man_pages_have_every_option_and_command(self):
        commands = re.findall(r"(?m)^  (\w+) {2,}", output(self.program, "--help").split(
            "Subcommands:")[1].split("Examples:")[0])
        self.assertIn("run", commands)
        for command in commands:
            page = (self.folder / f"man/orrery-{command}.1").read_text().replace("\\-", "-")
            with self.subTest(command=command):
                if command != "topo":
                    self.assertTrue(self.options_in_help(command))
                for option in self.options_in_help(command):
                    self.assertIn(f"\\fB{option}\\fR", page)
        self.assertIn("orrery-batch", (self.folder / "man/orrery.1").read_text().replace("\\-", "-"))
        self.assertNotIn("pages", commands)  # hidden

    def test_man_pages_are_right(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        for page in sorted((self.folder / "man").iterdir()):
            ran = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", page], check=True,
                                 stderr=subprocess.PIPE, text=True)
            self.assertEqual(ran.stderr, "", page.name)

    def completed(self, *words):
        script = self.folder / "bash-completion/orrery"
        environment = dict(os.environ, PATH=f"{BUILD}:{os.environ['PATH']}", ORRERY_PATH=str(ROOT))
        return output("bash", "-c", COMPLETE, "bash", script, "orrery", *words, cwd=self.folder,
                      env=environment).split()

    def test_completion(self):
        self.assertEqual(self.completed("comp"), ["compare", "completion"])
        self.assertEqual(self.completed("val"), ["validate"])
        self.assertEqual(self.completed("run", "--wh"), ["--what-if"])
        self.assertEqual(self.completed("run", "first"), ["first-run"])
        self.assertEqual(self.completed("run", "--format", ""), ["text", "json", "csv"])
        self.assertEqual(self.completed("run", "--set", "system.chunk"), ["system.chunks="])
        key = "platform.npu.preset"
        self.assertEqual(self.completed("run", "--set", key, "=", "h8"), ["h800"])
        self.assertIn("mi300x", self.completed("run", "--set", key, "="))
        self.assertEqual(self.completed("import", "nccl-topo", "--npu", "h100-"), ["h100-pcie"])
        self.assertEqual(self.completed("coll", "--platform", "polar"), ["polaris"])
        self.assertEqual(self.completed("topo", "ch"), ["check"])
        self.assertEqual(self.completed("topo", "export", "--format", "s"), ["svg"])
        self.assertEqual(self.completed("list", "pl"), ["platforms"])

    def test_completion_of_zsh(self):
        """What it calls is that of bash, which is tested above; zsh checks it where it is there."""
        script = (self.folder / "zsh/_orrery").read_text()
        self.assertTrue(script.startswith("#compdef orrery\n"))
        bash = (self.folder / "bash-completion/orrery").read_text()
        begin = "  if [[ $place -eq 1 ]]"
        cases = [text[text.index(begin):text.index("\n}\n", text.index(begin))]
                 for text in (script, bash)]
        self.assertEqual(cases[0], cases[1])
        self.assertEqual(script, output(self.program, "completion", "zsh"))
        if shutil.which("zsh"):
            output("zsh", "-n", self.folder / "zsh/_orrery")

    def test_schemas_are_those_of_the_command(self):
        for kind in ("experiment", "sweep", "platform", "result"):
            self.assertEqual((self.folder / f"schema/{kind}.schema.json").read_text(),
                             output(self.program, "schema", "--of", kind))


    def test_ns3_is_loaded_where_it_is_needed(self):
        if not (BUILD / "orrery-ns3.so").exists():
            self.skipTest("this build has no ns-3")
        self.assertNotIn("libns3", output("ldd", self.program))
        tcp = ("run", ROOT / "examples/first-run/first.yaml", "--set", "network.backend=ns3")
        self.assertIn("iteration", output(self.program, *tcp))
        alone = shutil.copy(self.program, self.folder / "orrery")
        ran = subprocess.run([alone, *tcp], check=False, text=True, capture_output=True)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn("put orrery-ns3.so, as it was built with this program, into", ran.stderr)
        output(alone, *tcp[:-1], "network.backend=packet")
        interface = (BUILD / "network/ns3/interface.cc").read_text()
        own = re.search('"([0-9a-f]{16})"', interface)[1].encode()
        module = self.folder / "orrery-ns3.so"
        module.write_bytes((BUILD / "orrery-ns3.so").read_bytes().replace(own, b"0" * 16))
        ran = subprocess.run([alone, *tcp], check=False, text=True, capture_output=True)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn(f"{module} was built from other sources than this program: put", ran.stderr)
        shutil.copy(BUILD / "orrery-ns3.so", module)
        self.assertIn("iteration", output(alone, *tcp))


class Slow(Folder):
    def packages(self):
        output("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", self.folder)
        return {path.name.split("_")[0]: path for path in self.folder.glob("*.deb")}

    def libraries(self, program):
        """What the loader wants, and the loader."""
        for line in output("ldd", program).splitlines():
            if found := re.search(r"(/\S+) \(0x", line):
                yield pathlib.Path(found[1])

    def test_debian_packages(self):
        if not shutil.which("dpkg-deb"):
            self.skipTest("this is not Debian")
        packages = self.packages()
        self.assertEqual(sorted(packages), ["liborrery-dev", "orrery", "python3-orrery"])
        root = self.folder / "root"
        for package in packages.values():
            output("dpkg-deb", "-x", package, root)
        self.check_root(root)
        self.check_copyright(root)
        if shutil.which("lintian"):
            found = subprocess.run(["lintian", "--fail-on", "error", *packages.values()],
                                   check=False, capture_output=True, text=True)
            self.assertEqual(found.returncode, 0, found.stdout)

    @staticmethod
    def modules(root):
        return list(root.glob("usr/lib/**/orrery/orrery-*.so"))

    def check_root(self, root):
        program = root / "usr/bin/orrery"
        for library in [library for file in (program, *self.modules(root))
                        for library in self.libraries(file)]:
            there = root / library.relative_to("/")
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, there)
        (root / "tmp").mkdir()
        inside = ["unshare", "--map-root-user", "chroot", root]
        if subprocess.run([*inside, "/usr/bin/orrery", "version"], check=False,
                          capture_output=True).returncode != 0:
            self.skipTest("this machine does not let a user make a root")
        before = sorted(root.rglob("*"))
        self.assertIn("7.481 ms", output(*inside, "/usr/bin/orrery", "run", "first-run"))
        self.assertIn("times the fastest", output(*inside, "/usr/bin/orrery", "compare",
                                                  "flat-vs-hier"))
        self.assertIn("busbw", output(*inside, "/usr/bin/orrery", "coll", "--platform", "dgx-a100",
                                      "--size", "1M"))
        if self.modules(root):
            output(*inside, "/usr/bin/orrery", "run", "first-run", "--set", "network.backend=ns3")
        self.assertEqual(sorted(root.rglob("*")), before)  # nothing was written
        for file in ("usr/share/man/man1/orrery-run.1.gz", "usr/share/orrery/schema/sweep.schema.json",
                     "usr/share/bash-completion/completions/orrery",
                     "usr/share/zsh/vendor-completions/_orrery",
                     "usr/lib/python3/dist-packages/orrery/__init__.py"):
            self.assertTrue((root / file).exists(), file)

    def check_copyright(self, root):
        self.assertFalse([library for library in self.libraries(BUILD / "orrery")
                          if "libns3" in str(library)])
        text = (root / "usr/share/doc/orrery/copyright").read_text()
        self.assertIn("is under GPL-2.0-only" if self.modules(root) else "is under Expat", text)

    def test_program_that_finds_the_libraries(self):
        for component in ("dev", "orrery"):
            output("cmake", "--install", BUILD, "--prefix", self.folder / "installed",
                   "--component", component)
        source = self.folder / "source"
        source.mkdir()
        shutil.copy(ROOT / "examples/embedding/all_reduce.cc", source)
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(consumer CXX)\n"
            "find_package(orrery 0.1 REQUIRED)\nadd_executable(consumer all_reduce.cc)\n"
            "target_link_libraries(consumer PRIVATE orrery::simulation)\n")
        output("cmake", "-S", source, "-B", source / "build",
               f"-DCMAKE_PREFIX_PATH={self.folder / 'installed'}")
        output("cmake", "--build", source / "build")
        expected = (ROOT / "examples/embedding/expected.txt").read_text()
        self.assertIn(output(source / "build/consumer"), expected)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    tier = sys.argv.pop(1).capitalize()
    unittest.main(defaultTest=tier, testRunner=unittest.TextTestRunner(stream=sys.stdout))
