#include "workload/graph/program.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/check.h"

namespace orrery {

namespace {

bool holds_rank(const Operation& operation) {
  return std::holds_alternative<Compute>(operation.what) ||
         std::holds_alternative<Wait>(operation.what);
}

}  // namespace

Program::Program(std::vector<Operation> operations, Peers peers)
    : operations_(std::move(operations)), peers_(peers) {
  OperationId expected = 0;
  for (const Operation& operation : operations_) {
    CHECK(operation.id == expected, "operation {} has id {}", expected, operation.id);
    if (const Wait* wait = std::get_if<Wait>(&operation.what)) {
      CHECK(wait->operation >= 0 && wait->operation < operation.id,
            "operation {} waits for operation {}", operation.id, wait->operation);
    }
    ++expected;
  }
}

void Program::fill_in(Entries entries, std::shared_ptr<RankWork> work) {
  CHECK(std::is_sorted(entries.begin(), entries.end()), "{} entries out of order", entries.size());
  entries_ = std::move(entries);
  work_ = std::move(work);
}

Operation Program::operation_of(Rank rank, OperationId id) const {
  Operation operation = operations_[id];
  if (!entries_.empty()) {
    const auto entry = std::lower_bound(entries_.begin(), entries_.end(), std::pair(id, 0));
    if (entry != entries_.end() && entry->first == id) work_->fill(rank, entry->second, operation);
  }
  if (peers_ == Peers::ranks) return operation;
  if (auto* send = std::get_if<SendCall>(&operation.what)) send->to += rank;
  if (auto* receive = std::get_if<ReceiveCall>(&operation.what)) receive->from += rank;
  return operation;
}

OperationPlace Program::place_of(OperationId id) const {
  if (places_ == nullptr) return {};
  const auto behind =
      std::upper_bound(places_->begin(), places_->end(), id,
                       [](OperationId wanted, const auto& place) { return wanted < place.first; });
  return behind == places_->begin() ? OperationPlace{} : std::prev(behind)->second;
}

ProgramSource::ProgramSource(std::int32_t ranks, Program program)
    : next_(static_cast<std::size_t>(ranks), 0) {
  programs_.push_back(std::move(program));
}

ProgramSource::ProgramSource(std::vector<Program> programs,
                             std::vector<std::int32_t> program_of_rank)
    : programs_(std::move(programs)),
      program_of_rank_(std::move(program_of_rank)),
      next_(program_of_rank_.size(), 0) {
  const auto count = static_cast<std::int32_t>(programs_.size());
  for (const std::int32_t index : program_of_rank_) {
    CHECK(index >= 0 && index < count, "there is no program {} among {}", index, count);
  }
}

const Program& ProgramSource::program_of(Rank rank) const {
  return programs_[program_of_rank_.empty() ? 0 : program_of_rank_[rank]];
}

void ProgramSource::start(Rank rank, std::vector<Operation>& ready) { advance(rank, ready); }

void ProgramSource::finish(Rank rank, OperationId id, std::vector<Operation>& ready) {
  DCHECK(id >= 0 && id < next_[rank], "rank {} finished operation {} before it began", rank, id);
  // What holds the rank is always the operation handed out last. If that one holds nothing, the
  // program is at its end and there is nothing to hand out.
  if (id + 1 == next_[rank]) advance(rank, ready);
}

std::int64_t ProgramSource::operation_count(Rank rank) const {
  return static_cast<std::int64_t>(program_of(rank).operations().size());
}

KnownOperations ProgramSource::known_operations(Rank rank) const {
  const Program& program = program_of(rank);
  if (program.is_filled_in()) return {};
  return KnownOperations(program.operations());
}

bool ProgramSource::names_distances(Rank rank) const {
  return program_of(rank).peers() == Program::Peers::distances;
}

OperationPlace ProgramSource::place_of(Rank rank, OperationId id) const {
  return program_of(rank).place_of(id);
}

std::optional<Operation> ProgramSource::find(Rank rank, OperationId id) const {
  return program_of(rank).operation_of(rank, id);
}

void ProgramSource::advance(Rank rank, std::vector<Operation>& ready) {
  const Program& program = program_of(rank);
  const auto end = static_cast<OperationId>(program.operations().size());
  OperationId& next = next_[rank];
  while (next < end) {
    ready.push_back(program.operation_of(rank, next++));
    if (holds_rank(ready.back())) return;
  }
}

}  // namespace orrery
