#include "workload/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "core/base/check.h"
#include "core/units/unit_text.h"

namespace orrery {

namespace {

// All that an operation says, as numbers.
using Content = std::array<std::int64_t, 8>;

std::int64_t enumerated(auto value) { return static_cast<std::int64_t>(value); }

Content content_of(const Compute& work) {
  return {work.measured ? work.measured->value : -1,
          static_cast<std::int64_t>(work.flops.value),
          work.memory_traffic.value,
          work.lane,
          enumerated(work.kernel),
          work.shape.rows,
          (std::int64_t{work.shape.columns} << 32) | work.shape.depth};
}
Content content_of(const CollectiveCall& call) {
  return {enumerated(call.kind),     call.communicator, call.size.value, call.number,
          enumerated(call.priority), call.update.value, call.root};
}
Content content_of(const SendCall& call) {
  return {call.to, call.size.value, call.tag, call.number};
}
Content content_of(const ReceiveCall& call) {
  return {call.from, call.size.value, call.tag, call.number};
}
Content content_of(const Wait& wait) { return {wait.operation}; }

Content content_of(const Operation& operation) {
  Content content = std::visit([](const auto& what) { return content_of(what); }, operation.what);
  content.back() = (std::int64_t{operation.label} << 3) | enumerated(operation.what.index());
  return content;
}

std::string text_of(const Operation& operation) {
  if (const auto* work = std::get_if<Compute>(&operation.what))
    return work->measured ? "work of " + to_text(*work->measured) : "work";
  if (const auto* call = std::get_if<CollectiveCall>(&operation.what))
    return fmt::format("{} of {} B", name_of(call->kind), call->size.value);
  if (const auto* send = std::get_if<SendCall>(&operation.what))
    return fmt::format("send of {} B over {} ranks", send->size.value, send->to);
  const auto& receive = std::get<ReceiveCall>(operation.what);
  return fmt::format("receive of {} B over {} ranks", receive.size.value, receive.from);
}

// What counts is that equal words give equal digests: graphs with one digest are compared.
std::uint64_t mixed(std::uint64_t digest, std::uint64_t word) {
  digest = (digest ^ word) * 0x9E3779B97F4A7C15ULL;
  return digest ^ digest >> 29;
}

}  // namespace

Graph::Graph(std::vector<Operation> operations, std::span<const Edge> edges)
    : operations_(std::move(operations)),
      first_(operations_.size() + 1),
      followers_(edges.size()),
      predecessors_(operations_.size()) {
  const auto count = static_cast<std::int32_t>(operations_.size());
  for (std::int32_t i = 0; i < count; ++i)
    CHECK(operations_[i].id == i && !std::holds_alternative<Wait>(operations_[i].what),
          "operation {} of a graph has id {}, or waits", i, operations_[i].id);
  for (const auto& [before, after] : edges) {
    CHECK(before >= 0 && before < count && after >= 0 && after < count && before != after,
          "an edge from {} to {} among {} operations", before, after, count);
    ++first_[before + 1];
    ++predecessors_[after];
  }
  for (std::int32_t i = 0; i < count; ++i) first_[i + 1] += first_[i];
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (const auto& [before, after] : edges) followers_[next[before]++] = after;
  for (std::int32_t i = 0; i < count; ++i)
    std::sort(followers_.begin() + first_[i], followers_.begin() + first_[i + 1]);
  digest_ = make_digest();
}

std::uint64_t Graph::make_digest() const {
  std::uint64_t digest = operations_.size();
  for (const Operation& operation : operations_)
    for (const std::int64_t word : content_of(operation))
      digest = mixed(digest, static_cast<std::uint64_t>(word));
  for (const std::uint32_t row : first_) digest = mixed(digest, row);
  for (const std::int32_t follower : followers_)
    digest = mixed(digest, static_cast<std::uint64_t>(follower));
  return digest;
}

bool Graph::operator==(const Graph& other) const {
  const auto same = [](const Operation& a, const Operation& b) {
    return content_of(a) == content_of(b);
  };
  return digest_ == other.digest_ && first_ == other.first_ && followers_ == other.followers_ &&
         std::ranges::equal(operations_, other.operations_, same);
}

std::string difference_of(const Graph& a, const Graph& b) {
  const std::span<const Operation> left = a.operations(), right = b.operations();
  const std::size_t both = std::min(left.size(), right.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (content_of(left[i]) != content_of(right[i])) {
      const std::string first = text_of(left[i]), second = text_of(right[i]);
      if (first == second) return fmt::format("node {} is another {}", i, first);
      return fmt::format("node {} is a {}, not a {}", i, first, second);
    }
    if (a.predecessors()[i] != b.predecessors()[i])
      return fmt::format("node {} waits for {} nodes, not for {}", i, a.predecessors()[i],
                         b.predecessors()[i]);
  }
  if (left.size() != right.size())
    return fmt::format("it has {} nodes, not {}", left.size(), right.size());
  return a == b ? "" : "nodes wait for other nodes";
}

}  // namespace orrery
