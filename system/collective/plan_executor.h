// Runs plans on a network backend: the one executor of every algorithm, collective and topology.
//
// A run is one plan over the ranks of one dimension of a group: a chunk in one of its phases. Each
// rank starts its part when its scheduler says so; messages that arrive before that, or for a later
// stage, are kept. Per message the executor does one table look-up and asks the plan for the next
// send; it allocates nothing in steady state.
//
// Endpoint costs (docs/models/endpoint.md): a message is handed to the network `endpoint_delay`
// after the stage that sends it began, and counts as arrived `endpoint_delay` after its delivery,
// plus the time to add it up if it is to be added. A protocol's step comes before the first; its
// flags are bytes like others: with an efficiency a message is that much larger.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/event/event_queue.h"
#include "core/units/share.h"
#include "core/units/units.h"
#include "network/network_backend.h"
#include "system/collective/group.h"
#include "system/collective/part_sizes.h"
#include "system/collective/piece_sizes.h"
#include "system/collective/stage_gates.h"
#include "system/collective_algorithm.h"
#include "system/operation_source.h"

namespace orrery {

class RunListener {
 public:
  // The rank's part of the run is complete: all arrivals are in, all its sends have left. `last` is
  // true if the number of the run is free afterwards: for its last rank, unless its switch has
  // still to send. Never from inside start().
  virtual void run_finished(std::uint32_t run, Position position, bool last) = 0;

 protected:
  ~RunListener() = default;
};

struct RunSpec {
  const Plan* plan = nullptr;                   // outlives the run
  std::int32_t size = 0;                        // of the group
  RankLine ranks;                               // of its positions
  std::int32_t stride = 1;                      // how far neighbours are apart in their whole group
  NodeId switch_node = {};                      // of position `size`, if the plan has a switch
  Bytes bytes;                                  // of the buffer that the plan's pieces cut
  Share efficiency = {1, 1};                    // of what goes over the wire, the part that is data
  Bytes least = {};                             // that a message with data takes there
  std::shared_ptr<const PartSizes> parts = {};  // of an all-to-allv, instead: shared so that a
                                                // RunSpec can be copied
  Duration endpoint_delay;
  Duration step = {};  // of the protocol: messages are handed over so much later
  // Where messages of one run differ: between ranks of a node they are delayed so much instead.
  // Messages that a rank posts together go together, after the longest of their delays.
  Duration local_delay = {};
  std::int32_t ranks_of_node = 0;  // 0 = no exception
  TrafficClass traffic_class = TrafficClass::normal;
  std::uint8_t label = 0;   // for the network's statistics
  std::int16_t group = -1;  // the job's communicator, for traces
  // Which connections of its ranks the messages take, and their turn on it (Message). The same on
  // all ranks, and in all groups that are alike.
  std::int32_t connection = -1;
  std::uint32_t order = 0;
  TensorPart tensor = {};  // of gradients: the way is that of each message
  // A message leaves when its target has begun the run, and when those of the stage before have
  // left: the sender's, and the one to the same target. So nothing that is not due yet takes a part
  // of a port from what is, and a rank that is late, or slow, makes others no later than it is.
  // Only where messages share ports: where they come one after the other, a wait of no time for a
  // target that begins in the same picosecond would change the order of sends.
  bool in_order = false;
  // Positions in which this digit is not 0 are represented by those in which it is
  // (NetworkBackend::fold): only these are started, and what is sent to another arrives, from its
  // counterpart, at its representative.
  Digit fold = {};
};

class PlanExecutor final : private MessageListener, private MessageSeries, private EventHandler {
 public:
  PlanExecutor(EventQueue& queue, NetworkBackend& network,
               std::optional<Bandwidth> reduction_bandwidth, RunListener& listener);

  // Run numbers are reused after every rank of the run has finished.
  std::uint32_t open(const RunSpec& spec);
  void start(std::uint32_t run, Position position);

  // For the report of a job that got stuck: where this rank is, "" if it is not in the run.
  std::string describe(std::uint32_t run, Position position) const;

 private:
  // One rank in one lane of a run. `stage` is -1 before the start: arrivals are early then too. A
  // cache line each, because messages come to them in no order.
  struct alignas(64) Lane {
    Time ready;       // when the last arrival of the present stage counts, so far
    Time next_ready;  // the same for early arrivals of the next stage
    Time sent;        // when all sends so far will have left
    std::int32_t stage = -1;
    std::int32_t missing = 0;        // arrivals of the present stage
    std::int32_t next_arrivals = 0;  // of the next stage
    std::int32_t unsent = 0;         // sends whose end the network did not know
    Stage next{};                    // what the plan says of the next stage
    bool last = false;               // the present stage is the last one: there is no next
    bool ending = false;             // only time has to pass, or sends have to leave
    std::uint32_t early = 0;         // stages after the next one for which something has come
  };
  static_assert(sizeof(Lane) == 64);
  struct Turn {
    std::int32_t open = -1;  // the last stage whose message may come; -1: the rank has not begun
    std::int32_t first_held = -1, next_held = -1;  // who waits for that of one target
    bool held_by_own = false;                      // by the message that it sent before
    Time since;                                    // when that is so
  };
  struct Run {
    RunSpec spec;
    bool exchanges = false;  // Symmetry::exchange
    Bytes piece;             // of the plan
    std::int32_t lane_count = 1;
    std::int32_t unfinished = 0;           // participants
    std::int32_t participants = 0;         // ranks that run, and the switch if it takes part
    std::vector<Lane> lanes;               // participant by participant
    std::vector<std::int32_t> open_lanes;  // of each participant, if it has several
    std::optional<StageGates> gates;       // of gated plans
    std::int32_t ordered = 0;              // stages whose messages go in order, from the first on
    std::vector<Turn> turns;               // of each participant, if there are such stages
  };
  // One lane of one rank of one run.
  struct Place {
    std::uint32_t run;
    Position position;
    std::uint32_t lane;
  };
  struct EarlyKey {  // arrivals for a stage after the next one
    std::uint32_t run, position, lane, stage;
    bool operator==(const EarlyKey&) const = default;
  };
  struct EarlyKeyHash {
    std::size_t operator()(const EarlyKey& key) const;
  };
  struct Early {
    std::int32_t arrivals = 0;
    Time ready;
  };

  void delivered(const MessageToken& token, Bytes size) override;
  void injected(const MessageToken& token, NodeId source) override;
  Message message(const MessageToken& series, std::int32_t n) const override;
  void on_event(std::uint64_t argument) override;

  // Positions that run, counted from 0, and back.
  static std::int32_t index_of(const Run& run, Position position) {
    const Digit& fold = run.spec.fold;
    if (fold.count == 1) [[likely]]
      return position;
    return position / (fold.stride * fold.count) * fold.stride + position % fold.stride;
  }
  static Position position_at(const Run& run, std::int32_t index) {
    const Digit& fold = run.spec.fold;
    if (fold.count == 1) [[likely]]
      return index;
    return index / fold.stride * fold.stride * fold.count + index % fold.stride;
  }
  static std::size_t lane_index(const Run& run, const Place& place) {
    return static_cast<std::size_t>(index_of(run, place.position)) * run.lane_count + place.lane;
  }
  static Lane& lane_at(Run& run, const Place& place) { return run.lanes[lane_index(run, place)]; }
  static Turn& turn_at(Run& run, Position position) {
    return run.turns[static_cast<std::size_t>(index_of(run, position))];
  }
  void complete_stage(Run& run, Lane& lane, const Place& place);
  bool leave_stage(Run& run, Lane& lane, const Place& place);
  std::optional<Time> gate_opens(Run& run, const Lane& lane, const Place& place);
  std::optional<Time> turn_comes(Run& run, const Lane& lane, const Place& place);
  void open_turn(Run& run, const Place& place, std::int32_t stage, Time since);
  void open_next(Run& run, const MessageToken& left, Time since) {
    open_turn(run, {left.owner, static_cast<Position>(left.position), 0},
              static_cast<std::int32_t>(left.stage) + 1, since);
  }
  void enter_next_stage(Run& run, Lane& lane, const Place& place);
  void pick_up_early(Lane& lane, const Place& place);
  Duration delay_of_sends(const Run& run, const Lane& lane, const Place& place) const {
    if (place.position == run.spec.size) return {};  // the switch
    if (run.spec.ranks_of_node == 0) [[likely]]
      return run.spec.endpoint_delay;
    return longest_delay(run, lane, place);
  }
  Duration longest_delay(const Run& run, const Lane& lane, const Place& place) const;
  void post_sends(Run& run, Lane& lane, const Place& place, std::int32_t count);
  static Bytes on_wire(const RunSpec& spec, Bytes data);
  static Message message_of(const Run& run, const Place& place, std::int32_t stage, std::int32_t n);
  static NodeId node_of(const Run& run, Position position) {
    return position < run.spec.size ? NodeId{run.spec.ranks.at(position)} : run.spec.switch_node;
  }
  static Bytes size_in_parts(const Run& run, const Place& place, std::int32_t stage,
                             const Pieces& pieces);
  void end_lane(const Place& place);
  void wake_at(Time when, const Run& run, const Place& place);

  EventQueue& queue_;
  NetworkBackend& network_;
  std::optional<Bandwidth> reduction_bandwidth_;
  RunListener& listener_;
  EventQueue::HandlerId handler_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> free_runs_;
  std::unordered_map<EarlyKey, Early, EarlyKeyHash> early_;
  bool starting_ = false;
};

}  // namespace orrery
