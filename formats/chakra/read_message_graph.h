// A collective as Chakra graphs of send, receive and compute nodes, one for each rank, as ASTRA-sim
// takes for its custom collectives: name.0.et, name.1.et, ...
//
//   send       attributes comm_size (bytes), comm_dst, comm_tag (0 if it is not there)
//   receive    comm_size, comm_src, comm_tag
//   compute    takes duration_micros
//   metadata   nothing
// Nodes begin when all nodes that they depend on, by data or control, are complete; a send is
// complete when its last byte has left. The k-th send of a rank to another with one tag, in the
// order of ids, meets the k-th receive.
//
// Such a graph says how much is sent, not what, and always the same amount: it is made for a
// collective of one size, and is scaled to others. What is proved of it: system/collective/
// program_reach.h.
#pragma once

#include <string>
#include <vector>

#include "core/units/units.h"
#include "formats/input/input_texts.h"
#include "system/collective/explicit_plan.h"

namespace orrery {

// `path` is name.et. Throws IoError if there is no name.0.et, ConfigError if a node is of another
// type or lacks an attribute, or if the graphs cannot be such a collective. REQUIRES: size > 0.
CustomAlgorithm read_message_graph(InputTexts& texts, const std::string& path, Collective kind,
                                   Bytes size);

// name.0.et, name.1.et, ... as far as there are such files; name.0.et in any case.
std::vector<std::string> message_graph_files(InputTexts& texts, const std::string& path);

}  // namespace orrery
