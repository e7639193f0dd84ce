// The words of a text workload (text_workload.h): its policies and collectives, and what to suggest
// for one that is unknown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "workload/layer_table.h"

namespace orrery::astra {

struct PolicyWord {
  std::string_view word;
  ParallelismPolicy policy;
};
const PolicyWord* find_policy(std::string_view word);  // nullptr if it is unknown
std::string suggest_policy(std::string_view word);
// Of a layer of HYBRID_CUSTOMIZED.
const PolicyWord* find_layer_policy(std::string_view word);
std::string suggest_layer_policy(std::string_view word);

struct CollectiveWord {
  std::string_view word;
  std::optional<Collective> collective;  // none = exchanges nothing
};
const CollectiveWord* find_collective(std::string_view word);  // nullptr if it is unknown
std::string suggest_collective(std::string_view word);

// What SimAI's files have behind a collective: removes the suffix and returns what it says.
PassGroup take_group(std::string_view& collective);

bool is_printable(char c);
std::string with_question_marks(std::string_view text);  // for what is not printable
std::string quoted(std::string_view text);

}  // namespace orrery::astra
