// A straight list of operations and a cursor per rank: the graph of a job whose ranks do one thing
// after another with communication running beside it.
//
// A rank is handed its operations in order. A Compute or Wait holds its cursor until it is
// finished; collectives, sends and receives are handed out and the cursor goes on at once, so their
// finish releases nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "system/operation_source.h"

namespace orrery {

// Work that differs between the ranks of one program, filled in when it is handed out: it costs no
// memory per rank.
class RankWork {
 public:
  virtual ~RankWork() = default;
  // What `operation` is for this rank, peers as its program names them. Entries are numbers from
  // 0 on that the program gives its operations. The same every time it is asked.
  virtual void fill(Rank rank, std::int32_t entry, Operation& operation) = 0;
};

// Immutable, so any number of ranks can share one.
class Program {
 public:
  // Whom sends and receives name: ranks of the job, or distances from the rank that runs the
  // program, so that all pipelines can share it.
  enum class Peers { ranks, distances };

  // REQUIRES: operation i has id i; a Wait names an earlier operation.
  explicit Program(std::vector<Operation> operations, Peers peers = Peers::ranks);

  // The operations with these ids, ascending, are filled in, each with its entry.
  using Entries = std::vector<std::pair<OperationId, std::int32_t>>;
  void fill_in(Entries entries, std::shared_ptr<RankWork> work);
  bool is_filled_in() const { return !entries_.empty(); }

  // The operations from each of these ids on, ascending, are there. The first is 0.
  using Places = std::vector<std::pair<OperationId, OperationPlace>>;
  void set_places(std::shared_ptr<const Places> places) { places_ = std::move(places); }
  OperationPlace place_of(OperationId id) const;

  std::span<const Operation> operations() const { return operations_; }
  Peers peers() const { return peers_; }
  Operation operation_of(Rank rank, OperationId id) const;

 private:
  std::vector<Operation> operations_;
  Peers peers_;
  Entries entries_;
  std::shared_ptr<RankWork> work_;
  std::shared_ptr<const Places> places_;  // null: nowhere
};

class ProgramSource : public OperationSource {
 public:
  // Every rank runs `program`: a cursor is all that a rank costs.
  ProgramSource(std::int32_t ranks, Program program);

  // Rank r runs programs[program_of_rank[r]].
  ProgramSource(std::vector<Program> programs, std::vector<std::int32_t> program_of_rank);

  void start(Rank rank, std::vector<Operation>& ready) override;
  void finish(Rank rank, OperationId id, std::vector<Operation>& ready) override;
  std::int64_t operation_count(Rank rank) const override;
  KnownOperations known_operations(Rank rank) const override;
  bool names_distances(Rank rank) const override;
  OperationPlace place_of(Rank rank, OperationId id) const override;
  std::optional<Operation> find(Rank rank, OperationId id) const override;

  const Program& program_of(Rank rank) const;

 private:
  void advance(Rank rank, std::vector<Operation>& ready);

  std::vector<Program> programs_;
  std::vector<std::int32_t> program_of_rank_;  // empty = all ranks run programs_[0]
  std::vector<OperationId> next_;              // by rank: the operation to hand out next
};

}  // namespace orrery
