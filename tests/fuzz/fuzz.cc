// The fuzzer: changes valid inputs of every reader as their structure is, and asks the program to
// make something of them. It must answer in 5 s of processor time and within 2 GB: with a result,
// or with a message and exit code 1, 2 or 3. A simulation may take longer if Ctrl-C ends it, and
// may say that its memory does not suffice.
//
//   orrery_fuzz [--program PATH] [--seconds S] [--inputs N] [--first K] [--seed X] [--keep DIR]
//
// With --program each input is run by a process of its own, as a user would; without it by a child
// of this process, which is faster and has the sanitizers of this build. Input K of seed X is
// always the same: `--first K --inputs 1` runs it again. DIR gets a few inputs of each kind of
// finding. Exit code 1 if there is one.
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include "tests/fuzz/execution.h"
#include "tests/fuzz/outcome.h"
#include "tests/fuzz/workspace.h"

#ifdef __SANITIZE_ADDRESS__
// What an input may hold is in limited_memory.cc. Instrumented, memory is up to three times that.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:hard_rss_limit_mb=6000:detect_leaks=0:handle_abort=1";
}
#endif

namespace orrery::fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Options {
  std::optional<fs::path> program;
  double seconds = std::numeric_limits<double>::infinity();
  std::uint64_t count = 1'000;
  Inputs inputs;
  fs::path keep = "fuzz-findings";
};

Options read_options(int count, char** arguments) {
  Options options;
  std::map<std::string, std::string> given;
  for (int i = 1; i + 1 < count; i += 2) given[arguments[i]] = arguments[i + 1];
  if (count % 2 == 0) throw std::runtime_error("every option has a value; see the head of fuzz.cc");
  for (const auto& [name, value] : given) {
    if (name == "--program")
      options.program = fs::absolute(value);
    else if (name == "--seconds")
      options.seconds = std::stod(value);
    else if (name == "--inputs")
      options.count = std::stoull(value);
    else if (name == "--first")
      options.inputs.first = std::stoull(value);
    else if (name == "--seed")
      options.inputs.seed = std::stoull(value);
    else if (name == "--keep")
      options.keep = value;
    else
      throw std::runtime_error("unknown option " + name);
  }
  options.inputs.end = options.inputs.first + options.count;
  return options;
}

// Instrumented code takes longer, and more memory.
Limits limits() {
#ifdef __SANITIZE_ADDRESS__
  return {.seconds = 25, .bytes = 6LL << 30};
#else
  return {};
#endif
}

class Folder {
 public:
  Folder() {
    // A new one: what a killed process left may have the number of this one, and other inputs.
    if (mkdtemp(path_.data()) == nullptr)
      throw fs::filesystem_error("cannot make a folder", path_,
                                 std::error_code(errno, std::generic_category()));
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path path() const { return path_; }

 private:
  std::string path_ = fs::temp_directory_path() / "orrery_fuzz.XXXXXX";
};

int fuzz(const Options& options) {
  const Folder folder;
  Workspace workspace(ORRERY_SOURCE_DIR, folder.path() / "inputs");
  Workspace kept(ORRERY_SOURCE_DIR, folder.path() / "kept");  // makes a finding's input again
  Findings findings(options.keep, limits());
  const auto begin = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  const auto time_is_up = [&] { return passed() >= options.seconds; };
  const Inputs& inputs = options.inputs;
  const auto note = [&](std::uint64_t number, const Outcome& outcome) {
    const Seed& seed = kept.prepare(inputs.seed, number);
    findings.note(outcome, seed, fmt::format("--seed {} --first {}", inputs.seed, number));
    kept.restore(seed);
  };
  if (options.program) {
    for (std::uint64_t number = inputs.first; number < inputs.end && !time_is_up(); ++number) {
      const Seed& seed = workspace.prepare(inputs.seed, number);
      const Outcome outcome = run_program(*options.program, seed, limits(), folder.path());
      workspace.restore(seed);
      note(number, outcome);
    }
  } else {
    run_in_process(workspace, inputs, limits(), time_is_up, note);
  }
  fmt::print("{}", findings.summary());
  fmt::print("{} inputs in {:.0f} s, {:.0f} a second, {} findings{}\n", findings.inputs(), passed(),
             static_cast<double>(findings.inputs()) / passed(), findings.count(),
             findings.count() > 0 ? ", kept in " + options.keep.string() : "");
  const bool good = findings.count() == 0 && findings.inputs() > 0;
  fmt::print("{} passed, {} failed\n", good ? 1 : 0, good ? 0 : 1);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace orrery::fuzz

int main(int count, char** arguments) {
  try {
    return orrery::fuzz::fuzz(orrery::fuzz::read_options(count, arguments));
  } catch (const std::exception& error) {
    fmt::print(stderr, "fuzz: {}\n", error.what());
    return 2;
  }
}
