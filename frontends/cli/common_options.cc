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

void add_jobs(CLI::App* command, std::size_t& jobs, const std::string& what) {
  jobs = std::max(1U, std::thread::hardware_concurrency());
  command->add_option("-j,--jobs", jobs, what + "; without it, one for each core")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("N");
}

}  // namespace orrery::cli
