#include "formats/chakra/read_message_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/config_error.h"
#include "formats/chakra/trace_nodes.h"
#include "system/collective/message_program.h"
#include "system/collective/program_check.h"

namespace orrery {
namespace chakra {
namespace {

constexpr std::size_t kMostThreads = 32'000;

std::string file_of(const std::string& path, std::size_t rank) {
  std::filesystem::path file(path);
  return file.replace_extension(fmt::format(".{}.et", rank)).string();
}

// A node's message.
struct Letter {
  bool sent;
  Position peer;
  std::int64_t tag;
  Bytes size;
};

// The graph of one rank, and how it falls into threads: a node goes behind one that it depends on
// if nothing else has, and waits for the others.
class LetterGraph {
 public:
  LetterGraph(std::string file, const std::string& bytes, Position rank, Position ranks)
      : file_(std::move(file)), rank_(rank), ranks_(ranks) {
    read_nodes(file_, bytes_of(bytes), [this](Node& node) { nodes_.push_back(std::move(node)); });
    std::stable_sort(nodes_.begin(), nodes_.end(),
                     [](const Node& a, const Node& b) { return a.id < b.id; });
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!index_of_.emplace(nodes_[i].id, i).second)
        refuse(nodes_[i], "another node has the same id", "give each node an id of its own");
      letters_.push_back(letter_of(nodes_[i]));
    }
  }

  const std::vector<std::optional<Letter>>& letters() const { return letters_; }

  // `channels`: of each node with a letter. The unit is a piece.
  std::vector<std::vector<ProgramStep>> threads(const std::vector<std::int32_t>& channels,
                                                std::int64_t unit) const {
    std::vector<std::vector<ProgramStep>> threads;
    std::vector<StepName> place(nodes_.size());
    for (const std::size_t i : order()) {
      const Node& node = nodes_[i];
      std::vector<StepName> after;
      std::int32_t thread = -1;
      for (const std::size_t other : dependencies(node)) {
        const auto& steps = threads[place[other].thread];
        if (thread < 0 && place[other].step + 1 == static_cast<std::int32_t>(steps.size()))
          thread = place[other].thread;
        else
          after.push_back(place[other]);
      }
      if (thread < 0) {
        thread = static_cast<std::int32_t>(threads.size());
        threads.emplace_back();
        if (threads.size() > kMostThreads)
          refuse(node, "too many nodes may run side by side", "split the collective");
      }
      place[i] = {thread, static_cast<std::int32_t>(threads[thread].size())};
      ProgramStep step = step_of(i, channels[i], unit);
      step.after = std::move(after);
      threads[thread].push_back(std::move(step));
    }
    return threads;
  }

 private:
  [[noreturn]] void refuse(const Node& node, std::string what, std::string remedy) const {
    throw ConfigError({.file = file_,
                       .what = fmt::format("node {} ({}): {}", node.id, node.name, what),
                       .remedy = std::move(remedy)});
  }

  std::int64_t required(const Node& node, const char* attribute, std::int64_t least,
                        std::int64_t most) const {
    const std::optional<std::int64_t> value = node.number(attribute);
    if (!value) refuse(node, fmt::format("it has no number {}", attribute), "write the attribute");
    if (*value < least || *value > most)
      refuse(node, fmt::format("{} is {}", attribute, *value),
             fmt::format("it must be from {} to {}", least, most));
    return *value;
  }

  std::optional<Letter> letter_of(const Node& node) const {
    switch (node.type) {
      case NodeType::metadata:
      case NodeType::compute:
        return std::nullopt;
      case NodeType::send:
      case NodeType::receive:
        break;
      default:
        refuse(node,
               fmt::format("nodes of type {} have no place in a collective", name_of(node.type)),
               "these have: send, receive, compute, metadata");
    }
    const bool sent = node.type == NodeType::send;
    const auto peer =
        static_cast<Position>(required(node, sent ? "comm_dst" : "comm_src", 0, ranks_ - 1));
    if (peer == rank_) refuse(node, "its peer is the rank itself", "name another rank");
    return Letter{sent, peer, node.number("comm_tag").value_or(0),
                  bytes(required(node, "comm_size", 1, std::int64_t{1} << 50))};
  }

  std::vector<std::size_t> dependencies(const Node& node) const {
    std::vector<std::size_t> result;
    for (const auto* ids : {&node.data_dependencies, &node.control_dependencies})
      for (const std::uint64_t id : *ids) {
        const auto found = index_of_.find(id);
        if (found == index_of_.end())
          refuse(node, fmt::format("it depends on node {}, which is not there", id),
                 "check data_deps and ctrl_deps");
        if (std::find(result.begin(), result.end(), found->second) == result.end())
          result.push_back(found->second);
      }
    return result;
  }

  // Nodes behind all that they depend on, else by id.
  std::vector<std::size_t> order() const {
    std::vector<std::vector<std::size_t>> followers(nodes_.size());
    std::vector<std::size_t> missing(nodes_.size()), ready, result;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const std::vector<std::size_t> before = dependencies(nodes_[i]);
      missing[i] = before.size();
      for (const std::size_t other : before) followers[other].push_back(i);
      if (before.empty()) ready.push_back(i);
    }
    for (std::size_t next = 0; next < ready.size(); ++next) {
      result.push_back(ready[next]);
      for (const std::size_t follower : followers[ready[next]])
        if (--missing[follower] == 0) ready.push_back(follower);
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (missing[i] > 0)
        refuse(nodes_[i], "it depends on itself, by way of others perhaps",
               "check data_deps and ctrl_deps");
    return result;
  }

  ProgramStep step_of(std::size_t i, std::int32_t channel, std::int64_t unit) const {
    ProgramStep step;
    step.number = static_cast<std::int64_t>(nodes_[i].id);
    if (nodes_[i].type == NodeType::compute) {
      step.kind = StepKind::compute;
      step.compute = nodes_[i].duration;
    }
    if (const std::optional<Letter>& letter = letters_[i]) {
      step.kind = letter->sent ? StepKind::send : StepKind::receive;
      step.peer = letter->peer;
      step.channel = channel;
      step.count = static_cast<std::int32_t>(letter->size.value / unit);
    }
    return step;
  }

  std::string file_;
  Position rank_, ranks_;
  std::vector<Node> nodes_;
  std::map<std::uint64_t, std::size_t> index_of_;
  std::vector<std::optional<Letter>> letters_;
};

// The k-th send and the k-th receive of a pair and tag get a channel of their own.
std::vector<std::vector<std::int32_t>> match(const std::vector<LetterGraph>& graphs) {
  using Key = std::tuple<Position, Position, std::int64_t, std::int32_t>;  // from, to, tag, k
  std::map<Key, std::int32_t> channels;
  std::vector<std::vector<std::int32_t>> result;
  for (std::size_t rank = 0; rank < graphs.size(); ++rank) {
    std::map<std::tuple<bool, Position, std::int64_t>, std::int32_t> count;
    auto& mine = result.emplace_back();
    for (const std::optional<Letter>& letter : graphs[rank].letters()) {
      mine.push_back(0);
      if (!letter) continue;
      const auto self = static_cast<Position>(rank);
      const std::int32_t k = count[{letter->sent, letter->peer, letter->tag}]++;
      const Key key{letter->sent ? self : letter->peer, letter->sent ? letter->peer : self,
                    letter->tag, k};
      mine.back() =
          channels.try_emplace(key, static_cast<std::int32_t>(channels.size())).first->second;
    }
  }
  return result;
}

}  // namespace
}  // namespace chakra

std::vector<std::string> message_graph_files(InputTexts& texts, const std::string& path) {
  std::vector<std::string> files{chakra::file_of(path, 0)};
  for (std::string file = chakra::file_of(path, 1); texts.can_read(file);
       file = chakra::file_of(path, files.size()))
    files.push_back(file);
  return files;
}

CustomAlgorithm read_message_graph(InputTexts& texts, const std::string& path, Collective kind,
                                   Bytes size) {
  const std::vector<std::string> files = message_graph_files(texts, path);
  const std::size_t ranks = files.size();
  std::vector<chakra::LetterGraph> graphs;
  std::int64_t unit = size.value;
  Bytes largest;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    graphs.emplace_back(files[rank], texts.read(files[rank]), static_cast<Position>(rank),
                        static_cast<Position>(ranks));
    for (const auto& letter : graphs.back().letters()) {
      if (!letter) continue;
      unit = std::gcd(unit, letter->size.value);
      largest = std::max(largest, letter->size);
    }
  }
  const auto refuse = [&](std::string what, std::string remedy) {
    throw ConfigError({.file = path, .what = std::move(what), .remedy = std::move(remedy)});
  };
  constexpr std::int64_t kMostPieces = 1 << 30;
  if (largest > size || size.value / unit > kMostPieces)
    refuse(fmt::format("a message of {} bytes in a collective of {}, which has {} of their common "
                       "unit of {} bytes",
                       largest.value, size.value, size.value / unit, unit),
           "let custom_size be the size of the collective that the graph was made for");
  MessageProgram program{.kind = kind,
                         .pieces = static_cast<std::int32_t>(size.value / unit),
                         .tracks_data = false,
                         .sends_leave = true,
                         .ranks = {}};
  const auto channels = chakra::match(graphs);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    program.ranks.push_back({.threads = graphs[rank].threads(channels[rank], unit)});
  const ProgramExecution execution = execute(program);
  if (execution.fault)
    refuse(fmt::format("this cannot be the {} of {} ranks: {}", name_of(kind), ranks,
                       execution.fault->what),
           "an algorithm must be right before it is worth timing");
  return make_explicit_algorithm(program, execution);
}

}  // namespace orrery
