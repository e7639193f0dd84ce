// The system JSON and the remote-memory JSON of ASTRA-sim 2.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/base/quoted.h"
#include "core/base/suggestion.h"
#include "formats/astra/json_keys.h"
#include "formats/astra/set_up.h"

namespace orrery::astra {

namespace {

constexpr std::array<std::string_view, 4> kAlgorithmKeys = {
    "all-reduce-implementation", "all-gather-implementation", "reduce-scatter-implementation",
    "all-to-all-implementation"};
constexpr std::int64_t kMostSplits = 1 << 16;

// Keys that change nothing in ASTRA-sim, or nothing here.
struct Unread {
  std::string_view key, sentence;
};
constexpr Unread kUnread[] = {
    {"boost-mode", "ASTRA-sim does not read it"},
    {"intra-dimension-scheduling", "ASTRA-sim 2 does not read it"},
    {"inter-dimension-scheduling",
     "ASTRA-sim 2 does not read it; system.schedule: themis is what it was for"},
    {"local-reduction-delay", "it counts with model-shared-bus only, which is not modelled"},
    {"L", "it counts with model-shared-bus only, which is not modelled"},
    {"o", "it counts with model-shared-bus only, which is not modelled"},
    {"g", "it counts with model-shared-bus only, which is not modelled"},
    {"G", "it counts with model-shared-bus only, which is not modelled"},
    {"trace-enabled", "it writes a log only; orrery run --spans is the like"},
    {"track-local-mem", "it writes a file only"},
    {"local-mem-trace-filename", "it names a file that track-local-mem writes"},
    {"per-node-custom-implementation", "an algorithm for each node is not read"},
};
constexpr std::string_view kRead[] = {"scheduling-policy",
                                      "collective-optimization",
                                      "preferred-dataset-splits",
                                      "active-chunks-per-dimension",
                                      "endpoint-delay",
                                      "local-mem-bw",
                                      "peak-perf",
                                      "roofline-enabled",
                                      "replay-only",
                                      "model-shared-bus"};

// What a key that is not known may be a misspelling of.
std::string meant(const std::string& key) {
  std::vector<std::string_view> known(std::begin(kRead), std::end(kRead));
  known.insert(known.end(), kAlgorithmKeys.begin(), kAlgorithmKeys.end());
  return std::string(nearest(key, known));
}

// The number behind "direct"; none if it is not one.
std::optional<std::int32_t> window_of(std::string_view digits) {
  std::int32_t window = 0;
  const auto [stopped, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), window);
  const bool fits = stopped == digits.data() + digits.size() && error == std::errc() && window > 0;
  return fits ? std::optional(window) : std::nullopt;
}

std::optional<Algorithm> algorithm_of(const std::string& word) {
  using Kind = Algorithm::Kind;
  const auto named = [&](Kind kind, bool flat) {
    return Algorithm{.kind = kind, .flat = flat, .word = word};
  };
  if (word == "ring") return named(Kind::ring, false);
  if (word == "oneRing") return named(Kind::ring, true);
  if (word == "halvingDoubling") return named(Kind::halving_doubling, false);
  if (word == "oneHalvingDoubling") return named(Kind::halving_doubling, true);
  if (word == "doubleBinaryTree") return named(Kind::double_binary_tree, false);
  for (const auto& [name, flat] : {std::pair("direct", false), {"oneDirect", true}}) {
    if (!word.starts_with(name)) continue;
    Algorithm direct = named(Kind::direct, flat);
    const std::string digits = word.substr(std::string_view(name).size());
    if (digits.empty()) return direct;
    const std::optional<std::int32_t> window = window_of(digits);
    if (!window) return std::nullopt;
    direct.window = *window;
    return direct;
  }
  return std::nullopt;
}

class SystemReader {
 public:
  SystemReader(const std::string& file, const std::string& text, std::size_t dimensions)
      : keys_(file, text), dimensions_(dimensions) {
    system_.file = file;
  }

  SystemFile read() {
    read_order();
    read_numbers();
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) read_algorithms(kind);
    note_unread();
    keys_.throw_if_any();
    return std::move(system_);
  }

 private:
  void remark(std::string_view key, std::string sentence) {
    system_.remarks.push_back({std::string(key), std::move(sentence)});
  }

  void read_order() {
    constexpr std::string_view orders[] = {"LIFO", "FIFO", "EXPLICIT"};
    if (const auto word = keys_.word("scheduling-policy", orders))
      system_.order = static_cast<Order>(std::ranges::find(orders, *word) - orders);
    else if (!keys_.has("scheduling-policy"))
      remark("scheduling-policy", "is missing, ASTRA-sim leaves it undefined: LIFO is taken");
    constexpr std::string_view optimizations[] = {"baseline", "localBWAware"};
    if (const auto word = keys_.word("collective-optimization", optimizations))
      system_.bandwidth_aware = *word == "localBWAware";
    else if (!keys_.has("collective-optimization"))
      remark("collective-optimization",
             "is missing, ASTRA-sim leaves it undefined: baseline is taken");
  }

  void read_numbers() {
    if (const auto splits = keys_.whole("preferred-dataset-splits", 1, kMostSplits))
      system_.splits = *splits;
    else if (!keys_.has("preferred-dataset-splits"))
      remark("preferred-dataset-splits",
             "is missing, ASTRA-sim ends with a division by zero: 1 is taken");
    system_.active_chunks = keys_.whole("active-chunks-per-dimension", 1, kMostSplits).value_or(1);
    system_.endpoint_delay = keys_.whole("endpoint-delay", 0, 1'000'000'000).value_or(10);
    if (const auto rate = keys_.number("local-mem-bw", 1e-3, 1e9))
      system_.memory_bandwidth = *rate;
    else if (!keys_.has("local-mem-bw"))
      remark("local-mem-bw", "is missing, ASTRA-sim divides by zero: reductions take no time");
    system_.peak = keys_.number("peak-perf", 0, 1e6).value_or(0);
    system_.roofline = keys_.number("roofline-enabled", 0, 1e9).value_or(0) != 0;
    system_.replay = keys_.number("replay-only", 0, 1e9).value_or(0) != 0;
    system_.shared_bus = keys_.number("model-shared-bus", 0, 1e9).value_or(0) == 1;
    if (system_.shared_bus)
      remark("model-shared-bus", "the bus between NPU and memory is not modelled");
    if (system_.roofline && (system_.peak == 0 || system_.memory_bandwidth == 0))
      keys_.problem("roofline-enabled", "needs peak-perf and local-mem-bw",
                    "write both, or roofline-enabled: 0");
  }

  void read_algorithms(std::size_t kind) {
    const std::string_view key = kAlgorithmKeys[kind];
    const std::string custom = std::string(key) + "-custom";
    if (const std::vector<std::string> prefixes = keys_.words(custom); !prefixes.empty()) {
      system_.custom[kind] = prefixes.front();
      if (prefixes.size() > 1)
        keys_.problem(custom, fmt::format("names {} prefixes", prefixes.size()), "name one");
    }
    std::vector<Algorithm>& algorithms = system_.algorithms[kind];
    for (const std::string& word : keys_.words(key)) {
      if (const std::optional<Algorithm> algorithm = algorithm_of(word))
        algorithms.push_back(*algorithm);
      else
        keys_.problem(key, in_quotes(word) + " is unknown",
                      "write ring, direct, direct4 (four peers at a time), halvingDoubling, "
                      "doubleBinaryTree, oneRing, oneDirect or oneHalvingDoubling");
    }
    if (algorithms.empty()) return;
    if (algorithms.front().flat) {
      if (algorithms.size() > 1)
        keys_.problem(key, "joins all dimensions by its first word, and has more words",
                      fmt::format("write [\"{}\"]", algorithms.front().word));
      return;
    }
    if (std::ranges::any_of(algorithms, &Algorithm::flat))
      keys_.problem(key, "has a word that joins all dimensions behind others",
                    "write that word alone, or none");
    if (algorithms.size() < dimensions_)
      keys_.problem(key,
                    fmt::format("has {} word{}, the network has {} dimensions", algorithms.size(),
                                algorithms.size() == 1 ? "" : "s", dimensions_),
                    "write one for each dimension: ASTRA-sim leaves out the others in silence");
    if (algorithms.size() > dimensions_) {
      remark(key,
             fmt::format("has {} words, the network has {} dimensions: the others are not used",
                         algorithms.size(), dimensions_));
      algorithms.resize(dimensions_);
    }
  }

  void note_unread() {
    for (const std::string& key : keys_.keys()) {
      const auto* unread = std::ranges::find(kUnread, std::string_view(key), &Unread::key);
      if (unread != std::end(kUnread)) {
        remark(key, std::string(unread->sentence));
        continue;
      }
      const bool is_read = std::ranges::find(kRead, key) != std::end(kRead) ||
                           std::ranges::any_of(kAlgorithmKeys, [&](std::string_view known) {
                             return key == known || key == std::string(known) + "-custom";
                           });
      if (is_read) continue;
      remark(key, "is not known, and ASTRA-sim does not read it");
      system_.remarks.back().meant = meant(key);
    }
  }

  JsonKeys keys_;
  std::size_t dimensions_;
  SystemFile system_;
};

}  // namespace

std::optional<std::size_t> index_of(Collective kind) {
  const auto* found = std::ranges::find(kinds, kind);
  if (found == kinds.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kinds.begin());
}

std::string_view key_of(std::size_t kind) { return kAlgorithmKeys[kind]; }

SystemFile read_system(const std::string& file, const std::string& text, std::size_t dimensions) {
  return SystemReader(file, text, dimensions).read();
}

MemoryFile read_memory(const std::string& file, const std::string& text) {
  constexpr std::string_view names[] = {"NO_MEMORY_EXPANSION", "PER_NPU_MEMORY_EXPANSION",
                                        "PER_NODE_MEMORY_EXPANSION", "MEMORY_POOL"};
  JsonKeys keys(file, text);
  MemoryFile memory;
  if (const auto word = keys.word("memory-type", names))
    memory.kind = static_cast<MemoryKind>(std::ranges::find(names, *word) - names);
  else if (!keys.has("memory-type"))
    memory.remarks.push_back({"memory-type",
                              "is missing, ASTRA-sim leaves it undefined: NO_MEMORY_EXPANSION is "
                              "taken"});
  memory.latency = keys.whole("remote-mem-latency", 0, 1'000'000'000'000).value_or(0);
  memory.bandwidth = keys.whole("remote-mem-bw", 1, 1'000'000'000).value_or(1);
  memory.npus_per_node =
      static_cast<std::int32_t>(keys.whole("num-npus-per-node", 1, 1 << 20).value_or(1));
  if (memory.kind != MemoryKind::none && !keys.has("remote-mem-bw"))
    keys.problem("remote-mem-bw", "is missing", "write GB/s of the remote memory");
  if (memory.kind == MemoryKind::per_node && !keys.has("num-npus-per-node"))
    keys.problem("num-npus-per-node", "is missing", "write how many NPUs share a memory");
  keys.throw_if_any();
  return memory;
}

}  // namespace orrery::astra
