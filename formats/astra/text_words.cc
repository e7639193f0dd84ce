#include "formats/astra/text_words.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/base/edit_distance.h"

namespace orrery::astra {

namespace {

constexpr std::array kPolicies = {
    PolicyWord{"DATA", ParallelismPolicy::data},
    PolicyWord{"MODEL", ParallelismPolicy::model},
    PolicyWord{"HYBRID_DATA_MODEL", ParallelismPolicy::hybrid_data_model},
    PolicyWord{"HYBRID_MODEL_DATA", ParallelismPolicy::hybrid_model_data},
    PolicyWord{"HYBRID_DLRM", ParallelismPolicy::hybrid_dlrm},
    PolicyWord{"HYBRID_DLRM_ENHANCED", ParallelismPolicy::hybrid_dlrm_enhanced},
    PolicyWord{"DISTRIBUTED_INFERENCE", ParallelismPolicy::distributed_inference},
    PolicyWord{"MICRO", ParallelismPolicy::micro},
    PolicyWord{"HYBRID_TRANSFORMER", ParallelismPolicy::hybrid_transformer},
    PolicyWord{"HYBRID_TRANSFORMER_FWD_IN_BCKWD", ParallelismPolicy::hybrid_transformer},
    PolicyWord{"HYBRID_CUSTOMIZED", ParallelismPolicy::hybrid_customized},
};
constexpr std::array kLayerPolicies = {kPolicies[0], kPolicies[1], kPolicies[2], kPolicies[3]};

constexpr std::array kCollectives = {
    CollectiveWord{"NONE", std::nullopt},
    CollectiveWord{"ALLREDUCE", Collective::all_reduce},
    CollectiveWord{"ALLTOALL", Collective::all_to_all},
    CollectiveWord{"ALLGATHER", Collective::all_gather},
    CollectiveWord{"REDUCESCATTER", Collective::reduce_scatter},
    CollectiveWord{"BROADCAST", Collective::broadcast},
};

// What SimAI's files have behind a collective, the longer one first.
struct GroupSuffix {
  std::string_view suffix;
  PassGroup group;
};
constexpr std::array kSuffixes = {
    GroupSuffix{"_DP_EP", PassGroup::expert_data},
    GroupSuffix{"_EP", PassGroup::experts},
};

std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

// "known: DATA, MODEL": what we can read.
template <class Words>
std::string known_words(const Words& words) {
  std::string list;
  for (const auto& word : words) list += (list.empty() ? "known: " : ", ") + std::string(word.word);
  return list;
}

// `did you mean MODEL? (known: ...)`, or only what is known when nothing is near.
template <class Words>
std::string suggestion(std::string_view word, const Words& words) {
  std::string_view nearest;
  std::size_t least = 4;  // this many letters wrong are no misspelling
  for (const auto& candidate : words) {
    const std::size_t length = candidate.word.size();
    if (word.size() > 2 * length) continue;
    const std::size_t distance = edit_distance(upper_case(word), candidate.word);
    if (distance < least && distance <= 1 + length / 3) least = distance, nearest = candidate.word;
  }
  if (nearest.empty()) return known_words(words);
  return "did you mean " + std::string(nearest) + "? (" + known_words(words) + ")";
}

template <class Words>
auto find(std::string_view word, const Words& words) {
  const auto found = std::ranges::find(words, word, &Words::value_type::word);
  return found == words.end() ? nullptr : &*found;
}

}  // namespace

const PolicyWord* find_policy(std::string_view word) { return find(word, kPolicies); }
std::string suggest_policy(std::string_view word) { return suggestion(word, kPolicies); }
const PolicyWord* find_layer_policy(std::string_view word) { return find(word, kLayerPolicies); }
std::string suggest_layer_policy(std::string_view word) { return suggestion(word, kLayerPolicies); }

const CollectiveWord* find_collective(std::string_view word) { return find(word, kCollectives); }
std::string suggest_collective(std::string_view word) { return suggestion(word, kCollectives); }

PassGroup take_group(std::string_view& collective) {
  for (const GroupSuffix& known : kSuffixes) {
    if (!collective.ends_with(known.suffix)) continue;
    collective.remove_suffix(known.suffix.size());
    return known.group;
  }
  return PassGroup::usual;
}

bool is_printable(char c) { return c >= ' ' && c <= '~'; }

std::string with_question_marks(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (!is_printable(c) && c != '\t') c = '?';
  }
  return result;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t most = 40;
  if (text.size() <= most) return '"' + with_question_marks(text) + '"';
  return '"' + with_question_marks(text.substr(0, most)) + "...\"";
}

}  // namespace orrery::astra
