// A row of a result is declared once (simulation/columns.h). These tests go over all declarations:
// JSON, CSV, the schema and docs/reference/results.md say the same.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/csv_report.h"
#include "report/json_report.h"
#include "report/result_page.h"
#include "report/result_schema.h"
#include "tests/paths.h"
#include "tests/report/sample_result.h"
#include "tests/report/schema/schema_problems.h"

namespace orrery {
namespace {

using nlohmann::json;

PacketResult sample_packets() {
  PacketResult packets;
  packets.queues = {{"npu 0 -> npu 1", 7, 2, 1, bytes(900)}};
  packets.roce = RoceRow{.notifications = 3, .pauses = 2, .paused = microseconds(5)};
  packets.pauses = {{"npu 0 -> switch 2", "switch 2", 3, 2, microseconds(5)}};
  packets.classes = {{"switch 2 -> npu 0", 3, 2, 7, {.full = 2}}};
  packets.receivers = {{"npu 0", 7, bytes(900), microseconds(1), 2}};
  packets.switches = {{"switch 2", bytes(1'000), bytes(900), microseconds(1), {900, 3}}};
  packets.waits = {{"all_reduce", 7, microseconds(1), microseconds(2), microseconds(3)}};
  packets.depths = {{"npu 0 -> npu 1", microseconds(1), {900, 3}, {0, 1}, {2, 1}}};
  packets.depth_times = {{"npu 0 -> npu 1", 3, {microseconds(1), microseconds(3)}}};
  packets.flows = {
      {"npu 0 -> npu 1", {{Time{microseconds(1)}, bytes(10), microseconds(4), Bandwidth{9}, 0.5}}}};
  packets.captures = {{"npu 0 - npu 1", 7, 0, "pcap"}};
  packets.losses = {.full = 2};
  packets.reordering = {.late = 3, .most_overtaken_by = 2, .most_held = bytes(900)};
  packets.trimming = {.trimmed = 2, .returned = 1};
  packets.undelivered = UndeliveredRow{3, bytes(9), bytes(1), 0.5, 1.1};
  packets.missing = {{0, 2, bytes(9), bytes(1), bytes(1), bytes(1), bytes(1), bytes(1), 0.5}};
  packets.missing_of_iterations = {{0, 0, 2, bytes(9), bytes(1), 0.5}};
  packets.tensors = {
      {"both", -2, 2, microseconds(1), microseconds(1), microseconds(2), microseconds(2)}};
  packets.tensors_of_layers = {
      {"push", 0, 2, microseconds(1), microseconds(1), microseconds(2), microseconds(2)}};
  return packets;
}

TrainingResult sample_training() {
  TrainingResult training;
  StageRow stage;
  stage.finish = stage.forward = microseconds(100);
  stage.traffic = {{"TP", {}, {}, microseconds(5)}};
  training.stages = {stage};
  training.utilisation = {{"model", 1e12, 5e11, 0.5}, {"executed", 1e12, 5e11, std::nullopt}};
  training.estimate = {{"forward", microseconds(1), microseconds(2), {}}};
  return training;
}

// With at least one row of each kind.
RunResult full_sample() {
  RunResult result = test::sample();
  result.training = sample_training();
  result.packets = sample_packets();
  result.endpoint = EndpointRow{3, 4, microseconds(1), {}, {}};
  result.lanes = result.ranks[0].lanes = LaneTimes{microseconds(1), microseconds(2)};
  result.selected = {{"all_reduce", {4, 8}, bytes(10), "ring", microseconds(1), 4},
                     {"all_reduce", {4, 8}, bytes(99), "ring", std::nullopt, 0}};
  result.bottlenecks = {{"all_reduce", "fabric", bytes(9), "npu 0 -> npu 1", bytes(9)}};
  result.jobs = {{"a", 2, 2, {}, microseconds(9), microseconds(9), {}, {}}};
  result.memory.emplace_back().total = bytes(5);
  result.npu_memory = bytes(80);
  result.samples = 500;
  result.activity = {{"fabric", {}, microseconds(1), bytes(9), 0.5}};
  result.link_activity.emplace_back().bytes = bytes(9);
  result.unreceived = {"a message"};
  result.what_if = {{"fabric: bandwidth x 2", microseconds(40), microseconds(10), 0.2}};
  result.difference = {{"all_reduce", "fabric", microseconds(1), microseconds(3), microseconds(2)}};
  result.over_ties = TieRange{5, microseconds(99), microseconds(101)};
  result.expected_error = ExpectedError{0.06, 14, {"H100"}, {"NeMo 25.04"}};
  result.equal_nodes = {{"2 NPUs (npu 0, ...)", "npu", 2}};
  result.equal_links = {{0, 0, "fabric", 50, 2, bytes(9), 0.1, 0.1, 0.2}};
  result.steps.emplace_back().end = microseconds(1);
  result.matrix = {{"", 0, 1, bytes(9), 1}};
  result.node_ranks = 2;
  return result;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

// Every object of the JSON is full: a field that the schema knows and the sample lacks would not be
// checked.
void check_fields(const json& schema, const json& value, const std::string& path) {
  if (schema.contains("items") && value.is_array()) {
    INFO(path);
    REQUIRE(!value.empty());
    check_fields(schema["items"], value[0], path + "[]");
  }
  if (!schema.contains("properties")) return;
  for (const auto& [name, field] : schema["properties"].items()) {
    INFO(path + '.' + name);
    REQUIRE(value.contains(name));
    const std::string help = field["description"];
    CHECK(!help.empty());
    CHECK(help.find_first_of("|\n") == std::string::npos);
    CHECK(help.back() != '.');
    if (field.value("unit", "") == "ps") CHECK(name.ends_with("_ps"));
    check_fields(field, value[name], path + '.' + name);
  }
}

}  // namespace

TEST_CASE("the JSON of a result is as its schema says, field by field", "[report]") {
  const json schema = json::parse(result_schema());
  const json value = json::parse(run_json(full_sample(), {}));
  CHECK(test::schema_problems(schema, value) == std::vector<std::string>());
  RunResult result = full_sample();
  result.notices = {"a notice"};
  result.ignored = {"network.switch.buffer"};
  result.faults = {"leaf0 -> spine1 is down"};
  check_fields(schema, json::parse(run_json(result, {})), "");
  CHECK(test::schema_problems(schema, json::parse(run_json(test::sample(), {}))) ==
        std::vector<std::string>());
}

TEST_CASE("the JSON of a comparison is as its schema says", "[report]") {
  std::vector<RunResult> results{full_sample(), test::faster_sample()};
  results[1].predicted_speedup = 1.5;
  results[0].partial = true;
  const json value = json::parse(comparison_json(results, {}));
  CHECK(test::schema_problems(json::parse(comparison_schema()), value) ==
        std::vector<std::string>());
  CHECK(value["systems"][0]["ratio_to_fastest"].is_null());
  CHECK(value["systems"][1]["predicted_speedup"] == 1.5);
}

TEST_CASE("each CSV table has the declared columns, and a cell for each of them", "[report]") {
  const RunResult result = full_sample();
  std::vector<std::string> written;
  for (const CsvTable& table : csv_tables({&result, 1}, {})) written.push_back(table.file);
  std::vector<std::string> names;
  for (const CsvDeclaration& table : csv_declarations()) {
    INFO(table.file);
    names.push_back(table.file);
    const std::string text = csv_table(table.file, {&result, 1});
    std::vector<std::string> columns;
    for (const CsvColumn& column : table.columns) {
      columns.push_back(column.name);
      if (column.unit == "ps") CHECK(column.name.ends_with("_ps"));
      CHECK(!column.help.empty());
    }
    CHECK(cells_of(text.substr(0, text.find('\n'))) == columns);
    const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
    REQUIRE(last > columns.front().size());  // there is a row
    const std::string row = text.substr(last, text.size() - last - 1);
    if (row.find('"') == std::string::npos) CHECK(cells_of(row).size() == columns.size());
    CHECK(row.starts_with("Ring,"));
  }
  CHECK(written == names);
}

TEST_CASE("docs/reference/results.md is what the declarations say", "[report]") {
  std::ifstream file(source_folder() + "/docs/reference/results.md", std::ios::binary);
  const std::string page(std::istreambuf_iterator<char>(file), {});
  INFO("write it anew: orrery schema result --format markdown > docs/reference/results.md");
  CHECK(page == result_page());
}

}  // namespace orrery
