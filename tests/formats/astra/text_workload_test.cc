#include "formats/astra/text_workload.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/config_error.h"
#include "formats/input/input_texts.h"
#include "tests/paths.h"
#include "workload/parallelism/all_gather_sizes.h"
#include "workload/workload.h"

namespace orrery {
namespace {

const std::string kSample = source_folder() + "/examples/dlrm-text/DLRM_HybridParallel.txt";

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// "line:column: path: what: remedy", one line a diagnostic.
std::string problems_of(const std::string& text) {
  std::string result;
  try {
    parse_text_workload(text, "file.txt");
  } catch (const ConfigError& error) {
    for (const Diagnostic& d : error.diagnostics()) {
      result += std::to_string(d.line) + ':' + std::to_string(d.column) + ": ";
      if (!d.path.empty()) result += d.path + ": ";
      result += d.what + ": " + d.remedy + '\n';
    }
  }
  return result;
}

constexpr const char* kLayer = "L -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 64 4\n";

TEST_CASE("the public sample file of ASTRA-sim") {
  const LayerTable table = parse_text_workload(InputTexts().read(kSample), kSample);
  CHECK(table.policy == ParallelismPolicy::hybrid_dlrm);
  CHECK(table.last_bottom_layer == 4);
  REQUIRE(table.layers.size() == 8);

  const LayerSpec& embedding = table.layers[0];
  CHECK(embedding.name == "Embedding");
  CHECK(embedding.forward.collective == Collective::all_to_all);
  CHECK(embedding.forward.size == bytes(48 * 64 * 16 * 2));  // samples, tables, width, fp16
  CHECK_FALSE(embedding.weight_gradient.collective.has_value());
  CHECK(embedding.update == nanoseconds(98));

  const LayerSpec& top = table.layers[5];
  CHECK(top.name == "MLP_Top_0");
  CHECK(top.input_gradient.compute.measured == nanoseconds(6400));
  CHECK_FALSE(top.input_gradient.collective.has_value());
  CHECK(top.weight_gradient.collective == Collective::all_reduce);
  CHECK(top.weight_gradient.size == bytes(1040 * 512 * 2));  // (64 + 1) * 16 = 1040 wide
  CHECK(top.update == nanoseconds(1065));
}

// Published: examples/results/run_DLRM_analytical/EndToEnd.csv of astra-sim, total compute of 2
// passes 102.756 us. A pass: forward 19.020, input gradient 18.714 (without the embedding's, which
// is never computed), weight gradient 13.644 us.
TEST_CASE("compute of two passes over the sample file is what ASTRA-sim reports") {
  Job job =
      make_training_job(parse_text_workload(InputTexts().read(kSample), kSample), 1, 8, {}, 2);
  std::vector<Operation> operations;
  job.operations->start(0, operations);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    std::vector<Operation> released;
    job.operations->finish(0, operations[i].id, released);
    operations.insert(operations.end(), released.begin(), released.end());
  }
  Duration by_pass[4], all;
  for (const Operation& operation : operations) {
    const Compute* compute = std::get_if<Compute>(&operation.what);
    if (compute == nullptr) continue;
    by_pass[static_cast<int>(job.labels[operation.label].pass)] += compute->measured.value();
    all += compute->measured.value();
  }
  CHECK(by_pass[static_cast<int>(Pass::forward)] == nanoseconds(2 * 19'020));
  CHECK(by_pass[static_cast<int>(Pass::input_gradient)] == nanoseconds(2 * 18'714));
  CHECK(by_pass[static_cast<int>(Pass::weight_gradient)] == nanoseconds(2 * 13'644));
  CHECK(all == nanoseconds(102'756));
}

TEST_CASE("white space is free: tabs, CRLF, blank lines, a byte order mark, no last line end") {
  const LayerTable table = parse_text_workload(
      "\xEF\xBB\xBF"
      "DATA\t\t\r\n\r\n1\t\r\n\tL\t-1\t1\tNONE\t0\t2\tNONE\t0\t3\tALLREDUCE\t64\t4\t\r\n"
      "  \r\n\n",
      "file.txt");
  REQUIRE(table.layers.size() == 1);
  CHECK(table.layers[0].weight_gradient.size == bytes(64));
  CHECK(table.layers[0].update == nanoseconds(4));
  CHECK(problems_of("DATA\n1\nL -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 64 4").empty());
}

TEST_CASE("every policy and every collective") {
  const std::pair<const char*, ParallelismPolicy> policies[] = {
      {"MICRO", ParallelismPolicy::micro},
      {"DATA", ParallelismPolicy::data},
      {"MODEL", ParallelismPolicy::model},
      {"DISTRIBUTED_INFERENCE", ParallelismPolicy::distributed_inference},
      {"HYBRID_DATA_MODEL", ParallelismPolicy::hybrid_data_model},
      {"HYBRID_MODEL_DATA", ParallelismPolicy::hybrid_model_data},
      {"HYBRID_DLRM 0", ParallelismPolicy::hybrid_dlrm},
      {"HYBRID_DLRM_ENHANCED 0", ParallelismPolicy::hybrid_dlrm_enhanced},
      {"HYBRID_TRANSFORMER model_parallel_NPU_group: 4", ParallelismPolicy::hybrid_transformer},
  };
  for (const auto& [word, policy] : policies) {
    const std::string text = std::string(word) + "\n2\n" + kLayer + kLayer;
    CHECK(parse_text_workload(text, "file.txt").policy == policy);
  }
  const LayerTable table = parse_text_workload(
      "MODEL\n2\n"
      "A -1 0 ALLREDUCE 1 0 ALLTOALL 2 0 NONE 3 0\n"
      "B -1 0 ALLGATHER 4 0 REDUCESCATTER 5 0 NONE 0 0\n",
      "file.txt");
  CHECK(table.layers[0].forward.collective == Collective::all_reduce);
  CHECK(table.layers[0].input_gradient.collective == Collective::all_to_all);
  CHECK_FALSE(table.layers[0].weight_gradient.collective.has_value());
  CHECK(table.layers[1].forward.collective == Collective::all_gather);
  CHECK(table.layers[1].input_gradient.collective == Collective::reduce_scatter);
}

TEST_CASE("an all-gather's size becomes that of its output") {
  std::vector<LevelSpec> levels(2);
  levels[0].size = 4;
  levels[1].size = 8;
  const auto sizes = [&](const std::string& policy, const std::vector<int>& dimensions) {
    LayerTable table = parse_text_workload(
        policy + "\n1\nA -1 0 ALLGATHER 10 0 ALLREDUCE 10 0 ALLGATHER 10 0\n", "file.txt");
    count_whole_all_gathers(table, levels, dimensions);
    const LayerSpec& layer = table.layers[0];
    CHECK(layer.input_gradient.size == bytes(10));
    return std::vector{layer.forward.size.value, layer.weight_gradient.size.value};
  };
  // MODEL: activations over all 4 * 8 ranks, gradients over none.
  CHECK(sizes("MODEL", {}) == std::vector<std::int64_t>{320, 10});
  CHECK(sizes("HYBRID_DATA_MODEL", {}) == std::vector<std::int64_t>{40, 80});
  CHECK(sizes("HYBRID_DATA_MODEL", {1, 0}) == std::vector<std::int64_t>{80, 40});
  // Of HYBRID_CUSTOMIZED each layer's own word counts.
  LayerTable table = parse_text_workload(
      "HYBRID_CUSTOMIZED\n2\nA -1 0 ALLGATHER 10 0 NONE 0 0 ALLGATHER 10 0 HYBRID_MODEL_DATA\n"
      "B -1 0 ALLGATHER 10 0 NONE 0 0 ALLGATHER 10 0 DATA\n",
      "file.txt");
  count_whole_all_gathers(table, levels, {});
  CHECK(table.layers[0].forward.size == bytes(80));
  CHECK(table.layers[0].weight_gradient.size == bytes(40));
  CHECK(table.layers[1].weight_gradient.size == bytes(320));
}

// tests/formats/astra/malformed: NN_name.txt is refused with exactly NN_name.expected.
TEST_CASE("malformed files are refused with a place, a reason and a remedy") {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_folder() + "/tests/formats/astra/malformed")) {
    if (entry.path().extension() != ".txt") continue;
    ++files;
    std::filesystem::path expected = entry.path();
    expected.replace_extension(".expected");
    CAPTURE(entry.path().filename().string());
    CHECK(problems_of(contents_of(entry.path())) == contents_of(expected));
  }
  CHECK(files >= 15);
}

TEST_CASE("a diagnostic shows the line, without bytes that a terminal could obey") {
  try {
    parse_text_workload("DATA\n1\nL\x1b[31m -1 x NONE 0 2 NONE 0 3 NONE 0 4  \r\n", "w.txt");
    FAIL("accepted");
  } catch (const ConfigError& error) {
    REQUIRE(error.diagnostics().size() == 2);
    CHECK(error.diagnostics()[1].file == "w.txt");
    CHECK(error.diagnostics()[1].source_line == "L?[31m -1 x NONE 0 2 NONE 0 3 NONE 0 4");
  }
}

TEST_CASE("at most 20 problems are reported") {
  std::string text = "DATA\n10\n";
  for (int layer = 0; layer < 10; ++layer) text += "L -1 x NONE y z NONE 0 3 NONE 0 4\n";
  const std::string problems = problems_of(text);
  CHECK(std::count(problems.begin(), problems.end(), '\n') == 20);
}

TEST_CASE("limits: the last value that is accepted and the first that is not") {
  const auto file = [](const std::string& time, const std::string& size) {
    return "DATA\n1\nL -1 " + time + " NONE 0 2 NONE 0 3 ALLREDUCE " + size + " 4\n";
  };
  CHECK(problems_of(file("1000000000000", "1000000000000")).empty());
  CHECK_FALSE(problems_of(file("1000000000001", "0")).empty());
  CHECK_FALSE(problems_of(file("0", "1000000000001")).empty());
  CHECK(problems_of("HYBRID_DLRM 0\n2\n" + std::string(kLayer) + kLayer).empty());
  CHECK_FALSE(problems_of("HYBRID_DLRM 1\n2\n" + std::string(kLayer) + kLayer).empty());
}

// Whatever the bytes: a table that makes a job, or a ConfigError with at least one diagnostic.
bool survives(const std::string& text) {
  try {
    const LayerTable table = parse_text_workload(text, "fuzz.txt");
    make_training_job(table, 2, 4, {}, 1);
    return !table.layers.empty();
  } catch (const ConfigError& error) {
    return !error.diagnostics().empty() && error.diagnostics().size() <= 20;
  }
}

std::string mutated(std::string text, std::mt19937& random) {
  static const std::vector<std::string> pieces = {"\n",
                                                  "\r\n",
                                                  "\t",
                                                  " ",
                                                  "-",
                                                  "0",
                                                  "9999999999999999999",
                                                  "NONE",
                                                  "ALLREDUCE",
                                                  "MICRO",
                                                  "HYBRID_DLRM",
                                                  "\xff",
                                                  std::string(1, '\0'),
                                                  "1e9",
                                                  ".5",
                                                  "\xEF\xBB\xBF"};
  const auto below = [&](std::size_t bound) { return random() % bound; };
  const std::size_t count = 1 + below(4);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = below(text.size() + 1), length = below(8);
    switch (below(5)) {
      case 0:  // one byte is another
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, pieces[below(pieces.size())]);
        break;
      case 3:  // a passage is there twice
        text.insert(at, text.substr(below(text.size() + 1), 10 * length));
        break;
      default:
        if (below(8) == 0) text.resize(at);
    }
  }
  return text;
}

TEST_CASE("fuzz: mutated bytes are read or refused, never worse") {
  constexpr unsigned seed = 20200705;
  std::mt19937 random(seed);
  const std::string sample = contents_of(kSample);
  const std::string small = std::string("HYBRID_MODEL_DATA\n2\n") + kLayer + kLayer;
  int accepted = 0;
  for (int run = 0; run < 20'000; ++run) {
    const std::string text = mutated(run % 2 == 0 ? sample : small, random);
    CAPTURE(seed, run, text);
    if (!survives(text)) FAIL("neither a table nor a ConfigError");
    if (problems_of(text).empty()) ++accepted;
  }
  CHECK(accepted > 200);  // else the mutations are too wild to reach the later checks
  CHECK(accepted < 19'800);
}

constexpr const char* kSimAi =
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 4 pp: 3 vpp: 2 ga: 6 "
    "all_gpus: 96 checkpoints: 2 1 0 checkpoint_initiates: 1 1 pp_comm 4096\n2\n"
    "moe -1 1 ALLTOALL_EP 64 2 BROADCAST 16 3 REDUCESCATTER_DP_EP 128 4\n"
    "end -1 1 ALLGATHER 64 2 NONE 0 3 NONE 0 4\n";

TEST_CASE("items and groups of SimAI's files") {
  const LayerTable table = parse_text_workload(kSimAi, "file.txt");
  CHECK(table.policy == ParallelismPolicy::hybrid_transformer);
  CHECK(table.groups.tensor == 2);
  CHECK(table.groups.experts == 4);
  CHECK(table.groups.stages == 3);
  CHECK(table.groups.virtual_stages == 2);
  CHECK(table.groups.micro_batches == 6);
  CHECK(table.groups.ranks == 96);
  CHECK(table.groups.between_stages == bytes(4096));
  CHECK(table.groups.checkpoints == std::vector<std::int32_t>{0, 1});
  CHECK(table.groups.recomputed_at == std::vector<std::int32_t>{1});
  CHECK(table.layers[0].forward.collective == Collective::all_to_all);
  CHECK(table.layers[0].forward.group == PassGroup::experts);
  CHECK(table.layers[0].input_gradient.collective == Collective::broadcast);
  CHECK(table.layers[0].weight_gradient.group == PassGroup::expert_data);
  CHECK(table.layers[1].forward.group == PassGroup::usual);
}

// As ASTRA-sim 1.0 writes a transformer of 27 layers, with checkpoints: before the input gradient
// of layer 26 the layers 18 to 25 run forward again; then, layer by layer, input gradient and
// weight gradient. Communication of the former blocks, that of the latter does not.
TEST_CASE("a transformer with checkpoints runs layers again before their input gradients") {
  std::string text =
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 checkpoints: 3 0 9 18 "
      "checkpoint_initiates: 3 26 17 8\n27\n";
  for (int i = 0; i < 27; ++i)
    text += std::to_string(i) + " -1 10 ALLREDUCE 100 20 ALLREDUCE 200 30 ALLREDUCE 300 1\n";
  Job job = make_training_job(parse_text_workload(text, "t.txt"), 1, 8, {}, 2);
  std::vector<Operation> operations;
  job.operations->start(0, operations);
  for (std::size_t i = 0; i < operations.size(); ++i)
    job.operations->finish(0, operations[i].id, operations);
  std::string order;  // of compute and waits, from the end of the forward pass on
  for (const Operation& operation : operations) {
    const Label& label = job.labels[static_cast<std::size_t>(operation.label)];
    constexpr const char* kPasses[] = {"-", "f", "i", "w"};
    const std::string pass = kPasses[static_cast<int>(label.pass)];
    if (std::holds_alternative<Compute>(operation.what)) order += pass + label.layer + ' ';
    if (std::holds_alternative<Wait>(operation.what)) order += "(" + pass + label.layer + ") ";
  }
  std::string expected = "f26 (f26) ";
  for (int layer = 18; layer < 26; ++layer)
    expected += "f" + std::to_string(layer) + " (f" + std::to_string(layer) + ") ";
  for (int layer = 26; layer >= 18; --layer) {
    const std::string name = std::to_string(layer);
    expected += "i" + name + " (i" + name + ") w" + name + ' ';
  }
  expected += "f9 (f9) f10 ";
  CHECK(order.find(expected) != std::string::npos);
}

// The public file of 9,216 GPUs: what its columns sum up to, counted here without our reader.
TEST_CASE("bytes of SimAI's public file are those of its columns") {
  std::filesystem::path file = source_folder();
  while (file.has_relative_path() && !std::filesystem::exists(file / "shared/samples/text"))
    file = file.parent_path();
  file /= "shared/samples/text/simai_9216gpus.txt";
  if (!std::filesystem::exists(file)) {
    WARN("skipped: ../shared/samples/text is not there");
    return;
  }
  std::map<std::string, std::int64_t> columns, read;
  std::istringstream lines(contents_of(file));
  std::string line, name, dependency;
  std::getline(lines, line);
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    words >> name >> dependency;
    for (int i = 0; i < 3; ++i) {
      std::int64_t time = 0, size = 0;
      std::string kind;
      words >> time >> kind >> size;
      if (kind != "NONE") columns[kind.substr(0, kind.find('_'))] += size;
    }
  }
  const LayerTable table = parse_text_workload(contents_of(file), file);
  CHECK(table.layers.size() == 1'789);
  const std::map<Collective, std::string> words = {{Collective::all_reduce, "ALLREDUCE"},
                                                   {Collective::all_gather, "ALLGATHER"},
                                                   {Collective::reduce_scatter, "REDUCESCATTER"},
                                                   {Collective::all_to_all, "ALLTOALL"}};
  for (const LayerSpec& layer : table.layers)
    for (const PassSpec* pass : {&layer.forward, &layer.input_gradient, &layer.weight_gradient})
      if (pass->collective) read[words.at(*pass->collective)] += pass->size.value;
  CHECK(columns.size() == 4);
  CHECK(read == columns);
  for (const auto& other : std::filesystem::directory_iterator(file.parent_path()))
    CHECK_FALSE(parse_text_workload(contents_of(other), other.path()).layers.empty());
}

}  // namespace
}  // namespace orrery
