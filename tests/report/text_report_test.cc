#include "report/text_report.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "report/report_head.h"
#include "report/training_report.h"
#include "report/why_text.h"
#include "report/wrapped_text.h"
#include "simulation/simulate.h"
#include "tests/report/sample_result.h"
#include "tests/simulation/small_jobs.h"

using namespace orrery;

TEST_CASE("the report of a run", "[report]") {
  // Shares of 100 us; 100/80 = 1.25; the rows without compute and collective are left out; links:
  // 0.8016 = 80.2 %.
  CHECK(text_report(test::sample(), {.layers = true, .links = true}) ==
        R"(Ring on the analytical backend: 2 ranks, 2 iterations, seed 7
iteration  50 us
time       [#####===+++.]  # compute 40.0 %  = all_reduce 30.0 %  + all_to_all 20.0 %  . rest 10.0 %
why        compute, 40.0 %, bound by compute rate: a faster processor; next all_reduce on fabric,
           30.0 %, bound by bandwidth (90.0 % of it)

finish       100 us          of the slowest rank
iteration     50 us          mean: finish / iterations
lower bound   80 us          fabric; finish is 1.250 times that
compute       40 us  40.0 %  of the rank that finishes last
exposed       50 us  50.0 %  waited for communication
idle          10 us  10.0 %  neither

why                 on       time   share  bound by
compute                     40 us  40.0 %  compute rate
all_reduce          fabric  30 us  30.0 %  bandwidth
all_to_all forward  fabric  20 us  20.0 %  latency
idle                        10 us  10.0 %  nothing

layers, times in us
                                                            bytes     raw     raw     raw
iteration  layer   pass             compute  collective  per rank    mean     max   bound  exposed
        1  emb     forward            0.000  all_to_all      4 kB  12.000  12.000   6.000   10.000
        1  top, 0  weight_gradient   20.000  all_reduce      1 MB  25.500  25.500  12.750   15.000
        2  emb     forward            0.000  all_to_all      4 kB  12.000  12.000   6.000   10.000
        2  top, 0  weight_gradient   20.000  all_reduce      1 MB  25.500  25.500  12.750   15.000

                      bytes sent
level   collective  by all ranks
fabric  all_reduce          4 MB
fabric  all_to_all          8 kB

busiest links   level      bytes    busy
npu 0 -> npu 1  fabric  2.004 MB  80.2 %
npu 1 -> npu 0  fabric  2.004 MB  80.2 %

fingerprint  00112233445566778899aabbccddeeff
messages     45
events       123
host: 0.500 s wall, 0.250 s CPU, 3 MB peak memory
)");
}

// 500 samples in 50 us are 10 million a second.
TEST_CASE("the head of a report says how many samples are trained a second", "[report]") {
  RunResult result = test::sample();
  result.samples = 500;
  CHECK(text_report(result, {}).find("iteration  50 us, 10.00 M samples/s\n") != std::string::npos);
}

TEST_CASE("a partial result says so", "[report]") {
  RunResult result = test::sample();
  result.partial = true;
  result.partial_reason = "interrupted";
  CHECK_THAT(text_report(result, {}),
             Catch::Contains("\nPARTIAL RESULT (interrupted): what follows is what was reached\n"));
  // The bound of what was reached is none of the run.
  CHECK_THAT(text_report(result, {}), !Catch::Contains("lower bound"));
}

TEST_CASE("an empty run is reported without dividing by zero", "[report]") {
  RunResult result;
  result.name = "nothing";
  result.bound_by = "compute";
  CHECK_THAT(text_report(result, {}), Catch::Contains("compute      0 s  -"));
}

TEST_CASE("only the busiest links are shown unless all are asked for", "[report]") {
  RunResult result = test::sample();
  result.links.assign(12, {"npu 0", "npu 1", "fabric", bytes(1), 0});
  CHECK_THAT(text_report(result, {}), !Catch::Contains("npu 0 -> npu 1"));
  CHECK_THAT(text_report(result, {.links = true}), Catch::Contains("(and 2 more: --all-links)\n"));
  CHECK_THAT(text_report(result, {.all_links = true}), !Catch::Contains("--all-links"));
}

TEST_CASE("of many iterations the first and the last are shown", "[report]") {
  RunResult result = test::sample();
  for (std::int32_t iteration = 3; iteration <= 9; ++iteration) {
    result.layers.push_back(result.layers.front());
    result.layers.back().iteration = iteration;
  }
  const std::string text = text_report(result, {.layers = true});
  CHECK_THAT(text, Catch::Contains("(iterations 2 to 8 are in the CSV and JSON output)\n"));
  CHECK_THAT(text, Catch::Contains("\n        1  emb"));
  CHECK_THAT(text, !Catch::Contains("\n        8  emb"));
  CHECK_THAT(text, Catch::Contains("\n        9  emb"));
}

// What computes needs no next one where there is none, and none of a partial run is said.
TEST_CASE("why is a sentence") {
  RunResult result = test::sample();
  CHECK(why_sentence(result, 60) == "compute, 40.0 %, bound by compute rate: a faster processor");
  result.why.erase(result.why.begin());
  CHECK(
      why_sentence(result, 100) ==
      "all_reduce on fabric, 30.0 %, bound by bandwidth (90.0 % of it): more bandwidth on fabric");
  // It is all at its bound: what comes next may not be.
  CHECK_THAT(why_sentence(result, 200), Catch::EndsWith("; next all_to_all forward on fabric, 20.0 "
                                                        "%, bound by latency (90.0 % of it)"));
  result.why.front().bound_by = BoundBy::contention;
  result.why.front().held_by = "leaf 0 -> spine 1";
  CHECK_THAT(why_sentence(result, 200),
             Catch::StartsWith("all_reduce on fabric, 30.0 %, bound by contention on leaf 0 -> "
                               "spine 1: "));
  result.why.clear();
  CHECK(why_sentence(result, 200).empty());
}

// Title, and what the first eight lines have to say, however long names are.
TEST_CASE("the head of a report is complete in eight lines of 100 columns") {
  RunResult result = test::sample();
  result.why[1].part = std::string(40, 'x');
  result.why[0].knob = std::string(60, 'y') + ' ' + std::string(60, 'z');
  const auto check = [](const RunResult& one) {
    std::istringstream lines(text_report(one, {}));
    std::string line;
    int count = 0;
    for (; std::getline(lines, line) && !line.empty(); ++count) CHECK(line.size() <= 100);
    CHECK(count <= 8);
  };
  check(result);
  // Four lines say what was chosen, so one is left for why.
  result = test::sample();
  result.backend_because = "every link is the port of one NPU or NIC";
  result.efficiency = {.name = "h100-2024", .because = "the newest measured on H100"};
  result.protocols = {.name = "nccl-h100", .because = "measured on 8 H100"};
  result.parallelism_chosen = "tp2 pp1 dp128 mb1 zero3, the fastest by estimate of 374 that fit";
  check(result);
  result.efficiency.because = "";
  result.expected_error = {.band = 0.06,
                           .rows = 14,
                           .devices = {"H100", "A100"},
                           .sets = {"NeMo 25.04", "Megatron Core 0.8", "Llama 3", "MegaScale"}};
  check(result);
}

// A device whose efficiency is that of another one has no error that was measured.
TEST_CASE("the head says that nobody knows the error of an assumed efficiency") {
  TransformerTraining training;
  training.data = 8;
  RunResult result = simulate(with_transformer(training, 1'000, 1'000));
  CHECK_THAT(text_report(result, {}), !Catch::Contains("error unknown"));
  result.efficiency.of_another_device = true;
  CHECK_THAT(text_report(result, {}), Catch::Contains("s (error unknown), "));
}

// As many names as 100 columns have room for.
TEST_CASE("the head says how far off the time may be, and by what measurements") {
  RunResult result = test::sample();
  result.efficiency = {.name = "h100-2024", .because = "the newest measured on H100"};
  result.expected_error = {.band = 0.0623,
                           .rows = 14,
                           .devices = {"H100"},
                           .sets = {"NeMo 25.04", "Megatron Core 0.8", "Llama 3"}};
  const std::string text = text_report(result, {});
  CHECK_THAT(text, Catch::Contains("iteration  50 us +-6 %\n"));
  CHECK_THAT(text,
             Catch::Contains("efficiency: h100-2024, the newest measured on H100; +-6 % by 14 "
                             "rows of H100 (NeMo 25.04, ...)\n"));
  result.efficiency.because = "";
  result.expected_error->band = 0.0049;
  CHECK_THAT(text_report(result, {}),
             Catch::Contains("efficiency: h100-2024; +-0.5 % by 14 rows of H100 (NeMo 25.04, "
                             "Megatron Core 0.8, Llama 3)\n"));
}

TEST_CASE("long lines are continued below") {
  CHECK(wrapped_text("short\n  some words that go on\n\n", 12) ==
        "short\n  some words\n      that\n      go on\n\n");
  CHECK(wrapped_text("a-word-that-is-too-long b\n", 8) == "a-word-that-is-too-long\n    b\n");
  CHECK(wrapped_text("12345678\n", 8) == "12345678\n");
}

// All attention is what papers count, and half of it what kernels do: 0.794 of the peak is above
// any that was measured. 0.8 x 0.5 = 0.4 is not less.
TEST_CASE("the head says the utilisation with causal attention where it is much less", "[report]") {
  RunResult run = test::sample();
  const auto head_of = [&](double all, double half) {
    run.training = TrainingResult{};
    run.training->utilisation = {{"model", 0, 0, all}, {"causal", 0, 0, half}};
    return head_lines(run, 100, 1).front().text;
  };
  CHECK(head_of(0.794, 0.518).find("MFU 79.4 % (causal 51.8)") != std::string::npos);
  CHECK(head_of(0.5, 0.4).find("MFU 50.0 %") != std::string::npos);
  CHECK(head_of(0.5, 0.4).find("causal") == std::string::npos);
}

// A frozen matrix has a forward pass and an input gradient, 2 N each; an adapter has all three.
TEST_CASE("with adapters the utilisation by 6N says that frozen weights count 4N", "[report]") {
  RunResult run = test::sample();
  run.training = TrainingResult{};
  run.training->samples = run.training->tokens = 1;
  run.training->stages.resize(1);
  run.training->utilisation = {{"six_n", 0, 0, 0.5}};
  CHECK_THAT(text_report(run, {}), Catch::Contains("MFU  6N "));
  run.training->freezes = true;
  CHECK_THAT(text_report(run, {}), Catch::Contains("MFU  4N frozen, 6N of adapters "));
}
