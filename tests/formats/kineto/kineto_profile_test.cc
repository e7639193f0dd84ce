// Traces of PyTorch's profiler: written here by hand; and the public ones, where they are there.
#include "formats/kineto/kineto_profile.h"

#include <zlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

#include "core/base/config_error.h"
#include "core/base/io_error.h"
#include "formats/input/unpacked_file.h"
#include "formats/kineto/kineto_events.h"
#include "tests/paths.h"

namespace orrery {
namespace {

using namespace kineto;

Profile read(const std::string& events) {
  std::istringstream text("{\"schemaVersion\": 1, \"traceEvents\": [" + events +
                          "], \"more\": [[1]]}");
  return read_profile("k.json", text);
}

std::string refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const ConfigError& error) {
    const Diagnostic& problem = error.diagnostics().front();
    return problem.what + ": " + problem.remedy;
  }
  return "it was read";
}

std::string event(const std::string& category, const std::string& name, double begin,
                  double duration, const std::string& arguments = "", int thread = 1) {
  std::ostringstream text;
  text << R"({"ph": "X", "cat": ")" << category << R"(", "name": ")" << name << R"(", "tid": )"
       << thread << R"(, "ts": )" << begin << R"(, "dur": )" << duration << R"(, "args": {)"
       << arguments << "}}";
  return text.str();
}

std::string all_reduce(double begin, double duration, int elements) {
  return event("kernel", "ncclKernel_AllReduce_RING_LL(ncclDevComm*)", begin, duration,
               R"("Collective name": "allreduce", "dtype": "BFloat16", "Group size": 4, )"
               R"("In msg nelems": )" +
                   std::to_string(elements) + R"(, "Out msg nelems": )" + std::to_string(elements));
}

// Kernels of 1 .. 10 us: half of them take at most 5, 90 % at most 9, 99 % at most 10.
TEST_CASE("times of kernels are counted by name, with quantiles") {
  std::string events;
  for (int i = 10; i > 0; --i)
    events += event("kernel", "void at::fill<float, 4>(int)", 100 * i, i) + ", ";
  const Profile profile = read(events + event("kernel", "other", 2000, 2.5));
  CHECK(profile.events == 11);
  CHECK(profile.kernels == 11);
  REQUIRE(profile.by_name.size() == 2);
  const Times& times = profile.by_name.at("at::fill");
  CHECK(times.sum == microseconds(55));
  CHECK(times.quantile(0) == microseconds(1));
  CHECK(times.quantile(0.5) == microseconds(5));
  CHECK(times.quantile(0.9) == microseconds(9));
  CHECK(times.quantile(0.99) == microseconds(10));
  CHECK(times.quantile(1) == microseconds(10));
  CHECK(profile.by_name.at("other").sum == nanoseconds(2500));
}

// Bytes are elements of two bytes; of a gathering the larger side counts.
TEST_CASE("times of collectives are summed by kind, group and bytes") {
  const std::string gather =
      event("kernel", "ncclDevKernel_AllGather", 50, 7,
            R"("Collective name": "_allgather_base", "dtype": "Float", "Group size": 8, )"
            R"("In msg nelems": 100, "Out msg nelems": 800)");
  const std::string unknown = event("kernel", "ncclKernel_SendRecv", 70, 9);
  const Profile profile = read(all_reduce(0, 20, 1000) + "," + all_reduce(30, 10, 1000) + "," +
                               all_reduce(45, 3, 8) + "," + gather + "," + unknown);
  REQUIRE(profile.collectives.size() == 3);
  const Times& large = profile.collectives.at({"all_reduce", 4, bytes(2000)});
  CHECK(large.each == std::vector{microseconds(10), microseconds(20)});
  CHECK(profile.collectives.at({"all_reduce", 4, bytes(16)}).each.size() == 1);
  CHECK(profile.collectives.at({"all_gather", 8, bytes(3200)}).sum == microseconds(7));
  CHECK(profile.without_size == 1);
}

// Compute 0-10 and 20-30, communication 5-25, a copy 24-40 and 50-60: computing counts first, so
// 20 us compute, 10-20 exposed, 30-40 and 50-60 memory, 40-50 idle, of 60.
TEST_CASE("what the device does at a time is the first of compute, exposed, memory, idle") {
  const Profile profile =
      read(event("kernel", "a", 0, 10) + "," + event("kernel", "a", 20, 10) + "," +
           all_reduce(5, 20, 1) + "," + event("gpu_memcpy", "Memcpy", 24, 16) + "," +
           event("gpu_memset", "Memset", 50, 10) + "," + event("cpu_op", "aten::relu", 0, 500));
  CHECK(profile.activity.span == microseconds(60));
  CHECK(profile.activity.compute == microseconds(20));
  CHECK(profile.activity.exposed == microseconds(10));
  CHECK(profile.activity.memory == microseconds(20));
  CHECK(profile.activity.idle == microseconds(10));
}

// Two calls of [16, 32] x [32, 64]: kernels of 5 and 2 us were launched during the first, one of 9
// us during the second, and one after both. The number of a kernel's operation is not trusted.
TEST_CASE("a product takes the time of the kernels that it launched") {
  const std::string shapes =
      R"("External id": 1, "Input Dims": [[64], [16, 32], [32, 64], [], []], )"
      R"("Input type": ["float", "float"])";
  const auto launch = [](double begin, int number) {
    return event("cuda_runtime", "cudaLaunchKernel", begin, 1,
                 R"("correlation": )" + std::to_string(number)) +
           ",";
  };
  const auto kernel = [](double begin, double duration, int number) {
    return event("kernel", "gemm", begin, duration,
                 R"("External id": 1, "correlation": )" + std::to_string(number), 7) +
           ",";
  };
  const Profile profile =
      read(kernel(200, 5, 70) + kernel(210, 2, 71) + kernel(220, 9, 72) + kernel(230, 4, 73) +
           launch(10, 70) + launch(12, 71) + launch(110, 72) + launch(300, 73) +
           event("cpu_op", "aten::addmm", 0, 20, shapes) + "," +
           event("cpu_op", "aten::addmm", 100, 20, shapes) + "," +
           event("cpu_op", "aten::mm", 150, 20, R"("External id": 3)") + "," +
           event("cpu_op", "aten::bmm", 150, 20, R"("Input Dims": [[2, 3, 4], [2, 4, 5]])"));
  REQUIRE(profile.products.size() == 1);
  const auto& [key, times] = *profile.products.begin();
  CHECK(key == ProductKey{"float", 16, 64, 32});
  CHECK(times.each == std::vector{microseconds(7), microseconds(9)});
  CHECK(profile.without_shape == 1);
  CHECK(profile.batches == 1);
}

// Lists of tensors in a shape, a list in the list of events, and an object where the arguments
// would be: none of them shifts what follows.
TEST_CASE("what lies deeper does not count") {
  std::vector<Event> events;
  const std::string text =
      R"({"a": {"traceEvents": [{"cat": "kernel"}]}, "traceEvents": [
          {"cat": "cpu_op", "name": "aten::mm", "more": {"cat": "kernel", "args": {"ts": 4}},
           "args": {"Input Dims": [[[1, 2]], [3]], "deep": {"correlation": 9, "b": [[1]]},
                    "correlation": 4}, "ts": 5},
          [1, {"cat": "no event"}], 17,
          {"cat": "kernel", "args": {"Input Dims": [[1, 2], [3]]}, "name": "k"}]})";
  std::istringstream stream(text);
  CHECK(read_events("k.json", stream, [&](const Event& one) { events.push_back(one); }) == 2);
  REQUIRE(events.size() == 2);
  CHECK(events[0].category == "cpu_op");
  CHECK(events[0].begin_us == 5);
  CHECK(events[0].correlation == 4);
  CHECK(events[0].shapes.empty());
  CHECK(events[1].shapes == std::vector<std::vector<std::int64_t>>{{1, 2}, {3}});
  CHECK(events[1].correlation == -1);
}

TEST_CASE("a list of events alone is a trace too") {
  std::istringstream text("[" + event("kernel", "a", 0, 10) + "]");
  CHECK(read_profile("k.json", text).kernels == 1);
}

TEST_CASE("what is wrong with a profile is said") {
  const std::string no_list =
      "there is no list \"traceEvents\": name what PyTorch's profiler exported: "
      "prof.export_chrome_trace(\"trace.json.gz\")";
  const auto of = [](const std::string& text) {
    return refusal([&] {
      std::istringstream stream(text);
      read_profile("k.json", stream);
    });
  };
  CHECK(of("{}") == no_list);
  CHECK(of(R"({"traceEvents": {"cat": []}})") == no_list);
  CHECK(refusal([] { read(""); }) ==
        "the trace has 0 events, and none is a kernel of a GPU: record with "
        "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]");
  CHECK(refusal([] { read(event("kernel", "a", 0, -3)); }) ==
        "\"a\", a kernel: its dur is -3: export the trace again");
  CHECK(refusal([] { read(event("kernel", "a", 1, 1) + "," + event("kernel", "b", 4e12, 1)); }) ==
        "\"b\", a kernel: its ts is 4000000000000: export the trace again");
  CHECK(of(R"({"traceEvents": [)").starts_with("the trace is not JSON: syntax error"));
}

TEST_CASE("a file is unpacked piece by piece, by its contents") {
  const std::string path = build_folder() + "/kineto_profile_test";
  std::string text = "{";  // several blocks
  for (int i = 0; i < 100'000; ++i) text += "\"key\": " + std::to_string(i * 7919) + ", ";
  const auto contents = [&] {
    const auto stream = unpacked_file(path);
    return std::string(std::istreambuf_iterator<char>(*stream), {});
  };
  std::ofstream(path, std::ios::binary) << text;
  CHECK(contents() == text);
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  CHECK(contents() == text);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  CHECK(refusal(contents) == "the packed file ends too early: pack it again with gzip");
  CHECK_THROWS_AS(unpacked_file(path + ".none"), IoError);
  CHECK_THROWS_AS(unpacked_file(build_folder()), IoError);
}

// Counted by a script of 10 lines over the file: 40,573 events, 2,700 kernels of 162,532.34 us
// together, of which 21 say what they move; the shortest of three all-reduces of 6,637,568 floats
// takes 2,160.803 us.
TEST_CASE("a public trace of two GPUs is what a script counts") {
  const std::string path = "/work/shared/samples/kineto/ddp_2gpu_nccl.json.gz";
  if (!std::filesystem::exists(path)) {
    WARN(path << " is not there");
    return;
  }
  const auto stream = unpacked_file(path);
  const Profile profile = read_profile(path, *stream);
  CHECK(profile.events == 40'573);
  CHECK(profile.kernels == 2'700);
  Duration sum;
  for (const auto& [name, times] : profile.by_name) sum += times.sum;
  CHECK(sum == nanoseconds(162'532'340));
  std::size_t calls = 0;
  for (const auto& [key, times] : profile.collectives) calls += times.each.size();
  CHECK(calls == 21);
  CHECK(profile.collectives.at({"all_reduce", 2, bytes(26'550'272)}).quantile(0) ==
        nanoseconds(2'160'803));
}

}  // namespace
}  // namespace orrery
