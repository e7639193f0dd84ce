// What became of tensors of gradients that may be delivered in part, and how long they took: rows
// of a result (columns.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/units/units.h"
#include "simulation/columns.h"

namespace orrery {

// Tensors of a layer that may be delivered in part: what was missing when they were delivered.
struct MissingRow {
  std::int32_t layer = -1;
  std::uint64_t messages = 0;
  Bytes size, missing, late, lost, lost_droppable, again;
  double share = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("layer", &MissingRow::layer,
               "the layer, counted from the front; -1: of none in particular", {.text = {"layer"}});
    row.column("messages", &MissingRow::messages, "its messages that may lose a part",
               {.text = {"messages"}});
    row.column("bytes", &MissingRow::size, "data of these", {.text = {"data"}});
    row.column("missing_bytes", &MissingRow::missing,
               "of that, what had not come when they were delivered", {.text = {"missing"}});
    row.column("missing_share", &MissingRow::share, "missing_bytes over bytes",
               {.text = {"share"}});
    row.column("late_bytes", &MissingRow::late, "of what was missing, came afterwards",
               {.text = {"came later"}});
    row.column("lost_bytes", &MissingRow::lost,
               "data that switches and links lost while they were under way", {.text = {"lost"}});
    row.column("lost_droppable_bytes", &MissingRow::lost_droppable,
               "of that, what switches may drop early: small values of front layers",
               {.text = {"droppable"}});
    row.column("again_bytes", &MissingRow::again, "data that was sent again",
               {.text = {"sent again"}});
  }
};

// The same of one iteration.
struct MissingOfIterationRow {
  std::int32_t iteration = 0, layer = -1;
  std::uint64_t messages = 0;
  Bytes size, missing;
  double share = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("iteration", &MissingOfIterationRow::iteration,
               "the iteration, from 0; 255 stands for all later ones, too");
    row.column("layer", &MissingOfIterationRow::layer,
               "the layer, counted from the front; -1: of none in particular");
    row.column("messages", &MissingOfIterationRow::messages, "its messages that may lose a part");
    row.column("bytes", &MissingOfIterationRow::size, "data of these");
    row.column("missing_bytes", &MissingOfIterationRow::missing,
               "of that, what had not come when they were delivered");
    row.column("missing_share", &MissingOfIterationRow::share, "missing_bytes over bytes");
  }
};

// All of them.
struct UndeliveredRow {
  std::uint64_t probes = 0;
  Bytes size, missing;
  double share = 0;
  std::optional<double> rounds = {};

  template <class Columns>
  static void describe(Columns& row) {
    row.column("probes", &UndeliveredRow::probes, "questions for what is missing");
    row.column("bytes", &UndeliveredRow::size, "data of messages that may lose a part");
    row.column("missing_bytes", &UndeliveredRow::missing,
               "of that, what had not come when they were delivered");
    row.column("missing_share", &UndeliveredRow::share, "missing_bytes over bytes");
    row.column("rounds", &UndeliveredRow::rounds,
               "iterations that the model needs with so much missing, for each that it needs "
               "without losses, by network.transport.rounds",
               {.omit_if_none = true});
  }
};

// How long messages of gradients took, from the send to the last byte that they needed.
struct TensorRow {
  std::string way;  // "push", "pull", "both"
  std::int32_t layer = -1;
  std::uint64_t messages = 0;
  Duration mean, median, p99, longest;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("way", &TensorRow::way,
               "push: gradients that go to be added up; pull: what comes back of them",
               {.text = {"tensors"}});
    row.column("layer", &TensorRow::layer,
               "the layer, counted from the front; -1: of none in particular; -2: of all");
    row.column("messages", &TensorRow::messages, "messages that were delivered",
               {.text = {"messages"}});
    row.column("mean_ps", &TensorRow::mean, "mean of their times", {.text = {"mean"}});
    row.column("p50_ps", &TensorRow::median, "their median", {.text = {"p50"}});
    row.column("p99_ps", &TensorRow::p99, "the time that 99 % of them do not exceed",
               {.text = {"p99"}});
    row.column("longest_ps", &TensorRow::longest, "the longest", {.text = {"longest"}});
  }
};

}  // namespace orrery
