#include "frontends/cli/common_options.h"

#include <algorithm>
#include <thread>

namespace orrery::cli {

CLI::Validator a_name() {
  return {[](std::string& text) { return text.empty() ? std::string("the name is empty") : ""; },
          ""};
}

void add_seed(CLI::App* command, std::string& seed) {
  command->add_option("--seed", seed, "seed of all random choices, like --set seed=N")
      ->type_name("N")
      ->check(CLI::Validator(
          [](std::string& text) {
            return text.empty() ? std::string("the number is missing") : "";
          },
          ""));
}

void add_fold(CLI::App* command, bool& fold) {
  command->add_flag_callback(
      "--no-fold", [&fold] { fold = false; },
      "simulate every rank, also where one could stand for all: the same result");
}

void add_format(CLI::App* command, Format& format, const std::map<std::string, Format>& known,
                const char* help) {
  command->add_option("--format", format, help)
      ->transform(CLI::CheckedTransformer(known).description(""))
      ->type_name("FORMAT");
}

void add_spans(CLI::App* run, SimulationOptions& options) {
  CLI::Option* spans =
      run->add_option("--spans", options.spans,
                      "also write a CSV line for every compute, collective and exposed span")
          ->type_name("FILE")
          ->check(a_name());
  run->add_flag("--message-spans", options.message_spans,
                "also a line for every message (a collective has thousands)")
      ->needs(spans);
}

void add_trace(CLI::App* run, SimulationOptions& options) {
  CLI::Option* trace = run->add_option("--trace", options.trace,
                                       "also write a timeline for ui.perfetto.dev (docs/trace.md)")
                           ->type_name("FILE")
                           ->check(a_name());
  run->add_option("--trace-ranks", options.trace_ranks,
                  "ranks in the timeline, like 0,8,16-23, or all; without it, one of each "
                  "pipeline stage, or the first 8")
      ->type_name("RANKS")
      ->needs(trace);
  run->add_flag("--trace-messages", options.trace_messages,
                "each message of theirs in the timeline; every rank is simulated then")
      ->needs(trace);
  run->add_option("--trace-limit", options.trace_limit,
                  "slices in the timeline at most; without it, a million")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""))
      ->needs(trace);
}

void add_jobs(CLI::App* command, std::size_t& jobs, const std::string& what) {
  jobs = std::max(1U, std::thread::hardware_concurrency());
  command->add_option("-j,--jobs", jobs, what + "; without it, one for each core")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("N");
}

}  // namespace orrery::cli
