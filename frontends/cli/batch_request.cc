#include "frontends/cli/batch_request.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/config_error.h"
#include "core/base/suggestion.h"
#include "formats/input/input_texts.h"

namespace orrery::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Request {
  std::string path;  // of the experiment; as `texts` knows it
  std::vector<Override> overrides;
};

// The mistakes of one line, found before there is an experiment.
class BatchLine {
 public:
  BatchLine(std::int64_t number, const std::string& text)
      : number_(number), text_(text), name_(fmt::format("line {}", number)) {}

  const std::string& name() const { return name_; }

  Request request(InputTexts& texts) const {
    const Json json = parsed();
    if (json.is_string()) return {json.get<std::string>(), {}};
    if (!json.is_object())
      refuse(0, "", "this is no experiment",
             R"(write {"platform": ..., "workload": ...}, or the name of a file in quotes)");
    if (!json.contains("experiment")) {
      texts.put(name_, text_);
      return {name_, {}};
    }
    return wrapped(json, texts);
  }

  // The position that `loaded` has within the text of the line, as one on standard input.
  Diagnostic placed(Diagnostic problem) const {
    if (problem.file != name_) return problem;
    problem.file = "";
    problem.path = problem.path.empty() ? name_ : fmt::format("{}: {}", name_, problem.path);
    problem.line = static_cast<int>(number_);
    problem.source_line = "";  // it is the whole experiment
    return problem;
  }

 private:
  Json parsed() const {
    try {
      return Json::parse(text_);
    } catch (const Json::parse_error& error) {
      refuse(static_cast<int>(error.byte), "", "this is not JSON",
             "write an experiment in one line, as JSON");
    }
  }

  // {"experiment": ..., "set": ...}
  Request wrapped(const Json& json, InputTexts& texts) const {
    static constexpr std::array<std::string_view, 2> known{"experiment", "set"};
    for (const auto& [key, value] : json.items())
      if (key != known[0] && key != known[1])
        refuse(0, key, "the key is not known", suggestion(key, known));
    Request request;
    const Json& experiment = json["experiment"];
    if (experiment.is_string()) {
      request.path = experiment.get<std::string>();
    } else {
      request.path = name_;
      texts.put(name_, experiment.dump());
    }
    if (!json.contains("set")) return request;
    if (!json["set"].is_object())
      refuse(0, "set", "this is no map", R"(write {"system.chunks": 64})");
    for (const auto& [key, value] : json["set"].items()) {
      const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
      request.overrides.push_back({fmt::format("{}={}", key, text)});
    }
    return request;
  }

  [[noreturn]] void refuse(int column, std::string path, std::string what,
                           std::string remedy) const {
    throw ConfigError({.file = name_,
                       .column = column,
                       .path = std::move(path),
                       .what = std::move(what),
                       .remedy = std::move(remedy)});
  }

  std::int64_t number_;
  const std::string& text_;
  std::string name_;  // of the text among the files
};

}  // namespace

Experiment load_batch_line(std::int64_t number, const std::string& line,
                           const std::vector<Override>& common) {
  const BatchLine batch(number, line);
  try {
    InputTexts texts;
    const Request request = batch.request(texts);
    std::vector<Override> overrides = common;
    overrides.insert(overrides.end(), request.overrides.begin(), request.overrides.end());
    return load_experiment(request.path, overrides, texts);
  } catch (const ConfigError& error) {
    std::vector<Diagnostic> problems;
    for (const Diagnostic& problem : error.diagnostics()) problems.push_back(batch.placed(problem));
    throw ConfigError(std::move(problems));
  }
}

}  // namespace orrery::cli
