// Which model of the network a run needs, where the user names none.
//
// `analytical` reserves the port at which a message begins and the one at which it ends, and
// nothing between them. It therefore finds all contention where every link is a port of one NPU:
// groups on one switch, full connections, rings that carry messages between neighbours only. Where
// messages of several NPUs can meet on a link between these ports, `fluid` is needed.
//
// Several levels of switches: a message that crosses two of them passes the port of a neighbour,
// between its own two. Where all NPUs send alike, the messages that leave through such a port are
// as many as those that end at the other side of it, where they are reserved; so nothing is missed.
// Where ranks do different things (written sends, servers, several jobs), something can be.
// Where several kinds of traffic leave by one port it is `fluid` too (shared_ports.h), unless that
// would take long. docs/models/analytical.md, "Where contention cannot be".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/experiment.h"

namespace orrery {

// Where messages can slow each other down inside the fabric, as clauses: "messages share links
// between switches (taper 4:1 at leaf)". Empty if they cannot.
std::vector<std::string> contention_of(const Experiment& experiment);

struct BackendChoice {
  std::string_view backend;  // a name of network/backends.def
  std::string because;       // a clause
};

// Where the file has settings of a transport or of switches, `packet` is chosen, which alone has
// them, for jobs that take a minute at most by their forecast (packet_cost.h). A larger job gets
// another backend, which says that it ignores them. setting_of_packets() is the first such setting;
// "" if there is none. Several jobs have no forecast: theirs are up to 10 GB of calls of all ranks.
std::string setting_of_packets(const NetworkSpec& network);
inline constexpr double most_seconds_of_packets = 60;  // CPU
inline constexpr double most_seconds_of_shares = 60;   // CPU, of `fluid` where ports are shared
enum class PacketsOf : std::uint8_t { small_jobs, any_size };
BackendChoice choose_backend(const Experiment& experiment,
                             PacketsOf packets_of = PacketsOf::small_jobs);

// Fills in the backend if the user names none (NetworkSpec::backend_named), what follows from it,
// and tells how many leaves and spines were chosen.
void choose_open_backend(Experiment& experiment, PacketsOf packets_of = PacketsOf::small_jobs);

// RoCE's recovery where the file states none and switches send packets of a flow over several ways:
// selective_repeat, as go_back_n takes their disorder for loss. choose_open_backend() does it, too.
void choose_open_recovery(Experiment& experiment);
// "recovery: selective_repeat, chosen, as packets overtake under spray"; "" if it is not chosen.
std::string recovery_chosen(const Experiment& experiment);

// What the backend leaves out of contention_of().
std::vector<std::string> contention_ignored(const Experiment& experiment);

}  // namespace orrery
