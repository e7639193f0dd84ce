// Proves a collective without a network: executes its plans on sets of contributions.
//
// The buffer of a group is cut into as many atoms for every rank as the plans need (atoms of rank
// r: r * grain .. ); ranks are mixed-radix over the group's dimensions, innermost fastest. What a
// rank holds is, for each atom, how often each rank's contribution is in it. A phase over dimension
// d works on the atoms whose coordinates in the dimensions scattered so far are the rank's own; its
// part c is those with coordinate c in d.
//
//   all_reduce      all contributions to all atoms, everywhere, exactly once
//   reduce_scatter  the same for the atoms with the rank's own number
//   all_gather      an atom holds its rank's contribution, everywhere
//   all_to_all      atoms have the number of their way, in each dimension: in the end what rank r
//                   has at way w is from rank r - w, and nothing else. Parts that have come home go
//                   to a buffer of their own. And what a rank sends began where Plan::travelled
//                   says, which is all that an all_to_allv adds
//   broadcast       all atoms hold the root's contribution, everywhere
//   reduce          as all_reduce, at the root
//   gather          as all_gather, at the root
//   scatter         the atoms with the rank's own number hold the root's contribution
//   barrier         all contributions have come everywhere, at least once
// Plans whose lanes wait for each other are not proved here but as programs (program_check.h).
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

// "" if the phases do `kind` over a group with these dimensions and that root, else what is wrong.
std::string prove(Collective kind, const std::vector<int>& dimensions,
                  const std::vector<PlannedPhase>& phases, int root = 0);

// One algorithm on a flat group.
std::string prove(Collective kind, int size, const Plan& plan, int root = 0);

}  // namespace orrery::proof
