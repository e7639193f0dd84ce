#!/usr/bin/env python3
"""Every rule of scripts/tidy.py fires on a small bad tree, and stays silent on a good one."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
import tidy  # noqa: E402

ONCE = "#pragma once\n"


class TidyTest(unittest.TestCase):
    def found(self, **files):
        """The messages about a tree of these files; a name `core__base__a_h` is core/base/a.h."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                stem, _, suffix = name.replace("__", "/").rpartition("_")
                path = root / f"{stem}.{suffix}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return [f"{path}:{line}: {text}" for path, line, text in tidy.findings(root)[0]]

    def assert_one(self, beginning, **files):
        found = self.found(**files)
        self.assertEqual(len(found), 1, found)
        self.assertIn(beginning, found[0])

    def assert_clean(self, **files):
        self.assertEqual(self.found(**files), [])

    def test_layers_never_look_up(self):
        self.assert_one("core/a.cc:2: core/ may not include network/",
                        core__a_cc='// a\n#include "network/b.h"\n', network__b_h=ONCE)
        self.assert_one("system/a.cc:1: system/ may not include workload/",
                        system__a_cc='#include "workload/b.h"\n', workload__b_h=ONCE)
        self.assert_one("network/a.cc:1: network/ may not include tests/",
                        network__a_cc='#include "tests/b.h"\n', tests__b_h=ONCE)
        self.assert_clean(workload__a_cc='#include "system/b.h"\n', system__b_h=ONCE)

    def test_only_the_door_of_another_room_is_seen(self):
        inside = {"network__fluid__b_h": ONCE}
        self.assert_one("inside of network/", system__a_cc='#include "network/fluid/b.h"\n',
                        **inside)
        self.assert_clean(frontends__a_cc='#include "network/fluid/b.h"\n', **inside)
        topology = {"network__topology__b_h": ONCE}
        self.assert_clean(workload__a_cc='#include "network/topology/b.h"\n', **topology)
        self.assert_one("door headers only", workload__a_cc='#include "network/b.h"\n',
                        network__b_h=ONCE)
        self.assert_one("door headers only", workload__a_cc='#include "system/rank/b.h"\n',
                        system__rank__b_h=ONCE)

    def test_packages_stay_in_their_room(self):
        for header, room in [("yaml-cpp/yaml.h", "frontends__cli"),
                             ("CLI/CLI.hpp", "frontends__yaml"),
                             ("nlohmann/json.hpp", "system"), ("Random123/philox.h", "network"),
                             ("ns3/core-module.h", "network__packet"),
                             ("spdlog/spdlog.h", "system"),
                             ("catch2/catch.hpp", "core"), ("benchmark/benchmark.h", "core"),
                             ("pugixml.hpp", "workload")]:
            self.assert_one(f"<{header}> belongs to", **{f"{room}__a_cc": f"#include <{header}>\n"})
        self.assert_clean(formats__yaml__a_cc="#include <yaml-cpp/yaml.h>\n#include <vector>\n")
        self.assert_one("unknown package", core__a_cc="#include <boost/any.hpp>\n")

    def test_includes_are_written_from_the_root_and_exist(self):
        self.assert_one("from the root", core__a_cc='#include "b.h"\n')
        self.assert_one("core/b.h does not exist", core__a_cc='#include "core/b.h"\n')

    def test_include_cycle_between_folders(self):
        # x -> y -> z -> x, through three different files each.
        self.assert_one("include cycle: network/x -> network/y -> network/z -> network/x",
                        network__x__a_h=ONCE + '#include "network/y/b.h"\n',
                        network__y__b_h=ONCE + '#include "network/z/c.h"\n',
                        network__z__c_cc='#include "network/x/a.h"\n', network__z__c_h=ONCE)

    def test_door_headers_are_no_folder(self):
        # workload.h -> model/table.h -> spec.h: a cycle only if door headers were one node.
        self.assert_clean(workload__a_cc='#include "workload/door.h"\n',
                          workload__door_h=ONCE + '#include "workload/model/table.h"\n',
                          workload__model__table_h=ONCE + '#include "workload/spec.h"\n',
                          workload__model__table_cc='#include "workload/door.h"\n',
                          workload__spec_h=ONCE)

    def test_dead_header(self):
        self.assert_one("core/a.h:1: no file includes", core__a_h=ONCE)

    def test_names_of_a_folder(self):
        def file(code):
            return f"namespace orrery {{\nnamespace {{\n\n{code}\n\n}}  // namespace\n}}\n"
        self.assert_one("core/b.cc:4: Line is declared in core/a.cc too",
                        core__a_cc=file("struct Line {};"), core__b_cc=file("class Line {};"))
        self.assert_one("core/b.cc:4: most is declared", core__a_cc=file("constexpr int most = 3;"),
                        core__b_cc=file("const std::string most{};"))
        self.assert_one("core/b.cc:4: most is declared", core__a_cc=file("constexpr int most = 3;"),
                        core__b_cc=file("constexpr int least = 1, most = 2;"))
        self.assert_one("core/b.cc:4: sum is declared", core__a_cc=file("int sum(int a) {\n}"),
                        core__b_cc=file("int sum(int b, int more = 0) {\n}"))
        self.assert_one("core/b.cc:4: sum is declared", core__a_cc=file("constexpr int sum = 1;"),
                        core__b_cc=file("int sum(int b) {\n}"))
        self.assert_one("core/b.cc:4: sum is declared", core__a_cc=file("int sum(int a) {\n}"),
                        core__b_cc=file("int sum(\n    int b) {\n}"))
        self.assert_one("tests/report/b.cc:4: sum is declared",
                        tests__CMakeLists_txt="orrery_test(report orrery_report report)\n",
                        tests__report__a_cc=file("int sum() {\n}"),
                        tests__report__b_cc=file("int sum() {\n}"))
        # Overloads, members, locals and other folders.
        self.assert_clean(core__a_cc=file("int sum(int a) {\n  const int most = 1;\n}"),
                          core__b_cc=file("int sum(int a, int b) {\n  const int most = 2;\n}"),
                          core__x__b_cc=file("int sum(int a) {\n}"))

    def test_inline_members_stay_in_their_file(self):
        inline = "inline bool A::f(int a) const {\n}\n"
        self.assert_one("core/a.cc:1: f is inline, and core/b.cc calls it", core__a_cc=inline,
                        core__b_cc="void A::g() {\n  if (f(1)) return;\n}\n")
        # Another class's f, and a call in its own file.
        self.assert_clean(core__a_cc=inline + "void A::g() {\n  f(1);\n}\n",
                          core__b_cc="void B::g() {\n  f(1);\n}\n")

    def test_unbuilt_test(self):
        cmake = {"tests__CMakeLists_txt":
                 "orrery_test(core orrery_core core)\nadd_library(m paths.cc)\n"}
        self.assert_clean(tests__core__a_test_cc="", tests__paths_cc="", **cmake)
        self.assert_one("no glob or CMakeLists.txt", tests__cores__a_test_cc="", **cmake)

    def test_model_code_does_not_end_the_process(self):
        for call in ["std::exit(1);", "abort();", "assert(x == 1);", "std::terminate();"]:
            self.assert_one("ends the process", system__a_cc=f"void f() {{ {call} }}\n")
            self.assert_clean(frontends__cli__a_cc=f"void f() {{ {call} }}\n")
        self.assert_clean(core__a_cc='static_assert(1 == 1);\n// exit(1)\nauto s = "exit(1)";\n')

    def test_model_code_does_not_print(self):
        for call in ["std::cout << 1;", 'printf("a");', 'fmt::print("a");', "std::cerr << 1;"]:
            self.assert_one("only frontends/cli prints", network__a_cc=f"void f() {{ {call} }}\n")
        self.assert_one("<iostream>", core__a_cc="#include <iostream>\n")
        self.assert_clean(network__a_cc='void f() { snprintf(b, 1, "a"); }\n')

    def test_wall_clock(self):
        for clock in ["std::chrono::steady_clock::now()", "rand()", "std::random_device{}"]:
            self.assert_one("depends on its input only",
                            core__a_cc=f"auto f() {{ return {clock}; }}\n")
            self.assert_clean(tests__benchmark__a_h="#pragma once\nauto x() { return %s; }" % clock,
                              tests__benchmark__a_cc='#include "tests/benchmark/a.h"',
                              tests__benchmark__CMakeLists_txt="add_executable(a a.cc)")

    def test_ranges_that_clang_14_cannot_compile(self):
        self.assert_one("clang 14 cannot compile",
                        core__a_cc="auto f() { return std::ranges::unique(list); }\n")
        self.assert_clean(core__a_cc="auto f() { return std::ranges::sort(list); }\n")

    def test_iteration_over_an_unordered_container(self):
        declaration = "std::unordered_map<int, std::vector<int>> flows_;\n"
        loop = "void f() { for (const auto& [a, b] : flows_) g(a); }\n"
        self.assert_one("core/a.cc:2: flows_ is unordered", core__a_cc=declaration + loop)
        self.assert_one("core/a.cc:2: flows_ is unordered", core__a_h=ONCE + declaration,
                        core__a_cc='#include "core/a.h"\n' + loop)
        self.assert_clean(core__a_cc=declaration + "auto f(int k) { return flows_.find(k); }\n")

    def test_mutable_static(self):
        self.assert_one("static counter can change", core__a_cc="static int counter = 0;\n")
        self.assert_one("static seen can change",
                        core__a_cc="int f() {\n  static std::vector<int> seen;\n  return 1;\n}\n")
        self.assert_clean(core__a_cc="static const int a = 1;\nstatic constexpr int b{2};\n"
                                     "static int f(int c);\nstatic int g() { return 1; }\n")

    def test_long_lines_and_files(self):
        self.assert_one("core/a.cc:2: 101 columns", core__a_cc="//\n// " + 98 * "x" + "\n")
        self.assert_clean(core__a_cc="// " + 97 * "\u00b5" + "\n")  # characters, not bytes
        self.assert_one("core/a.cc:1: 401 lines of code", core__a_cc=401 * "x();  // y\n\n// z\n")
        self.assert_clean(core__a_cc=400 * "x();\n// y\n", core__a_def=401 * "X(a)\n")
        self.assert_clean(core__a_cc=800 * "//\n")

    def test_a_room_that_takes_in_everything(self):
        files = {f"frontends__yaml__{name}_cc": 400 * "x();\n" for name in
                 (f"f{i}" for i in range(30))}
        self.assert_clean(**files)
        self.assert_one("frontends:1: 12001 lines of code", **files, frontends__cli__one_cc="x();\n")

    def test_long_lines_of_documents(self):
        long = "word " * 21
        self.assert_one("docs/a.md:2: 105 columns", docs__a_md=f"short\n{long}\n")
        for free in [f"| {long}|", f"```sh\n{long}\n```", f"text\n\n    {long}",
                     "[" + "a" * 99 + "](a.md)"]:
            self.assert_clean(docs__a_md=free + "\n")

    def test_what_readers_are_sent_to_exists(self):
        self.assert_one("core/a.cc:2: there is no docs/b.md", core__a_cc="//\n// docs/b.md\n")
        self.assert_clean(core__a_cc="// docs/b.md\n", docs__b_md="b\n")
        self.assert_one("docs/a.md:2: there is no c.md", docs__a_md="\n[c](c.md#d)\n")
        self.assert_one("docs/a.md:1: there is no core/b.h", docs__a_md="`core/b.h`\n")
        self.assert_one("docs/a.md:1: there is no examples/x", docs__a_md="./scripts/run examples/x\n")
        self.assert_clean(docs__a_md="[a](a.md) [b](http://b) ./scripts/run compare x.yaml\n")

    def test_long_functions(self):
        def function(head, lines):  # so many lines from { to }
            return head + " {\n" + (lines - 2) * "  x();\n" + "}\n"
        self.assert_clean(core__a_cc=function("void f()", 70))
        for head in ["void f()", "auto A::b(int c) const -> int", "template <class T>\nT f(T t)",
                     "A::A(int n) : B(n), n_{n}, m_(2)", "bool operator==(A a, B b)",
                     "auto f() -> a::B",
                     "void f(std::vector<int> a = {})"]:
            self.assert_one("function of 71 lines", core__a_cc=function(head, 71))
        self.assert_one("core/a.cc:3: function of 71 lines",
                        core__a_cc="namespace a {\nclass B {\n" + function("  int f()", 71) +
                                   "};\n}\n")
        # Neither a scope, nor a table, nor two functions of 40 lines is a long function.
        self.assert_clean(core__a_cc="namespace orrery {\n" + 2 * function("int f()", 40) + "}\n")
        self.assert_clean(
            core__a_cc="class A : public B<C> {\n" + 90 * "  int f() { return 1; }\n" + "};\n")
        self.assert_clean(core__a_cc="constexpr int a[] = {\n" + 90 * "  f(1),\n" + "};\n")

    def test_names_that_say_nothing(self):
        self.assert_one("type name FlowManager", core__a_cc="class FlowManager;\n")
        self.assert_one("type name UtilsForRings", core__a_cc="struct UtilsForRings {};\n")
        self.assert_one("file name: 'utils'", core__string_utils_cc="")
        self.assert_one("file name: 'helper'", core__ring_helper_cc="")
        self.assert_clean(core__utilisation_cc="struct Utilisation {};\n")

    def test_pragma_once(self):
        self.assert_one("without #pragma once", core__a_h="// nothing\n",
                        core__a_cc='#include "core/a.h"\n')

    def test_an_empty_tree_is_no_success(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(tidy.main(folder), 1)


if __name__ == "__main__":
    unittest.main()
