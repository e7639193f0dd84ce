// The keys of `workload.program`: operations written by hand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/yaml/describe_group.h"
#include "frontends/yaml/input_files.h"
#include "frontends/yaml/platform_facts.h"
#include "frontends/yaml/reader.h"
#include "workload/rank_claims.h"

namespace orrery::yaml {

// The sizes of an all_to_allv, in one of three ways.
struct PairSizesText {
  std::vector<std::vector<Bytes>> sizes;
  std::optional<std::string> csv;
  std::optional<Bytes> row;
  std::vector<std::int64_t> weights;
};

// One operation as written; which keys are there depends on the verb.
struct StepText {
  std::string name;
  std::optional<Duration> compute;
  // Index: Collective; without barrier and all_to_allv, which have no single size.
  std::array<std::optional<Bytes>, collective_count> collectives;
  std::optional<PairSizesText> pair_sizes;
  std::optional<Bytes> send, receive;
  std::optional<Bytes> push, pull, serve;
  OneOrMore<RankRuns> servers, workers;
  std::optional<bool> barrier;
  std::optional<std::string> wait;
  std::optional<std::int32_t> to, from, tag, root;
  OneOrMore<LevelReference> over;
  std::optional<Grouping> groups;  // instead of `over`
  std::optional<Priority> priority;
  std::optional<bool> async, gradients;
};

// Fills the steps, ranks and communicators of a program, part by part, and checks what they refer
// to.
class ProgramBuilder {
 public:
  ProgramBuilder(ProgramSpec& program, const PlatformFacts& platform);

  void begin_part(Reader& part, const OneOrMore<RankRuns>& ranks, std::size_t index);
  void add_step(Reader& operation, const StepText& text);

 private:
  void add_served_steps(Reader& keys, const StepText& text);
  std::vector<Rank> partners_of(Reader& keys, std::string_view key,
                                const OneOrMore<RankRuns>& ranks);
  std::shared_ptr<const PairSizes> pair_sizes_of(Reader& keys, const PairSizesText& text,
                                                 std::int32_t communicator);
  Operation operation_of(Reader& keys, const StepText& text);
  CollectiveCall collective_of(Reader& keys, const StepText& text);
  std::int32_t root_of(Reader& keys, const StepText& text, std::int32_t communicator);
  std::int32_t communicator_of(Reader& keys, const StepText& text);
  void check_members(Reader& keys, const Grouping& grouping);
  Rank partner_of(Reader& keys, std::string_view verb, std::string_view key,
                  const std::optional<std::int32_t>& rank);

  ProgramSpec& program_;
  const PlatformFacts& platform_;
  RankClaims claims_;
  std::int32_t part_ = -1;
  std::map<std::string, std::int64_t> named_;  // steps of this part
};

// The collectives among the verbs, and what else may stand there.
inline std::vector<std::string_view> verbs(std::vector<std::string_view> before,
                                           const std::vector<std::string_view>& after) {
  for (int i = 0; i < collective_count; ++i) before.push_back(name_of(static_cast<Collective>(i)));
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

inline void describe_pair_sizes(Keys& keys, PairSizesText& text) {
  keys.exactly_one({"sizes", "csv", "row"}, "the sizes are given in one of these ways");
  keys.optional("sizes", text.sizes,
                "a list for each rank: what it sends to the first, the second, ...", not_negative);
  keys.optional("csv", text.csv,
                "a file of the same, a line for each rank; numbers without a unit are bytes");
  keys.optional("row", text.row, "every rank sends so much in all", not_negative);
  keys.optional("weights", text.weights,
                "the proportions in which the row goes to the first, the second, ... rank; a "
                "shorter list is repeated; without it, all get the same",
                between(0, 1 << 20));
  keys.only_with({"row"}, "weights");
  keys.check([&](Reader& reader) {
    const YamlNode* file = reader.find("csv");
    if (file != nullptr && file->kind == NodeKind::scalar) text.csv = resolved_path(*file);
  });
}

inline void describe_operation(Keys& keys, StepText& step, const PlatformFacts& platform) {
  keys.optional("name", step.name, "what reports and `wait` call the operation");
  keys.exactly_one(verbs({"compute"}, {"send", "receive", "push", "pull", "serve", "wait"}),
                   "an operation does one of these");
  keys.optional("compute", step.compute, "the processor works for this long", not_negative);
  for (int i = 0; i < collective_count; ++i) {
    const auto kind = static_cast<Collective>(i);
    if (kind == Collective::barrier || kind == Collective::all_to_allv) continue;
    keys.optional(name_of(kind), step.collectives[i],
                  "a collective; the size is that of a rank's whole buffer", not_negative);
  }
  if (keys.given("all_to_allv")) {
    keys.map("all_to_allv", "an all-to-all with a size for each pair of ranks",
             [&](Keys& pairs) { describe_pair_sizes(pairs, step.pair_sizes.emplace()); });
  }
  keys.optional("barrier", step.barrier, "true: waits until all have come here");
  keys.optional("send", step.send, "sends so many bytes to one rank", not_negative);
  keys.optional("receive", step.receive, "receives so many bytes from one rank", not_negative);
  if (keys.given("push") || keys.given("pull") || keys.given("serve")) {
    keys.optional("push", step.push, "sends a shard of so many bytes in all to each server",
                  not_negative);
    keys.optional("pull", step.pull, "receives a shard of so many bytes in all from each server",
                  not_negative);
    keys.optional("serve", step.serve,
                  "serves one push and one pull of so many bytes of every worker, by all servers",
                  not_negative);
    keys.optional("servers", step.servers, "the ranks that serve: 5, \"0-3,5\" or a list");
    keys.optional("workers", step.workers, "the ranks that push and pull");
  }
  keys.optional("wait", step.wait, "waits for the operation of this name");
  keys.optional("to", step.to, "the rank that receives", not_negative);
  keys.optional("from", step.from, "the rank that sends", not_negative);
  keys.optional("gradients", step.gradients,
                "its data are gradients: a transport with a loss_bound may lose a part of them");
  keys.optional("tag", step.tag, "a receive takes a send of the same tag; without it 0",
                not_negative);
  keys.optional("root", step.root,
                "the root's position among the ranks that take part; without it 0", not_negative);
  keys.value_or_map("over", step.over,
                    "the levels whose ranks take part, or {ranks}, {groups} or {count, stride}; "
                    "without it, all of them",
                    [&](Keys& group) {
                      GroupText text;
                      describe_group(group, text);
                      group.check([&](Reader& reader) {
                        if (platform.known && reader.clean())
                          step.groups = grouping_of(reader, text, platform);
                      });
                    });
  keys.optional("priority", step.priority,
                "normal, highest (before all that waits), or a number for scheduling: priority");
  keys.optional("async", step.async, "true: what follows does not wait; without it false");
  keys.only_with({"push", "pull", "serve"}, "servers");
  keys.only_with({"serve"}, "workers");
  keys.only_with({"send"}, "to");
  keys.only_with({"receive"}, "from");
  keys.only_with({"send", "receive"}, "tag");
  keys.only_with({"broadcast", "reduce", "gather", "scatter"}, "root");
  keys.only_with(verbs({}, {"send"}), "gradients");
  keys.only_with(verbs({}, {}), "over");
  keys.only_with(verbs({}, {}), "priority");
  keys.only_with(verbs({}, {"send", "receive"}), "async");
}

inline void describe_program(Keys& keys, ProgramSpec& program, const PlatformFacts& platform) {
  ProgramBuilder builder(program, platform);
  keys.items("program", program.parts, "what the ranks do, in parts",
             [&](Keys& part, ProgramSpec::Part&, std::size_t index) {
               OneOrMore<RankRuns> ranks;
               part.optional("ranks", ranks,
                             "who does it: 5, \"0-3,5\" or a list; without it, all");
               part.check([&](Reader& reader) { builder.begin_part(reader, ranks, index); });
               part.written_items(
                   "operations", "what these ranks do, one after the other", [&](Keys& operation) {
                     StepText step;
                     describe_operation(operation, step, platform);
                     operation.check([&](Reader& reader) { builder.add_step(reader, step); });
                   });
             });
}

}  // namespace orrery::yaml
