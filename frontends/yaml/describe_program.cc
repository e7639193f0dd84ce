#include "frontends/yaml/describe_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontends/yaml/claimed_ranks.h"
#include "frontends/yaml/pair_matrix.h"
#include "workload/rules/program_rules.h"

namespace orrery::yaml {

ProgramBuilder::ProgramBuilder(ProgramSpec& program, const PlatformFacts& platform)
    : program_(program), platform_(platform) {
  std::vector<int> all;
  for (int level = 0; level < static_cast<int>(platform.levels.size()); ++level) {
    all.push_back(level);
  }
  program_.communicators = {all};
  if (platform.known) claims_ = RankClaims(platform.npus, {"rank", "part"});
}

void ProgramBuilder::begin_part(Reader& part, const OneOrMore<RankRuns>& ranks, std::size_t index) {
  part_ = static_cast<std::int32_t>(index);
  named_.clear();
  if (const YamlNode* operations = part.find("operations"))
    program_.parts[index].steps.reserve(operations->children.size());
  if (!platform_.known || !part.clean()) return;
  std::vector<Rank>& listed_ranks = program_.parts[index].ranks;
  claim(part, claims_, "ranks", ranks, part_, listed_ranks);
  if (static_cast<std::int32_t>(listed_ranks.size()) == platform_.npus) listed_ranks.clear();
}

void ProgramBuilder::add_step(Reader& operation, const StepText& text) {
  ProgramSpec::Part& part = program_.parts[part_];
  ProgramSpec::Step step;
  step.name = text.name;
  if (named_.contains(text.name)) {
    operation.wrong("name", in_quotes(text.name) + " is the name of an earlier operation",
                    "choose another, so that a wait knows which is meant");
  }
  if (operation.clean() && (text.push || text.pull || text.serve)) {
    add_served_steps(operation, text);
    if (!text.name.empty()) named_.emplace(text.name, part.steps.size() - 1);
    return;
  }
  if (operation.clean()) {
    step.operation = operation_of(operation, text);
    const bool is_wait = std::holds_alternative<Wait>(step.operation.what);
    step.wait = !is_wait && !text.async.value_or(false);
  }
  // Only now: a wait cannot name itself.
  if (!text.name.empty()) named_.emplace(text.name, part.steps.size());
  part.steps.push_back(std::move(step));
}

Operation ProgramBuilder::operation_of(Reader& keys, const StepText& text) {
  Operation operation{.id = 0, .what = Compute{}};
  if (text.compute) {
    operation.what = Compute{{}, {}, text.compute};
  } else if (text.send) {
    operation.what = SendCall{
        .to = partner_of(keys, "send", "to", text.to),
        .size = *text.send,
        .tag = text.tag.value_or(0),
        .tensor = {.way = text.gradients.value_or(false) ? TensorWay::push : TensorWay::none}};
  } else if (text.receive) {
    operation.what = ReceiveCall{partner_of(keys, "receive", "from", text.from), *text.receive,
                                 text.tag.value_or(0)};
  } else if (text.wait) {
    const auto found = named_.find(*text.wait);
    if (found == named_.end()) {
      std::vector<std::string_view> names;
      for (const auto& [name, position] : named_) names.push_back(name);
      keys.wrong("wait", "no earlier operation of this part is named " + in_quotes(*text.wait),
                 names.empty() ? "give one a `name:`" : suggestion(*text.wait, names));
      return operation;
    }
    operation.what = Wait{found->second};
  } else {
    operation.what = collective_of(keys, text);
  }
  return operation;
}

CollectiveCall ProgramBuilder::collective_of(Reader& keys, const StepText& text) {
  CollectiveCall call{};
  for (int i = 0; i < collective_count; ++i) {
    if (!text.collectives[i]) continue;
    call.kind = static_cast<Collective>(i);
    call.size = *text.collectives[i];
  }
  if (text.pair_sizes) call.kind = Collective::all_to_allv;
  if (text.barrier) {
    call.kind = Collective::barrier;
    if (!*text.barrier) keys.wrong("barrier", "a barrier is either there or not", "write true");
  }
  call.communicator = communicator_of(keys, text);
  call.root = root_of(keys, text, call.communicator);
  call.priority = text.priority.value_or(Priority::normal);
  if (text.gradients.value_or(false)) call.tensor.way = TensorWay::push;
  if (text.pair_sizes) {
    call.pair_sizes = pair_sizes_of(keys, *text.pair_sizes, call.communicator);
    if (call.pair_sizes) call.size = call.pair_sizes->largest_row();
  }
  return call;
}

// Push: a message to each server. Pull: one from each. Serve: one from each worker, then one to
// each. All shards are the same, rounded up to a whole byte.
void ProgramBuilder::add_served_steps(Reader& keys, const StepText& text) {
  const std::vector<Rank> partners = text.serve ? partners_of(keys, "workers", text.workers)
                                                : partners_of(keys, "servers", text.servers);
  std::int64_t shards = 0;
  for (const RankRuns& item : text.servers.values)
    for (const auto& [first, last] : item.runs) shards += last - first + 1;
  if (shards == 0) {
    return keys.wrong_map("the key \"servers\" is missing", "name the ranks that serve");
  }
  if (!platform_.known || !keys.clean()) return;
  const std::int64_t whole = (text.push ? *text.push : text.pull ? *text.pull : *text.serve).value;
  const Bytes shard{(whole + shards - 1) / shards};
  std::vector<ProgramSpec::Step>& steps = program_.parts[part_].steps;
  const std::string name = !text.name.empty() ? text.name
                           : text.push        ? "push"
                           : text.pull        ? "pull"
                                              : "serve";
  // Everyone at once, then a wait for each.
  const auto exchange = [&](const auto& call_with) {
    const std::size_t first = steps.size();
    for (const Rank rank : partners) {
      Operation operation{.id = 0, .what = Compute{}};
      operation.what = call_with(rank);
      steps.push_back({.name = name, .operation = std::move(operation), .wait = false});
    }
    for (std::size_t i = 0; i < partners.size(); ++i) {
      Operation wait{.id = 0, .what = Wait{static_cast<OperationId>(first + i)}};
      steps.push_back({.name = "", .operation = std::move(wait), .wait = false});
    }
  };
  const TensorPart part{.way = text.serve ? TensorWay::pull : TensorWay::push};
  const auto send = [&](Rank rank) { return SendCall{.to = rank, .size = shard, .tensor = part}; };
  const auto receive = [&](Rank rank) { return ReceiveCall{rank, shard, 0}; };
  if (text.pull || text.serve) exchange(receive);
  if (text.push || text.serve) exchange(send);
}

std::vector<Rank> ProgramBuilder::partners_of(Reader& keys, std::string_view key,
                                              const OneOrMore<RankRuns>& ranks) {
  std::vector<Rank> partners;
  for (std::size_t item = 0; item < ranks.values.size(); ++item)
    for (const auto& [first, last] : ranks.values[item].runs)
      for (Rank rank = first; rank <= last; ++rank) {
        if (!platform_.known) return partners;
        if (rank >= platform_.npus) {
          keys.wrong_item(key, item, fmt::format("there is no rank {}", rank),
                          fmt::format("the platform has ranks 0 to {}", platform_.npus - 1));
          return partners;
        }
        if (claims_.owner_of(rank) == part_) {
          keys.wrong_item(key, item, fmt::format("rank {} does this operation itself", rank),
                          "servers and workers belong to different parts");
          return partners;
        }
        partners.push_back(rank);
      }
  if (partners.empty() && keys.clean())
    keys.wrong_map(fmt::format("the key \"{}\" is missing", key), "name the ranks, as \"0-3\"");
  return partners;
}

std::shared_ptr<const PairSizes> ProgramBuilder::pair_sizes_of(Reader& keys,
                                                               const PairSizesText& text,
                                                               std::int32_t communicator) {
  if (!platform_.known) return nullptr;
  const std::int32_t members = smallest_group(program_.communicators[communicator], platform_);
  if (text.row) {
    const std::vector<std::int64_t> even = {1};
    const auto& weights = text.weights.empty() ? even : text.weights;
    const std::size_t used = std::min(weights.size(), static_cast<std::size_t>(members));
    if (std::all_of(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(used),
                    [](std::int64_t weight) { return weight == 0; })) {
      keys.wrong("all_to_allv", "all weights are 0", "give some rank a weight of 1");
      return nullptr;
    }
    return std::make_shared<PairSizes>(PairSizes::weighted(members, *text.row, weights));
  }
  PairMatrix matrix{text.sizes, "", ""};
  if (text.csv) {
    const std::string* csv = keys.contents("all_to_allv.csv", *text.csv);
    if (csv == nullptr) return nullptr;
    matrix = parse_pair_sizes(*csv, *text.csv);
  }
  if (!matrix.wrong.empty()) {
    keys.wrong("all_to_allv", matrix.wrong, matrix.remedy);
    return nullptr;
  }
  std::vector<Bytes> sizes;
  for (const std::vector<Bytes>& row : matrix.rows) {
    if (row.size() != static_cast<std::size_t>(members)) break;
    sizes.insert(sizes.end(), row.begin(), row.end());
  }
  const auto entries = static_cast<std::size_t>(members) * static_cast<std::size_t>(members);
  if (sizes.size() != entries || matrix.rows.size() != static_cast<std::size_t>(members)) {
    keys.wrong("all_to_allv",
               fmt::format("this is not a table of {} by {} sizes", members, members),
               fmt::format("the {} ranks that take part each send to {}: write {} rows of {}",
                           members, members, members, members));
    return nullptr;
  }
  return std::make_shared<PairSizes>(PairSizes::matrix(members, std::move(sizes)));
}

// Position among the members of the smallest group.
std::int32_t ProgramBuilder::root_of(Reader& keys, const StepText& text,
                                     std::int32_t communicator) {
  const std::int32_t root = text.root.value_or(0);
  if (!platform_.known) return root;
  const std::int32_t members = smallest_group(program_.communicators[communicator], platform_);
  if (const auto problem = problem_of_root(root, members)) keys.report(*problem);
  return root;
}

std::int32_t ProgramBuilder::communicator_of(Reader& keys, const StepText& text) {
  if (!platform_.known) return 0;
  Grouping grouping;
  if (text.groups) {
    grouping = *text.groups;
    check_members(keys, grouping);
  } else {
    if (text.over.values.empty()) return 0;
    std::vector<int> levels = levels_named(keys, "over", text.over.values, platform_);
    if (levels.empty()) return 0;
    std::sort(levels.begin(), levels.end());
    grouping = std::move(levels);
  }
  auto& known = program_.communicators;
  const auto found = std::find(known.begin(), known.end(), grouping);
  const auto index = found - known.begin();
  if (found == known.end()) known.push_back(std::move(grouping));
  return static_cast<std::int32_t>(index);
}

// A rank in no group cannot take part.
void ProgramBuilder::check_members(Reader& keys, const Grouping& grouping) {
  const auto* lists = std::get_if<RankLists>(&grouping);
  if (lists == nullptr) return;
  std::vector<bool> member(static_cast<std::size_t>(platform_.npus));
  for (const auto& ranks : *lists)
    for (const Rank rank : ranks) member[rank] = true;
  for (Rank rank = 0; rank < platform_.npus; ++rank) {
    if (member[rank] || claims_.owner_of(rank) != part_) continue;
    keys.wrong("over", fmt::format("rank {} does this operation, but is in no group", rank),
               "give its part only operations that it takes part in");
    return;
  }
}

Rank ProgramBuilder::partner_of(Reader& keys, std::string_view verb, std::string_view key,
                                const std::optional<std::int32_t>& rank) {
  if (!rank) {
    keys.wrong_map(fmt::format("the key \"{}\" is missing", key),
                   fmt::format("a {} names the other rank", verb));
    return 0;
  }
  if (!platform_.known) return 0;
  const bool itself = *rank < platform_.npus && claims_.owner_of(*rank) == part_;
  if (const auto problem = problem_of_partner(key, *rank, itself, platform_)) keys.report(*problem);
  return *rank;
}

}  // namespace orrery::yaml
