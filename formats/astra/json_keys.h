// The keys of one of ASTRA-sim's JSON files, with their lines in messages.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/config_error.h"

namespace orrery::astra {

class JsonKeys {
 public:
  // Throws ConfigError if the text is no JSON object.
  JsonKeys(const std::string& file, const std::string& text);

  bool has(std::string_view key) const { return json_.contains(std::string(key)); }
  const nlohmann::json& at(std::string_view key) const { return json_.at(std::string(key)); }
  std::vector<std::string> keys() const;

  // None, or with a problem noted, if the key is not there or is wrong.
  std::optional<double> number(std::string_view key, double least, double most);
  std::optional<std::int64_t> whole(std::string_view key, std::int64_t least, std::int64_t most);
  std::optional<std::string> word(std::string_view key, std::span<const std::string_view> known);
  std::vector<std::string> words(std::string_view key);

  void problem(std::string_view key, std::string what, std::string remedy);
  void throw_if_any();

 private:
  std::string file_, text_;
  nlohmann::json json_;
  std::vector<Diagnostic> problems_;
};

}  // namespace orrery::astra
