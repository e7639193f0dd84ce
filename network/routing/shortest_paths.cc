#include "network/routing/shortest_paths.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/check.h"
#include "network/routing/flow_hash.h"

namespace orrery {
namespace {

constexpr std::uint32_t unreachable = 0xffff'ffff;
constexpr std::uint32_t past_the_core = 0xffff'ffff;

double as_double(Bandwidth bandwidth) { return static_cast<double>(bandwidth.value); }

}  // namespace

ShortestPaths::ShortestPaths(const Topology& topology, const LinkStates& states, Options options)
    : topology_(topology),
      states_(states),
      options_(options),
      core_(topology),
      weighted_(options.choice == Choice::weighted) {
  const std::size_t each = sizeof(std::uint32_t) + (weighted_ ? sizeof(double) : 0);
  most_fields_ =
      std::max<std::size_t>(2, options.cache_bytes / std::max<std::size_t>(1, core_.size() * each));
  inflow_.resize(core_.size());
  if (options.choice == Choice::by_port) number_ports();
  forget();
}

// NPUs count for themselves, and NICs: what has one port to the network has one number.
void ShortestPaths::number_ports() {
  std::uint32_t nics = 0;
  for (std::int32_t i = 0; i < topology_.node_count(); ++i) {
    const bool is_nic = i >= topology_.npu_count() && core_.next_to_core({i});
    ports_.push_back(is_nic ? nics++ : static_cast<std::uint32_t>(i));
  }
}

void ShortestPaths::forget() {
  fields_.clear();
  cached_.assign(core_.size(), fields_.end());
}

// --- From the ends to the core ---

void ShortestPaths::find_accesses(NodeId end, NodeId other, Direction direction,
                                  std::vector<Access>& found) {
  found.clear();
  if (core_.core(end) != no_core_node) return found.push_back({core_.core(end), 0, 0, {}});
  const bool out = direction == Direction::out;
  const auto links_at = [&](NodeId n) { return out ? core_.links_from(n) : core_.links_to(n); };
  for (const LinkIndex i : links_at(end)) {
    if (!states_.believed_up(i)) continue;
    const Link& link = topology_.links()[i];
    const NodeId next = out ? link.to : link.from;
    const auto cost = static_cast<std::uint32_t>(link.cost);
    if (core_.core(next) != no_core_node) {
      found.push_back({core_.core(next), cost, 1, {i, 0}});
      continue;
    }
    if (next == other || !core_.next_to_core(next)) continue;
    for (const LinkIndex j : links_at(next)) {
      const Link& second = topology_.links()[j];
      const CoreNode core = core_.core(out ? second.to : second.from);
      if (core == no_core_node || !states_.believed_up(j)) continue;
      found.push_back(
          {core, cost + static_cast<std::uint32_t>(second.cost), 2, {out ? i : j, out ? j : i}});
    }
  }
}

// Ways of which no node is core: one link, or two through a stub.
void ShortestPaths::find_bypasses(NodeId from, NodeId to) {
  if (core_.core(from) != no_core_node || core_.core(to) != no_core_node) return;
  for (const LinkIndex i : core_.links_from(from)) {
    if (!states_.believed_up(i)) continue;
    const Link& link = topology_.links()[i];
    const auto cost = static_cast<std::uint32_t>(link.cost);
    if (link.to == to) {
      exits_.push_back({no_core_node, cost, 1, {i, 0}});
      continue;
    }
    if (!topology_.forwards(link.to) || core_.core(link.to) != no_core_node) continue;
    for (const LinkIndex j : core_.links_from(link.to)) {
      const Link& second = topology_.links()[j];
      if (second.to != to || !states_.believed_up(j)) continue;
      exits_.push_back({no_core_node, cost + static_cast<std::uint32_t>(second.cost), 2, {i, j}});
    }
  }
}

// Fills candidates_ with the cheapest ways. False if there is none.
bool ShortestPaths::find_candidates(NodeId from, NodeId to) {
  find_accesses(from, to, Direction::out, exits_);
  find_accesses(to, from, Direction::in, entries_);
  find_bypasses(from, to);
  candidates_.clear();
  std::uint32_t least = unreachable;
  const auto consider = [&](std::uint32_t cost, std::size_t exit, std::uint32_t entry) {
    if (cost > least) return;
    if (cost < least) candidates_.clear();
    least = cost;
    candidates_.push_back({static_cast<std::uint32_t>(exit), entry, 1});
  };
  for (std::size_t exit = 0; exit < exits_.size(); ++exit)
    if (exits_[exit].core == no_core_node) consider(exits_[exit].cost, exit, past_the_core);
  for (std::uint32_t entry = 0; entry < entries_.size(); ++entry)
    for (std::size_t exit = 0; exit < exits_.size(); ++exit) {
      if (exits_[exit].core == no_core_node) continue;
      const std::uint32_t ends = exits_[exit].cost + entries_[entry].cost;
      const bool same = exits_[exit].core == entries_[entry].core;
      if (ends + (same ? 0 : 1) > least) continue;  // without asking the field
      const std::uint32_t between =
          same ? 0 : field(entries_[entry].core).distance[exits_[exit].core];
      if (between != unreachable) consider(ends + between, exit, entry);
    }
  if (weighted_ && candidates_.size() > 1)
    for (Candidate& candidate : candidates_) weigh(candidate);
  return !candidates_.empty();
}

void ShortestPaths::weigh(Candidate& candidate) {
  double least = std::numeric_limits<double>::max();
  const auto pass = [&](const Access& access) {
    for (std::size_t i = 0; i < access.count; ++i)
      least = std::min(least, as_double(states_.believed_bandwidth(access.links[i])));
  };
  const Access& exit = exits_[candidate.exit];
  pass(exit);
  if (candidate.entry != past_the_core) {
    const Access& entry = entries_[candidate.entry];
    pass(entry);
    least = std::min(least, field(entry.core).capacity[exit.core]);
  }
  candidate.weight = least;
}

const ShortestPaths::Candidate& ShortestPaths::choose(NodeId to, std::uint64_t hash) const {
  if (options_.choice == Choice::by_port)
    return candidates_[static_cast<std::size_t>(to.value) % candidates_.size()];
  if (!weighted_) return candidates_[choice_of(hash, candidates_.size())];
  double total = 0;
  for (const Candidate& candidate : candidates_) total += candidate.weight;
  double rest = fraction_of(hash) * total;
  for (const Candidate& candidate : candidates_)
    if ((rest -= candidate.weight) < 0) return candidate;
  return candidates_.back();
}

bool ShortestPaths::path(NodeId from, NodeId to, std::uint64_t hash,
                         std::vector<LinkIndex>& links) {
  if (!find_candidates(from, to)) return false;
  const Candidate chosen = choose(to, hash);
  const Access& exit = exits_[chosen.exit];
  links.insert(links.end(), exit.links, exit.links + exit.count);
  if (chosen.entry == past_the_core) return true;
  const Access& entry = entries_[chosen.entry];
  if (options_.choice == Choice::by_port) {
    const NodeId port = entry.count == 0 ? to : topology_.links()[entry.links[0]].to;
    walk_by_port(exit.core, field(entry.core), ports_[port.value], links);
  } else if (exit.core != entry.core) {
    walk(exit.core, field(entry.core), hash, links);
  }
  links.insert(links.end(), entry.links, entry.links + entry.count);
  return true;
}

// --- Inside the core ---

const ShortestPaths::Field& ShortestPaths::field(CoreNode target) {
  if (const auto found = cached_[target]; found != fields_.end()) {
    fields_.splice(fields_.begin(), fields_, found);
    return *found;
  }
  if (fields_.size() < most_fields_) {
    fields_.emplace_front();
  } else {  // reuse the memory
    cached_[fields_.back().target] = fields_.end();
    fields_.splice(fields_.begin(), fields_, std::prev(fields_.end()));
  }
  fields_.front().target = target;
  cached_[target] = fields_.begin();
  compute(fields_.front());
  return fields_.front();
}

// Dijkstra's algorithm with a bucket for each distance (R. Dial, CACM 12(11), 1969): costs are
// small integers, so a ring of as many buckets as the greatest cost holds all open distances.
void ShortestPaths::compute(Field& field) {
  ++computed_;
  field.distance.assign(core_.size(), unreachable);
  field.distance[field.target] = 0;
  const std::uint32_t ring = core_.greatest_cost() + 1;
  if (buckets_.size() < ring) buckets_.resize(ring);
  buckets_[0].push_back(field.target);
  std::vector<CoreNode> by_distance;
  std::size_t open = 1;
  for (std::uint32_t distance = 0; open > 0; ++distance) {
    std::vector<CoreNode>& bucket = buckets_[distance % ring];
    for (const CoreNode here : bucket) {
      --open;
      if (field.distance[here] != distance) continue;  // found nearer since
      if (weighted_) by_distance.push_back(here);
      for (const CoreEdge& edge : core_.back_edges(here)) {
        const std::uint32_t there = distance + edge.cost;
        if (there >= field.distance[edge.far] || !states_.believed_up(edge.link)) continue;
        field.distance[edge.far] = there;
        buckets_[there % ring].push_back(edge.far);
        ++open;
      }
    }
    bucket.clear();
  }
  if (weighted_) compute_capacity(field, by_distance);
}

// What a node can carry towards the target over shortest paths: the sum over its next links of the
// lesser of the link and what the node behind it can. J. Zhou et al., "WCMP: Weighted Cost
// Multipathing for Improved Fairness in Data Centers", EuroSys 2014.
void ShortestPaths::compute_capacity(Field& field, const std::vector<CoreNode>& by_distance) {
  field.capacity.assign(core_.size(), 0);
  for (const CoreNode here : by_distance) {
    if (here == field.target) {
      field.capacity[here] = std::numeric_limits<double>::max();
      continue;
    }
    find_next(field, here);
    for (const CoreEdge& edge : next_) field.capacity[here] += weight(field, edge);
  }
}

void ShortestPaths::find_next(const Field& field, CoreNode from) {
  next_.clear();
  for (const CoreEdge& edge : core_.edges(from)) {
    const std::uint32_t rest = field.distance[edge.far];
    if (rest != unreachable && rest + edge.cost == field.distance[from] &&
        states_.believed_up(edge.link))
      next_.push_back(edge);
  }
  DCHECK(!next_.empty(), "no way from node {}", core_.node(from).value);
}

double ShortestPaths::weight(const Field& field, const CoreEdge& edge) const {
  if (!weighted_) return 1;
  return std::min(as_double(states_.believed_bandwidth(edge.link)), field.capacity[edge.far]);
}

// Of next_, at the node `here`.
std::size_t ShortestPaths::choose_next(const Field& field, CoreNode here,
                                       std::uint64_t hash) const {
  const std::uint64_t local = hash_at(hash, static_cast<std::uint64_t>(core_.node(here).value));
  if (!weighted_) return choice_of(local, next_.size());
  double total = 0;
  for (const CoreEdge& edge : next_) total += weight(field, edge);
  double rest = fraction_of(local) * total;
  std::size_t chosen = 0;
  for (; chosen + 1 < next_.size(); ++chosen)
    if ((rest -= weight(field, next_[chosen])) < 0) break;
  return chosen;
}

void ShortestPaths::walk(CoreNode from, const Field& field, std::uint64_t hash,
                         std::vector<LinkIndex>& links) {
  for (CoreNode here = from; here != field.target;) {
    find_next(field, here);
    const CoreEdge& chosen = next_[choose_next(field, here, hash)];
    links.push_back(chosen.link);
    here = chosen.far;
  }
}

// Where k ways are equally short, the port's last digit in base k says which, and what is left of
// the number says it at the next node. On a fat tree the way up is that of E. Zahavi et al.,
// "Optimized InfiniBand fat-tree routing for shift all-to-all communication patterns", Concurrency
// and Computation 22(2), 2010; the way down is the only one.
void ShortestPaths::walk_by_port(CoreNode from, const Field& field, std::uint64_t port,
                                 std::vector<LinkIndex>& links) {
  for (CoreNode here = from; here != field.target;) {
    find_next(field, here);
    const CoreEdge& chosen = next_[take_digit(port, next_.size())];
    links.push_back(chosen.link);
    here = chosen.far;
  }
}

std::vector<Entrance> ShortestPaths::entrances(NodeId to) {
  find_accesses(to, to, Direction::in, entries_);
  std::vector<Entrance> found;
  for (const Access& entry : entries_) found.push_back({entry.core, entry.cost});
  return found;
}

void ShortestPaths::next_links(NodeId here, NodeId to, std::vector<NextLink>& found) {
  const CoreNode from = core_.core(here);
  find_accesses(to, here, Direction::in, entries_);
  const auto cost_by = [&](const Access& entry) {
    if (entry.core == from) return entry.cost;
    const std::uint32_t between = field(entry.core).distance[from];
    return between == unreachable ? unreachable : between + entry.cost;
  };
  std::uint32_t least = unreachable;
  for (const Access& entry : entries_) least = std::min(least, cost_by(entry));
  const auto add = [&](const NextLink& next) {
    if (std::ranges::find(found, next) == found.end()) found.push_back(next);
  };
  for (const Access& entry : entries_) {
    if (least == unreachable || cost_by(entry) > least) continue;
    if (entry.core == from) {
      add({entry.links[0], entry.count == 2 ? std::optional(entry.links[1]) : std::nullopt});
      continue;
    }
    find_next(field(entry.core), from);
    for (const CoreEdge& edge : next_) add({edge.link});
  }
}

// --- All shortest paths at once ---

void ShortestPaths::shares(NodeId from, NodeId to, std::vector<LinkShare>& shares) {
  if (!find_candidates(from, to)) return;
  const std::size_t first = shares.size();
  double total = 0;
  for (const Candidate& candidate : candidates_) total += candidate.weight;
  std::stable_sort(candidates_.begin(), candidates_.end(), [&](const auto& a, const auto& b) {
    return a.entry < b.entry;  // those past the core last
  });
  const auto add_links = [&](const Access& access, double fraction) {
    for (std::size_t i = 0; i < access.count; ++i) shares.push_back({access.links[i], fraction});
  };
  for (std::size_t i = 0; i < candidates_.size();) {
    const std::uint32_t entry = candidates_[i].entry;
    std::vector<CoreNode> sources;
    for (; i < candidates_.size() && candidates_[i].entry == entry; ++i) {
      const Access& exit = exits_[candidates_[i].exit];
      const double fraction = candidates_[i].weight / total;
      add_links(exit, fraction);
      if (entry == past_the_core) continue;
      add_links(entries_[entry], fraction);
      if (exit.core == entries_[entry].core) continue;
      if (inflow_[exit.core] == 0) sources.push_back(exit.core);
      inflow_[exit.core] += fraction;
    }
    if (!sources.empty()) spread(field(entries_[entry].core), sources, shares);
  }
  const auto begin = shares.begin() + static_cast<std::ptrdiff_t>(first);
  std::stable_sort(begin, shares.end(),
                   [](const LinkShare& a, const LinkShare& b) { return a.link < b.link; });
  auto last = begin;
  for (auto next = begin + 1; next < shares.end(); ++next) {
    if (next->link == last->link)
      last->fraction += next->fraction;
    else
      *++last = *next;
  }
  shares.erase(last + 1, shares.end());
}

std::optional<CommonEnds> ShortestPaths::common_ends(NodeId from, NodeId to) {
  if (!find_candidates(from, to) || candidates_.size() != 1) return std::nullopt;
  const Candidate& only = candidates_.front();
  if (only.entry == past_the_core) return std::nullopt;
  const Access &exit = exits_[only.exit], &entry = entries_[only.entry];
  if (exit.core == entry.core) return std::nullopt;
  CommonEnds ends{exit.core, entry.core, {}, static_cast<std::uint8_t>(exit.count), 0};
  for (const Access* access : {&exit, &entry})
    for (std::size_t i = 0; i < access->count; ++i) ends.links[ends.count++] = access->links[i];
  return ends;
}

bool ShortestPaths::joined(CoreNode exit, CoreNode entry) {
  return field(entry).distance[exit] != unreachable;
}

void ShortestPaths::shares_between(CoreNode exit, CoreNode entry, std::vector<LinkShare>& shares) {
  const auto first = static_cast<std::ptrdiff_t>(shares.size());
  inflow_[exit] = 1;
  spread(field(entry), {exit}, shares);
  std::sort(shares.begin() + first, shares.end(),
            [](const LinkShare& a, const LinkShare& b) { return a.link < b.link; });
}

// Lets inflow_ at the sources run down to the field's target, the farthest nodes first.
void ShortestPaths::spread(const Field& field, const std::vector<CoreNode>& sources,
                           std::vector<LinkShare>& shares) {
  std::uint32_t farthest = 0;
  for (const CoreNode source : sources) farthest = std::max(farthest, field.distance[source]);
  if (buckets_.size() <= farthest) buckets_.resize(farthest + 1);
  for (const CoreNode source : sources) buckets_[field.distance[source]].push_back(source);
  for (std::uint32_t distance = farthest; distance > 0; --distance) {
    for (const CoreNode here : buckets_[distance]) {
      find_next(field, here);
      double total = 0;
      for (const CoreEdge& edge : next_) total += weight(field, edge);
      for (const CoreEdge& edge : next_) {
        const double fraction = inflow_[here] * weight(field, edge) / total;
        shares.push_back({edge.link, fraction});
        if (inflow_[edge.far] == 0) buckets_[field.distance[edge.far]].push_back(edge.far);
        inflow_[edge.far] += fraction;
      }
      inflow_[here] = 0;
    }
    buckets_[distance].clear();
  }
  buckets_[0].clear();
  inflow_[field.target] = 0;
}

}  // namespace orrery
