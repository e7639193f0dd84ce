// Proves a collective without a network: executes its plans on sets of contributions.
//
// The buffer of a group is cut into one atom for every rank; atom and rank numbers are mixed-radix
// over the group's dimensions, innermost fastest. What a rank holds is, for each atom, how often
// each rank's contribution is in it. A phase over dimension d works on the atoms whose coordinates
// in the dimensions scattered so far are the rank's own; its piece c is those with coordinate c in
// d.
//
//   all_reduce      all contributions to all atoms, everywhere, exactly once
//   reduce_scatter  the same for the atom with the rank's own number
//   all_gather      atom a holds rank a's contribution, everywhere
//   all_to_all      atoms move: what is at atom a is destined for rank a, and in the end rank a has
//                   one contribution from everyone there and nothing anywhere else
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "system/collective/phases.h"
#include "system/collective_algorithm.h"

namespace orrery::proof {

// A phase with the plan that carries it out.
struct PlannedPhase {
  Phase phase;
  const Plan* plan;
};

// "" if the phases do `kind` over a group with these dimensions, else what is wrong.
std::string prove(Collective kind, const std::vector<int>& dimensions,
                  const std::vector<PlannedPhase>& phases);

// One algorithm on a flat group.
std::string prove(Collective kind, int size, const Plan& plan);

}  // namespace orrery::proof
