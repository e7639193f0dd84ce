#include "workload/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "core/base/check.h"
#include "core/base/hash.h"
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
          std::int64_t{work.lane} * 2 + (work.beside_communication ? 1 : 0),
          enumerated(work.kernel),
          work.shape.rows,
          (std::int64_t{work.shape.columns} << 32) | work.shape.depth,
          work.keys};
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

// The same as rows of what each operation waits for.
Graph::Predecessors rows_of(std::span<const Graph::Edge> edges, std::size_t operations) {
  const auto count = static_cast<std::int32_t>(operations);
  Graph::Predecessors rows;
  rows.first.assign(operations + 1, 0);
  for (const auto& [before, after] : edges) {
    CHECK(before >= 0 && before < count && after >= 0 && after < count && before != after,
          "an edge from {} to {} among {} operations", before, after, count);
    ++rows.first[after + 1];
  }
  for (std::size_t i = 0; i < operations; ++i) rows.first[i + 1] += rows.first[i];
  std::vector<std::uint32_t> next(rows.first.begin(), rows.first.end() - 1);
  rows.before.resize(edges.size());
  for (const auto& [before, after] : edges) rows.before[next[after]++] = before;
  return rows;
}

}  // namespace

Graph::Graph(const std::vector<Operation>& operations, std::span<const Edge> edges) {
  operations_.reserve(operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    CHECK(operations[i].id == static_cast<OperationId>(i), "operation {} of a graph has id {}", i,
          operations[i].id);
    operations_.emplace_back(operations[i], others_);
  }
  connect(rows_of(edges, operations.size()));
}

Graph::Graph(std::vector<PackedOperation> operations, PackedOperation::Others others,
             const Predecessors& predecessors)
    : operations_(std::move(operations)), others_(std::move(others)) {
  connect(predecessors);
}

void Graph::connect(const Predecessors& predecessors) {
  const std::size_t count = operations_.size();
  CHECK(predecessors.first.size() == count + 1, "{} rows of {} operations",
        predecessors.first.size(), count);
  first_.assign(count + 1, 0);
  predecessors_.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    predecessors_[i] = static_cast<std::int32_t>(predecessors.first[i + 1] - predecessors.first[i]);
  for (const std::int32_t before : predecessors.before) ++first_[before + 1];
  for (std::size_t i = 0; i < count; ++i) first_[i + 1] += first_[i];
  followers_.resize(predecessors.before.size());
  // Each row's beginning moves to its end, which is where the next one begins.
  for (std::size_t i = 0; i < count; ++i)
    for (std::uint32_t k = predecessors.first[i]; k < predecessors.first[i + 1]; ++k)
      followers_[first_[predecessors.before[k]]++] = static_cast<std::int32_t>(i);
  for (std::size_t i = count; i > 0; --i) first_[i] = first_[i - 1];
  first_[0] = 0;
  digest_ = make_digest();
}

Operation Graph::operation(std::size_t id) const {
  Operation result = operations_[id].unpacked(others_);
  result.id = static_cast<OperationId>(id);
  return result;
}

std::uint64_t Graph::make_digest() const {
  std::uint64_t digest = operations_.size();
  for (const PackedOperation& operation : operations_) digest = operation.digest_after(digest);
  for (const Operation& other : others_)
    for (const std::int64_t word : content_of(other))
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
         operations_ == other.operations_ && std::ranges::equal(others_, other.others_, same);
}

std::size_t Graph::bytes_of_memory() const {
  return operations_.capacity() * sizeof(PackedOperation) + others_.capacity() * sizeof(Operation) +
         first_.capacity() * sizeof(std::uint32_t) +
         (followers_.capacity() + predecessors_.capacity()) * sizeof(std::int32_t);
}

std::string difference_of(const Graph& a, const Graph& b) {
  const KnownOperations left = a.operations(), right = b.operations();
  const std::size_t both = std::min(left.size(), right.size());
  for (std::size_t i = 0; i < both; ++i) {
    const Operation one = left[i], other = right[i];
    if (content_of(one) != content_of(other)) {
      const std::string first = text_of(one), second = text_of(other);
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
