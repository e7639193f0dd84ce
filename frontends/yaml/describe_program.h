// The keys of `workload.program`: operations written by hand. Keys is Reader or SchemaWriter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/yaml/describe_group.h"
#include "frontends/yaml/platform_facts.h"
#include "frontends/yaml/reader.h"

namespace orrery::yaml {

// One operation as written; which keys are there depends on the verb.
struct StepText {
  std::string name;
  std::optional<Duration> compute;
  std::array<std::optional<Bytes>, collective_count> collectives;  // index: Collective; not barrier
  std::optional<Bytes> send, receive;
  std::optional<bool> barrier;
  std::optional<std::string> wait;
  std::optional<std::int32_t> to, from, tag, root;
  OneOrMore<LevelReference> over;
  std::optional<Grouping> groups;  // instead of `over`
  std::optional<Priority> priority;
  std::optional<bool> async;
};

// Fills the steps, ranks and communicators of a program, part by part, and checks what they refer
// to.
class ProgramBuilder {
 public:
  ProgramBuilder(ProgramSpec& program, const PlatformFacts& platform);

  void begin_part(Reader& part, const OneOrMore<RankRuns>& ranks, std::size_t index);
  void add_step(Reader& operation, const StepText& text);

 private:
  Operation operation_of(Reader& keys, const StepText& text);
  CollectiveCall collective_of(Reader& keys, const StepText& text);
  std::int32_t root_of(Reader& keys, const StepText& text, std::int32_t communicator);
  std::int32_t communicator_of(Reader& keys, const StepText& text);
  std::int32_t smallest_group(const Grouping& grouping) const;
  void check_members(Reader& keys, const Grouping& grouping);
  Rank partner_of(Reader& keys, std::string_view verb, std::string_view key,
                  const std::optional<std::int32_t>& rank);

  ProgramSpec& program_;
  const PlatformFacts& platform_;
  std::vector<std::int32_t> part_of_rank_;  // -1 = none yet
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

template <class Keys>
void describe_operation(Keys& keys, StepText& step, const PlatformFacts& platform) {
  keys.optional("name", step.name, "what reports and `wait` call the operation");
  keys.exactly_one(verbs({"compute"}, {"send", "receive", "wait"}),
                   "an operation does one of these");
  keys.optional("compute", step.compute, "the processor works for this long", not_negative);
  for (int i = 0; i < collective_count; ++i) {
    const auto kind = static_cast<Collective>(i);
    if (kind == Collective::barrier) continue;
    keys.optional(name_of(kind), step.collectives[i],
                  "a collective; the size is that of a rank's whole buffer", not_negative);
  }
  keys.optional("barrier", step.barrier, "true: waits until all have come here");
  keys.optional("send", step.send, "sends so many bytes to one rank", not_negative);
  keys.optional("receive", step.receive, "receives so many bytes from one rank", not_negative);
  keys.optional("wait", step.wait, "waits for the operation of this name");
  keys.optional("to", step.to, "the rank that receives", not_negative);
  keys.optional("from", step.from, "the rank that sends", not_negative);
  keys.optional("tag", step.tag, "a receive takes a send of the same tag; without it 0",
                not_negative);
  keys.optional("root", step.root,
                "the root's position among the ranks that take part; without it 0", not_negative);
  keys.value_or_map("over", step.over,
                    "the levels whose ranks take part, or {ranks}, {groups} or {count, stride}; "
                    "without it all",
                    [&](auto& group) {
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
  keys.only_with({"send"}, "to");
  keys.only_with({"receive"}, "from");
  keys.only_with({"send", "receive"}, "tag");
  keys.only_with({"broadcast", "reduce", "gather", "scatter"}, "root");
  keys.only_with(verbs({}, {}), "over");
  keys.only_with(verbs({}, {}), "priority");
  keys.only_with(verbs({}, {"send", "receive"}), "async");
}

template <class Keys>
void describe_program(Keys& keys, ProgramSpec& program, const PlatformFacts& platform) {
  ProgramBuilder builder(program, platform);
  keys.items("program", program.parts, "what the ranks do, in parts",
             [&](auto& part, ProgramSpec::Part&, std::size_t index) {
               OneOrMore<RankRuns> ranks;
               part.optional("ranks", ranks, "who does it: 5, \"0-3,5\" or a list; without it all");
               part.check([&](Reader& reader) { builder.begin_part(reader, ranks, index); });
               std::vector<StepText> steps;
               part.items(
                   "operations", steps, "what these ranks do, one after the other",
                   [&](auto& operation, StepText& step, std::size_t) {
                     describe_operation(operation, step, platform);
                     operation.check([&](Reader& reader) { builder.add_step(reader, step); });
                   });
             });
}

}  // namespace orrery::yaml
