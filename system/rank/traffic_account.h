// What communication of one kind cost a rank. Kinds are what the job's labels say (Label::traffic):
// "TP", "PP", "DP", ... after the group of ranks that it goes on in. Where a label says none, the
// kind is what the communication is: "all_reduce", "all_to_all forward".
//
//   exposed  the rank stood and waited for it. Over all kinds that is what it waited at all, if all
//            labels of communication name one
//   late     of that: not all of those who take part had come yet. What is left is the network's
//   hidden   the rank computed while some of it was called and not complete
//   cost     what its calls cost where nothing is in their way
//
// Late is where a bubble or a straggler shows: a receive whose send has not been called, a
// collective that the slowest rank has yet to reach.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "system/job.h"
#include "system/rank/communication_cost.h"

namespace orrery {

class TrafficAccount {
 public:
  Duration exposed, late, hidden;
  CommunicationCost collectives, sent, received;  // sends and receives go on at the same time

  // Communication of the rank; several may be under way. `computed`: by the rank until now.
  void begins(Duration computed) {
    if (under_way_++ == 0) computed_before_ = computed;
  }
  void ends(Duration computed) {
    if (--under_way_ == 0) hidden += computed - computed_before_;
  }

  // The rank waited; all who take part had come at `joined`.
  void waited(Time begin, Time end, Time joined) {
    exposed += end - begin;
    if (joined > begin) late += (joined < end ? joined : end) - begin;
  }

 private:
  std::int32_t under_way_ = 0;
  Duration computed_before_;
};

// What exposed time of a label's communication is summed under; `detail` as Span::detail. Gradients
// are exchanged backward by nature, so only activations and theirs name the direction.
std::string kind_of_traffic(const Label& label, std::uint8_t detail);

// The kinds of a job, in the order in which its labels bring them up.
class TrafficKinds {
 public:
  explicit TrafficKinds(std::span<const Label> labels);

  const std::vector<std::string>& names() const { return names_; }
  // Index into names(); -1 = of none that is known.
  std::int32_t of(std::int32_t label) const { return label < 0 ? -1 : kind_of_label_[label]; }
  // The same for communication that begins: its first tells the kind of a label that names none.
  std::int32_t note(const Label& named, std::int32_t label, std::uint8_t detail);

 private:
  std::vector<std::string> names_;
  std::vector<std::int32_t> kind_of_label_;
};

}  // namespace orrery
