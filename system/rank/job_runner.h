// Runs a job: takes each rank's operations from the source, computes, calls collectives and
// transfers, and accounts for every picosecond of every rank.
//
// A rank has one stream of Compute and Wait operations, done one at a time in the order handed out;
// collectives, sends and receives run beside it. Three sums per rank, each taken from something
// else:
//   compute  the durations of its Compute operations, with what communication stole from them
//            (processor.h)
//   exposed  the time in Wait operations (and, when the stream has run dry, the time until the last
//            outstanding communication is complete)
//   idle     the time with an empty stream and no communication outstanding
// They add up to the time at which the rank finished. In a job with lanes (rank_lanes.h) what a
// rank does at a time is the first of: compute, some lane of its processor works; exposed,
// communication is outstanding; memory; host; idle. Exposed time is also summed by kind of traffic
// (traffic_account.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/event/event_queue.h"
#include "core/trace/trace_sink.h"
#include "core/units/total.h"
#include "network/network_backend.h"
#include "network/topology/topology.h"
#include "system/compute_model.h"
#include "system/endpoint/endpoint_backend.h"
#include "system/job.h"
#include "system/rank/collective_scheduler.h"
#include "system/rank/folding.h"
#include "system/rank/operation_stream.h"
#include "system/rank/point_to_point.h"
#include "system/rank/processor.h"
#include "system/rank/rank_lanes.h"
#include "system/rank/remote_memory.h"
#include "system/rank/traffic_account.h"
#include "system/rank/work_ahead.h"
#include "system/system_spec.h"

namespace orrery {

struct RankAccount {
  Time finish;
  Duration compute, exposed, idle;
  Duration memory, host;  // of a job with lanes
  Duration stolen;        // of compute: how much longer it took because of collectives beside it
  TotalFlops computed;    // operations of the work that has begun, as the job states them
};

// What computing cost a rank, by the limit of the device that set it (ComputeModel::limit_of).
struct ComputeAccount {
  using ByLimit = std::array<Duration, compute_limit_count>;
  ByLimit passes = {}, outside = {};  // of labels with a pass, and of all others
  Duration slowed;                    // beyond the time of the device itself: jitter, stragglers
};

class JobRunner final : private CollectiveListener,
                        private PointToPointListener,
                        private ProcessorListener {
 public:
  // REQUIRES: all references outlive the runner; job.ranks == topology.npu_count().
  JobRunner(EventQueue& queue, NetworkBackend& network, const Topology& topology,
            const SystemSpec& spec, Job& job, const ComputeModel& compute, TraceSink& sink,
            Folding folding = Folding::off);

  // If the job is folded, some ranks stand for all of them (folding.h), and are the only ones of
  // which sinks see spans and account() may be asked.
  const Fold& fold() const { return fold_; }
  const std::string& unfolded_because() const { return unfolded_because_; }  // "" if folded
  WorkAhead work_ahead() {
    return orrery::work_ahead(job_, topology_, fold_, scheduler_.recipes());
  }
  std::int32_t simulated_ranks() const { return job_.ranks / fold_.multiplicity(); }

  // Schedules the first operations of every rank. Then run the queue until it is empty.
  void start();

  // For a run that stopped unfinished: emits the spans that are still open, up to now, so that what
  // the sinks saw adds up to the accounts.
  void emit_open_spans();

  // The queue has run dry and the job is not finished: if ranks wait for each other because of
  // limits on chunks in flight, lets one chunk begin beyond them. False if that is not the reason.
  bool unblock() { return scheduler_.start_beyond_limit(); }
  std::int64_t unblocked() const { return scheduler_.started_beyond_limit(); }

  // CollectiveScheduler::steps().
  std::int64_t scheduling_steps() const { return scheduler_.steps(); }

  // True when every operation of every rank is finished.
  bool finished() const { return unfinished_ranks_ == 0; }
  // Finished, and every message was received: what is left to happen (acknowledgements, faults) is
  // no part of the job. The queue's run(stop) asks when it may be so.
  bool done() const { return finished() && transfers_.all_received(); }
  // Finished operations over all operations.
  double progress() const;

  // Up to now, or to the rank's end: compute + exposed + memory + host + idle == finish, to the
  // picosecond.
  RankAccount account(Rank rank) const;

  // What is over, for each kind of traffic; a rank has none of the kinds that only others have,
  // which come last. REQUIRES: as account().
  const std::vector<TrafficAccount>& traffic(Rank rank) const { return state_of(rank).traffic; }
  // Of the compute that is over, without what was stolen. REQUIRES: as account().
  const ComputeAccount& computing(Rank rank) const { return state_of(rank).computing; }
  const std::vector<std::string>& traffic_kinds() const { return kinds_.names(); }

  // What the messages of a rank spent in its endpoints; none if endpoints cost nothing.
  std::optional<EndpointAccount> endpoint_account(Rank rank) const {
    if (endpoints_ == nullptr) return std::nullopt;
    return endpoints_->account(rank);
  }

  // What was chosen for calls whose settings depend on their size or are automatic.
  const Selection& selection() const { return scheduler_.selection(); }

  // Of the first collective of a label; none if it called none.
  const std::optional<CallReport>& call_of(std::int32_t label) const { return calls_[label]; }

  // Messages that arrived and that no operation received, one text a channel.
  std::vector<std::string> unreceived() const;

  // Who waits for whom, one line a rank (at most `most` ranks). For a run that stopped unfinished.
  std::string describe_stuck(int most) const;

 private:
  struct Outstanding {  // a collective, send or receive that is not finished
    Operation operation;
    Time issued;
    Time joined;  // all who take part have come; once it is complete
  };
  using OutstandingById = std::map<OperationId, Outstanding>;
  struct RankState {
    OperationStream stream;
    bool busy = false;  // the front of the stream has begun
    Time mark;          // since then: the front runs, or the stream is empty
    OutstandingById outstanding;
    std::int64_t finished_operations = 0, operations = 0;
    Duration compute, exposed, idle, stolen;
    TotalFlops computed;
    std::vector<TrafficAccount> traffic;  // of each kind
    ComputeAccount computing;
    ComputeLimit limit = ComputeLimit::rate;  // of the work at the front, and how much longer
    Duration slowed;                          // it takes than on the device itself
    Time finish;
  };

  RankState& state_of(Rank rank) { return ranks_[fold_.index_of(rank)]; }
  const RankState& state_of(Rank rank) const { return ranks_[fold_.index_of(rank)]; }
  void choose_fold(NetworkBackend& network, const Topology& topology, Folding folding);
  void accept(Rank rank, std::vector<Operation>& ready);
  void name_iteration(Operation& operation) const;
  void issue(Rank rank, const Operation& operation);
  std::int64_t taken_by(const Operation& operation) const;
  void note_outstanding(RankState& state, const Operation& operation);
  void run_stream(Rank rank);
  void finish_front(Rank rank, std::uint8_t detail, Time joined);
  void close_dry_interval(Rank rank, const Operation& next, Time joined);
  void waited(RankState& state, std::int32_t label, Time joined);
  void begin_traffic(Rank rank, const Operation& operation);
  void compute(Rank rank, const Operation& operation, const Compute& work);
  void collective_finished(Rank rank, OperationId operation, Time joined) override;
  void transfer_finished(Rank rank, OperationId operation, Time sent) override;
  Duration time_of(Rank rank, const Operation& operation, const Compute& work) const;
  void work_done(Rank rank, OperationId operation, Duration work, Duration stolen) override;
  void finish_communication(Rank rank, OperationId operation, Time joined);
  void settle(Rank rank, OperationId operation);
  void operation_finished(Rank rank, OperationId operation);
  const Outstanding* find_outstanding(const RankState& state, OperationId operation) const;
  std::string describe(Rank rank, const Operation& operation) const;
  Duration computed_until_now(Rank rank) const;
  void add_open_interval(Rank rank, RankAccount& account) const;
  void emit_exposed(Rank rank, const Operation& waited_for);

  // job_lanes.cc: the same for a job with lanes
  bool has_lanes(Rank rank) const {
    return !lanes_.empty() && (job_.without_lanes.empty() || !job_.without_lanes[rank]);
  }
  bool shares_remote_memory() const;
  RankLanes& lanes_of(Rank rank) { return lanes_[fold_.index_of(rank)]; }
  const RankLanes& lanes_of(Rank rank) const { return lanes_[fold_.index_of(rank)]; }
  void run_lanes(Rank rank);
  void begin_on_lane(Rank rank, const Operation& operation);
  void lane_done(Rank rank, OperationId operation, Duration stolen);
  Duration lane_time(Rank rank, const Operation& operation);
  RankLanes::Doing doing(Rank rank) const;
  void close_lane_interval(Rank rank, RankLanes::Doing doing, const Operation* ended, Time joined);
  const Operation* waited_for(Rank rank) const;
  static void add_to_account(RankLanes::Doing doing, Duration passed, RankAccount& account);
  void emit_open_lanes(Rank rank);

  EventQueue& queue_;
  Job& job_;
  const Topology& topology_;
  const SystemSpec& spec_;
  const ComputeModel& compute_;
  bool ranks_differ_;  // ComputeModel::why_ranks_differ()
  TraceSink& sink_;
  std::unique_ptr<EndpointBackend> endpoints_;  // over the network, if they cost anything
  std::vector<std::int64_t> in_node_;  // of a communicator that leaves the node, its ranks in one
  Processors processors_;
  CollectiveScheduler scheduler_;
  PointToPoint transfers_;
  TrafficKinds kinds_;
  Fold fold_;
  std::string unfolded_because_;
  std::vector<RankState> ranks_;  // of representatives
  std::vector<RankLanes> lanes_;  // likewise; empty if the job has no lanes
  std::optional<RemoteMemory> memory_;
  std::vector<std::optional<CallReport>> calls_;  // of each label that has called a collective
  std::vector<const CommunicationCost*> costs_;   // likewise
  // Memory that is used again: a list of operations, and entries of RankState::outstanding.
  std::vector<Operation> spare_list_;
  std::vector<OutstandingById::node_type> spare_entries_;
  std::int32_t unfinished_ranks_ = 0;
  std::int64_t operations_ = 0, finished_operations_ = 0;
};

}  // namespace orrery
