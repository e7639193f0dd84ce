#include "tests/fuzz/outcome.h"

#include <fmt/format.h>

#include <cctype>
#include <fstream>

namespace orrery::fuzz {

namespace fs = std::filesystem;

namespace {

// What of a message is the same for all inputs that end so: no numbers, no quoted text.
std::string kind_of(const std::string& what, const std::string& message) {
  std::string kind = what + ": ";
  const std::size_t bug = message.find("this is a bug in Orrery: ");
  if (bug == std::string::npos) return kind;
  bool quoted = false;
  for (const char c : message.substr(bug + 25, message.find('\n', bug) - bug - 25)) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit || !kind.ends_with('N')) kind += digit ? 'N' : c;
  }
  return kind;
}

}  // namespace

std::string what_is_wrong(const Outcome& outcome, const std::vector<std::string>& arguments,
                          const Limits& limits) {
  if (outcome.hangs) return "it hangs";
  if (outcome.signal != 0) return fmt::format("signal {}", outcome.signal);
  const std::string& command = arguments.front();  // those that build the platform may say so
  const bool builds =
      command == "run" || command == "coll" || command == "topo" || command == "traffic";
  const bool needs_more = outcome.message.find("out of memory") != std::string::npos;
  if (outcome.most_memory > limits.bytes || (needs_more && !builds))
    return "it takes too much memory";
  constexpr int stopped = 130;  // a long simulation
  if ((outcome.exit_code < 0 || outcome.exit_code > 3) && outcome.exit_code != stopped)
    return fmt::format("exit code {}", outcome.exit_code);
  const bool refused = outcome.exit_code == 2 || outcome.exit_code == 3;
  if (refused && outcome.message.empty()) return "it fails and does not say why";
  return "";
}

void Findings::note(const Outcome& outcome, const Seed& seed, const std::string& input) {
  ++inputs_;
  ++exit_codes_[outcome.exit_code];
  const std::string what = what_is_wrong(outcome, seed.arguments, limits_);
  if (what.empty()) return;
  ++count_;
  constexpr std::uint64_t few = 3;
  std::string kind = kind_of(what, outcome.message);
  if (outcome.message.find("bug in Orrery") == std::string::npos)
    kind += seed.file + ", " + seed.arguments.front();
  if (++kinds_[kind] <= few) keep(what, outcome, seed, input);
}

void Findings::keep(const std::string& what, const Outcome& outcome, const Seed& seed,
                    const std::string& input) const {
  const fs::path to = folder_ / fmt::format("{:06}", inputs_) / seed.folder.filename();
  fs::create_directories(to);
  fs::copy(seed.folder, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  std::string command;
  for (const std::string& argument : seed.arguments) command += ' ' + argument;
  std::ofstream(to / "finding.txt")
      << fmt::format("{}\ninput {}\norrery{}\n{}\n", what, input, command, outcome.message);
}

std::string Findings::summary() const {
  std::string text = "exit codes:";
  for (const auto& [code, count] : exit_codes_) text += fmt::format(" {}: {}", code, count);
  text += '\n';
  for (const auto& [kind, count] : kinds_) text += fmt::format("{:7} x {}\n", count, kind);
  return text;
}

}  // namespace orrery::fuzz
