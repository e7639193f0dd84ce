#include "formats/msccl/read_msccl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "formats/msccl/xml_document.h"
#include "system/collective/explicit_plan.h"
#include "system/collective/message_program.h"
#include "system/collective/program_check.h"

namespace orrery {
namespace msccl {
namespace {

constexpr std::int32_t kMostRanks = 1024, kMostChunks = 1 << 16, kMostChannels = 1024;

struct CollectiveWord {
  std::string_view word;
  Collective kind;
  bool owned;  // ranks own chunks: nchunksperloop is a multiple of ngpus
};
constexpr std::array kCollectives{
    CollectiveWord{"allreduce", Collective::all_reduce, false},
    CollectiveWord{"reducescatter", Collective::reduce_scatter, true},
    CollectiveWord{"allgather", Collective::all_gather, true},
    CollectiveWord{"alltoall", Collective::all_to_all, true},
    CollectiveWord{"broadcast", Collective::broadcast, false},
    CollectiveWord{"reduce", Collective::reduce, false},
    CollectiveWord{"gather", Collective::gather, true},
    CollectiveWord{"scatter", Collective::scatter, true},
};

// What a type of step does, in this order.
struct StepType {
  std::string_view word;
  bool receives, adds, keeps, sends;  // `keeps`: the result is written to the destination
};
constexpr std::array kStepTypes{
    StepType{"s", false, false, false, true},    StepType{"r", true, false, true, false},
    StepType{"rcs", true, false, true, true},    StepType{"rrc", true, true, true, false},
    StepType{"rrs", true, true, false, true},    StepType{"rrcs", true, true, true, true},
    StepType{"cpy", false, false, true, false},  StepType{"re", false, true, true, false},
    StepType{"nop", false, false, false, false},
};

template <class Table>
auto find_word(const Table& table, std::string_view word) {
  return std::find_if(table.begin(), table.end(),
                      [&](const auto& entry) { return entry.word == word; });
}

template <class Table>
std::string words_of(const Table& table) {
  std::string text;
  for (const auto& entry : table) text += fmt::format("{}{}", text.empty() ? "" : ", ", entry.word);
  return text;
}

// Reads one <gpu>.
class RankReader {
 public:
  RankReader(const XmlDocument& document, MessageProgram& program, Position rank)
      : document_(document),
        ranks_(static_cast<int>(program.ranks.size())),
        rank_(rank),
        program_(program.ranks[rank]) {}

  void read(pugi::xml_node gpu) {
    program_.line = document_.line_of(gpu);
    for (const pugi::xml_node block : gpu.children("tb")) note_block(block);
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      if (!blocks_[block].node)
        document_.refuse(gpu, fmt::format("gpu {} has no thread block {}", rank_, block),
                         "number the blocks 0, 1, 2, ...");
      read_block(blocks_[block], program_.threads[block]);
    }
    for (const Wait& wait : waits_) resolve(wait);
  }

 private:
  struct Block {
    pugi::xml_node node;
    Position send = -1, receive = -1;
    std::int32_t channel = 0;
    std::int32_t own_place = 0;         // where a sum is that is only sent on
    std::vector<std::int32_t> last_of;  // of each XML step, its last step in the program
  };
  struct Wait {
    pugi::xml_node node;
    std::int32_t thread, step;    // of the program
    std::int32_t block, of_step;  // of the XML
  };

  void note_block(pugi::xml_node node) {
    const std::int32_t id = document_.number(node, "id", 0, kMostRanks * 8);
    if (static_cast<std::int32_t>(blocks_.size()) <= id) blocks_.resize(id + 1);
    if (blocks_[id].node)
      document_.refuse(node, fmt::format("gpu {} has two thread blocks {}", rank_, id),
                       "give each block an id of its own");
    Block& block = blocks_[id];
    block.node = node;
    block.send = peer(node, "send");
    block.receive = peer(node, "recv");
    block.channel = document_.number(node, "chan", 0, kMostChannels);
    program_.threads.resize(blocks_.size());
    std::int32_t largest = 0;
    for (const pugi::xml_node step : node.children("step"))
      if (document_.word(step, "type") == "rrs")
        largest = std::max(largest, document_.number(step, "cnt", 0, kMostChunks));
    block.own_place = static_cast<std::int32_t>(program_.at_start.size());
    program_.at_start.resize(program_.at_start.size() + largest);
  }

  Position peer(pugi::xml_node node, const char* name) const {
    const Position peer = document_.number(node, name, -1, ranks_ - 1);
    if (peer == rank_)
      document_.refuse(node, fmt::format("a thread block of gpu {} has itself as its peer", rank_),
                       "name another gpu, or -1 for none");
    return peer;
  }

  void read_block(Block& block, std::vector<ProgramStep>& steps) {
    std::int32_t expected = 0;
    for (const pugi::xml_node node : block.node.children("step")) {
      const std::int32_t number = document_.number(node, "s", 0);
      if (number != expected)
        document_.refuse(node, fmt::format("this is step {}, where {} should be", number, expected),
                         "number the steps of a block 0, 1, 2, ... in their order");
      ++expected;
      const std::size_t first = steps.size();
      add_steps(block, node, steps);
      for (std::size_t i = first; i < steps.size(); ++i) {
        steps[i].number = number;
        steps[i].line = document_.line_of(node);
      }
      note_wait(node, static_cast<std::int32_t>(&block - blocks_.data()),
                static_cast<std::int32_t>(first));
      block.last_of.push_back(static_cast<std::int32_t>(steps.size()) - 1);
    }
  }

  void add_steps(const Block& block, pugi::xml_node node, std::vector<ProgramStep>& steps) {
    const std::string_view word = document_.word(node, "type");
    const auto type = find_word(kStepTypes, word);
    if (type == kStepTypes.end())
      document_.refuse(node, fmt::format("steps of type \"{}\" are not supported", word),
                       "these are: " + words_of(kStepTypes));
    const std::int32_t count = word == "nop" ? 0 : document_.number(node, "cnt", 1, kMostChunks);
    const bool reads_source = type->adds || !type->receives;
    const std::int32_t source = count > 0 && reads_source ? place(node, "src", count) : 0;
    const std::int32_t target = type->keeps ? place(node, "dst", count) : block.own_place;
    const auto add = [&](StepKind kind, Position peer, std::int32_t from, std::int32_t to) {
      steps.push_back({.kind = kind,
                       .peer = peer,
                       .channel = block.channel,
                       .source = from,
                       .target = to,
                       .count = count});
    };
    if (word == "nop") return steps.emplace_back(), void();
    if (word == "cpy") return add(StepKind::copy, -1, source, target);
    if (word == "re") return add(StepKind::add, -1, source, target);
    if (word == "s") return add(StepKind::send, peer_of(block.send, node, "send"), source, 0);
    if (type->adds && source != target) add(StepKind::copy, -1, source, target);
    add(type->adds ? StepKind::receive_add : StepKind::receive,
        peer_of(block.receive, node, "recv"), 0, target);
    if (type->sends) add(StepKind::send, peer_of(block.send, node, "send"), target, 0);
  }

  Position peer_of(Position peer, pugi::xml_node node, std::string_view attribute) const {
    if (peer < 0)
      document_.refuse(node, fmt::format("the thread block of this step has {}=\"-1\"", attribute),
                       "name the gpu that it sends to or receives from");
    return peer;
  }

  // Where the chunks of "src" or "dst" are.
  std::int32_t place(pugi::xml_node node, std::string_view end, std::int32_t count) const {
    const std::string buffer_name = fmt::format("{}buf", end),
                      offset_name = fmt::format("{}off", end);
    const std::string_view letter = document_.word(node, buffer_name.c_str());
    for (const NamedBuffer& buffer : program_.buffers) {
      if (letter.size() != 1 || buffer.name[0] != letter[0]) continue;
      const std::int32_t offset = document_.number(node, offset_name.c_str(), 0, kMostChunks);
      if (offset + count > buffer.count)
        document_.refuse(
            node,
            fmt::format("chunks {} to {} are outside of the {} buffer of gpu {}, which has {}",
                        offset, offset + count - 1, buffer.name, rank_, buffer.count),
            "check the offset and cnt, and nchunksperloop, inplace and s_chunks above");
      return buffer.first + offset;
    }
    document_.refuse(node, fmt::format("{}=\"{}\" is no buffer", buffer_name, letter),
                     "write i (input), o (output) or s (scratch)");
  }

  void note_wait(pugi::xml_node node, std::int32_t thread, std::int32_t step) {
    const std::int32_t block = document_.number(node, "depid", -1);
    if (block < 0) return;
    waits_.push_back({node, thread, step, block, document_.number(node, "deps", 0)});
  }

  void resolve(const Wait& wait) {
    if (wait.block >= static_cast<std::int32_t>(blocks_.size()) ||
        wait.of_step >= static_cast<std::int32_t>(blocks_[wait.block].last_of.size()))
      document_.refuse(wait.node,
                       fmt::format("it waits for step {} of thread block {}, which gpu "
                                   "{} does not have",
                                   wait.of_step, wait.block, rank_),
                       "check depid and deps");
    program_.threads[wait.thread][wait.step].after.push_back(
        {wait.block, blocks_[wait.block].last_of[wait.of_step]});
  }

  const XmlDocument& document_;
  int ranks_;
  Position rank_;
  RankProgram& program_;
  std::vector<Block> blocks_;
  std::vector<Wait> waits_;
};

MessageProgram read_program(const XmlDocument& document) {
  const pugi::xml_node algo = document.root();
  if (std::string_view(algo.name()) != "algo")
    document.refuse(algo, fmt::format("the file holds <{}>, not <algo>", algo.name()),
                    "name an algorithm in the XML of MSCCL");
  const std::string_view word = document.word(algo, "coll");
  const auto collective = find_word(kCollectives, word);
  if (collective == kCollectives.end())
    document.refuse(algo, fmt::format("coll=\"{}\" is not supported", word),
                    "these are: " + words_of(kCollectives));
  const std::int32_t ranks = document.number(algo, "ngpus", 2, kMostRanks);
  MessageProgram program;
  program.kind = collective->kind;
  program.pieces = document.number(algo, "nchunksperloop", 1, kMostChunks);
  if (collective->owned && program.pieces % ranks != 0)
    document.refuse(algo,
                    fmt::format("nchunksperloop=\"{}\" is no multiple of ngpus=\"{}\", and "
                                "in {} each rank owns as many chunks",
                                program.pieces, ranks, word),
                    "count the chunks of the larger buffer, over all ranks");
  const bool in_place = document.number(algo, "inplace", 0, 1) == 1;
  program.ranks.resize(ranks);
  std::vector<pugi::xml_node> gpus(ranks);
  for (const pugi::xml_node gpu : algo.children("gpu")) {
    const Position rank = document.number(gpu, "id", 0, ranks - 1);
    if (gpus[rank])
      document.refuse(gpu, fmt::format("gpu {} is there twice", rank),
                      "give each an id of its own");
    gpus[rank] = gpu;
  }
  for (Position rank = 0; rank < ranks; ++rank) {
    if (!gpus[rank])
      document.refuse(algo,
                      fmt::format("ngpus is {}, and there is no <gpu id=\"{}\">", ranks, rank),
                      "write one for each rank");
    program.ranks[rank] = make_memory(program.kind, rank, ranks, program.pieces, in_place,
                                      document.number(gpus[rank], "s_chunks", 0, kMostChunks));
    RankReader(document, program, rank).read(gpus[rank]);
  }
  return program;
}

}  // namespace
}  // namespace msccl

CustomAlgorithm parse_msccl(const std::string& name, std::string text) {
  const msccl::XmlDocument document(name, std::move(text));
  const MessageProgram program = msccl::read_program(document);
  const ProgramExecution execution = execute(program);
  if (execution.fault)
    document.refuse(
        execution.fault->line,
        fmt::format("this does not do {}: {}", name_of(program.kind), execution.fault->what),
        "an algorithm must be right before it is worth timing");
  return make_explicit_algorithm(program, execution);
}

}  // namespace orrery
