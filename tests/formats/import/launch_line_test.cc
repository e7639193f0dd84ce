// Shell scripts as bash reads them, without running anything.
#include "formats/import/launch_line.h"

#include <catch2/catch.hpp>

#include "core/base/config_error.h"
#include "formats/import/arithmetic.h"

namespace orrery {
namespace {

std::string words_of(const std::string& script,
                     const std::map<std::string, std::string>& given = {}) {
  std::string text;
  for (const LaunchWord& word : launch_line("run.sh", script, {"--x"}, given).words)
    text += (text.empty() ? "" : "|") + word.text;
  return text;
}

TEST_CASE("A launch line is the command that has a mark", "[import]") {
  CHECK(words_of("echo hello\npython a.py --x 1\n") == "python|a.py|--x|1");
  CHECK(words_of("python a.py --x 1 \\\n  --y 2 # --z 3\n") == "python|a.py|--x|1|--y|2");
  CHECK(words_of("python a.py --x=1 2>&1 | tee log\n") == "python|a.py|--x=1|2");
  CHECK(words_of("python a.py --x 1; python b.py --x 2 && true") == "python|b.py|--x|2");
  CHECK(words_of("FLAG=1 python a.py --x 'a b' \"c \\\"d\" e\\ f") ==
        "python|a.py|--x|a b|c \"d|e f");
  CHECK(words_of("echo nothing").empty());
  CHECK(words_of("").empty());
}

TEST_CASE("Variables, arrays and arithmetic of a script are known", "[import]") {
  CHECK(words_of("N=8\nM=$N\nrun --x $M ${N} \"$N\" '$N'") == "run|--x|8|8|8|$N");
  CHECK(words_of("A=\"--x 1 --y 2\"\nrun $A") == "run|--x|1|--y|2");
  CHECK(words_of("A=\"--x 1\"\nA+=\" --y 2\"\nrun $A") == "run|--x|1|--y|2");
  CHECK(words_of("A=(\n --x 1 # one\n \"b c\"\n)\nA+=(--y)\nrun ${A[@]}") == "run|--x|1|b|c|--y");
  CHECK(words_of("A=(--x \"b c\")\nrun \"${A[@]}\"") == "run|--x|b c");
  CHECK(words_of("export N=${N:-4}\nrun --x $((N * (2 + 1) - 10 / 5))") == "run|--x|10");
  CHECK(words_of("run --x ${N:-4}", {{"N", "16"}}) == "run|--x|16");
  CHECK(words_of("N=2\nrun --x $N", {{"N", "16"}}) == "run|--x|16");
  CHECK(words_of("if [ -z $A ]; then N=3; fi\nrun --x $N") == "run|--x|3");
  // What is not known stays as it is written.
  CHECK(words_of("run --x $N ${M} $(hostname) $((A + 1))") ==
        "run|--x|$N|${M}|$(hostname)|$((A+1))");
  CHECK(words_of("run --x \"$@\" $1") == "run|--x||$1");
}

TEST_CASE("A command may stand in a word of another", "[import]") {
  CHECK(words_of("C=\"torchrun a.py --x 1\"\nsrun bash -c \"$C\"") == "torchrun|a.py|--x|1");
  CHECK(words_of("C=\"torchrun a.py --x 1\"\neval $C") == "torchrun|a.py|--x|1");
}

TEST_CASE("A list of arguments may be JSON", "[import]") {
  CHECK(words_of("[\"--x\", 32,\n \"--y\"]\n") == "--x|32|--y");
  CHECK_THROWS_AS(words_of("[\"--x\", 32]]"), ConfigError);
  CHECK(words_of("[ -f a ] || exit\nrun --x 1") == "run|--x|1");
}

TEST_CASE("Words know their lines", "[import]") {
  const LaunchLine line = launch_line("run.sh", "A=1\nrun \\\n --x $A\n", {"--x"}, {});
  REQUIRE(line.words.size() == 3);
  CHECK(line.words[0].line == 2);
  CHECK(line.words[2].line == 3);
}

TEST_CASE("A script whose variables double ends before memory does", "[import]") {
  std::string script = "A=aaaaaaaaaaaaaaaa\n";
  for (int i = 0; i < 60; ++i) script += "A=$A$A\n";
  CHECK_THROWS_AS(words_of(script + "run --x $A"), ConfigError);
  std::string arrays = "A=(a a)\n";
  for (int i = 0; i < 60; ++i) arrays += "A=(${A[@]} ${A[@]})\n";
  CHECK_THROWS_AS(words_of(arrays + "run --x 1"), ConfigError);
  // A variable that is not long, often in one command.
  std::string often = "A='" + std::string(2'000, 'a') + "'\nrun --x";
  for (int i = 0; i < 1'000; ++i) often += " $A";
  CHECK_THROWS_AS(words_of(often), ConfigError);
  CHECK(words_of(std::string(100'000, '(')).empty());
  CHECK(words_of("$((" + std::string(100'000, '(')).empty());
}

TEST_CASE("Arithmetic of the shell is whole numbers", "[import]") {
  const auto value = [](const std::string& text) {
    return arithmetic_value(text, [](const std::string& name) {
      return name == "N" ? std::string("6") : std::string();
    });
  };
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("$N / 4 + ${N} % 4") == 3);
  CHECK(value("(N - 1) * 2") == 10);
  CHECK(!value("N / 0"));
  CHECK(!value("M + 1"));
  CHECK(!value("9223372036854775807 + 1"));
  CHECK(!value("1 +"));
}

}  // namespace
}  // namespace orrery
