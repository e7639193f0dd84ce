// Algorithms in the XML of MSCCL: the examples' two files are right, are what the list's algorithms
// are, and are wrong in every way in which one thing can be taken away from them.
#include "formats/msccl/read_msccl.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>

#include "core/base/config_error.h"
#include "core/base/io_error.h"
#include "tests/paths.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace orrery::test;

std::string text_of(const std::string& file) {
  std::ifstream stream(source_folder() + "/examples/custom-collective/" + file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// What is wrong with it: "line: what", "" if nothing is.
std::string refusal(const std::string& text) {
  try {
    parse_msccl("a.xml", text);
  } catch (const ConfigError& error) {
    const Diagnostic& first = error.diagnostics().front();
    return std::to_string(first.line) + ": " + first.what;
  }
  return "";
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

Duration time_of(const NamedAlgorithm& algorithm, Bytes size, int chunks, Duration late) {
  SystemSpec spec = plain_system("ring");
  spec.collectives[0].algorithms = {algorithm};
  spec.collectives[0].chunks = chunks;
  spec.injection_latency = nanoseconds(10);
  spec.reduction_bandwidth = gigabytes_per_second(900);
  auto programs = World::everywhere(8, {collective(0, Collective::all_reduce, size)});
  programs[3] = {compute(0, late), collective(1, Collective::all_reduce, size)};
  World world({switch_level(8, gigabits_per_second(100), nanoseconds(500))}, spec, programs);
  return world.run();
}

TEST_CASE("an XML ring is the ring, to the picosecond") {
  const NamedAlgorithm custom("ring.xml", parse_msccl("ring.xml", text_of("ring.xml")).algorithm);
  for (const Bytes size : {bytes(1), bytes(1000), bytes(12'345'677)})
    for (const int chunks : {1, 5})
      for (const Duration late : {Duration{}, microseconds(3)}) {
        INFO(size.value << " B in " << chunks << " chunks, " << late.value << " ps late");
        CHECK(time_of(custom, size, chunks, late) == time_of("ring", size, chunks, late));
      }
}

// All pairs: two rounds, in each of which a rank sends a chunk of S/8 to seven others through one
// port: 2 (7 S/8 / B + two links of 500 ns + 10 ns at each end). The chunks are added up one after
// the other as they come in, each in S/8 / 900 GB/s, which is less than the time between two
// arrivals; so only the last addition counts.
TEST_CASE("thread blocks that wait for each other") {
  const NamedAlgorithm custom("x", parse_msccl("x", text_of("all-pairs.xml")).algorithm);
  // S = 8 MB, B = 12.5 GB/s: a chunk of 1 MB takes 80 us; at 900 GB/s 1.111112 us (rounded up).
  const Duration round = microseconds(7 * 80) + nanoseconds(2 * 500 + 2 * 10);
  CHECK(time_of(custom, bytes(8'000'000), 1, {}) == round * 2 + picoseconds(1'111'112));
}

TEST_CASE("the algorithm is for its collective and its ranks only") {
  const CustomAlgorithm custom = parse_msccl("a.xml", text_of("ring.xml"));
  CHECK(custom.kind == Collective::all_reduce);
  CHECK(custom.ranks == 8);
  CHECK(custom.algorithm->supports(Collective::all_reduce, 8));
  CHECK_FALSE(custom.algorithm->supports(Collective::all_reduce, 4));
  CHECK_FALSE(custom.algorithm->supports(Collective::all_gather, 8));
}

// Every step in turn does nothing.
TEST_CASE("an algorithm that lacks any one step is refused") {
  for (const char* file : {"ring.xml", "all-pairs.xml"}) {
    const std::string text = text_of(file);
    int mutations = 0;
    for (std::size_t at = text.find(" type=\""); at != std::string::npos;
         at = text.find(" type=\"", at + 1)) {
      const std::size_t first = at + 7, end = text.find('"', first);
      INFO(file << " at " << at);
      CHECK(refusal(std::string(text).replace(first, end - first, "nop")) != "");
      ++mutations;
    }
    CHECK(mutations == (file[0] == 'r' ? 8 * 15 : 8 * (7 * 2 + 7 * 2 + 7)));
  }
}

TEST_CASE("an algorithm that lacks any one wait is refused") {
  const std::string text = text_of("all-pairs.xml");
  int mutations = 0;
  for (std::size_t at = text.find(" depid=\""); at != std::string::npos;
       at = text.find(" depid=\"", at + 1)) {
    const std::size_t first = at + 8, end = text.find('"', first);
    if (text.substr(first, end - first) == "-1") continue;
    INFO("at " << at);
    CHECK(refusal(std::string(text).replace(first, end - first, "-1")) != "");
    ++mutations;
  }
  CHECK(mutations == 8 * (7 + 7));
}

// Two ranks exchange and add. Line 4 and 10 send, 5 and 11 receive.
const std::string pair = R"(<algo ngpus="2" coll="allreduce" nchunksperloop="1" inplace="1">
 <gpu id="0" s_chunks="1">
  <tb id="0" send="1" recv="1" chan="0">
   <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1"/>
   <step s="1" type="rrc" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1"/>
  </tb>
 </gpu>
 <gpu id="1" s_chunks="1">
  <tb id="0" send="0" recv="0" chan="0">
   <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1"/>
   <step s="1" type="rrc" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1"/>
  </tb>
 </gpu>
</algo>
)";

TEST_CASE("what is wrong is said with its line") {
  CHECK(refusal(pair) == "");
  CHECK(refusal(replaced(pair, "allreduce", "allreduces")) ==
        "1: coll=\"allreduces\" is not supported");
  CHECK(refusal(replaced(pair, "rrc", "rrx")) == "5: steps of type \"rrx\" are not supported");
  CHECK(refusal(replaced(pair, "rrc", "r")) ==
        "2: this does not do all_reduce: rank 0 ends with piece 0, which lacks the contribution "
        "of rank 0, in chunk 0 of its output buffer");
  CHECK(refusal(replaced(pair, "srcoff=\"0\"", "srcoff=\"1\"")) ==
        "4: chunks 1 to 1 are outside of the input buffer of gpu 0, which has 1");
  CHECK(refusal(replaced(pair, "type=\"s\"", "type=\"nop\"")) ==
        "11: this does not do all_reduce: rank 1, thread 0, step 1 waits for a message from rank "
        "0 on channel 0, for ever");
  CHECK(refusal(replaced(pair, "chan=\"0\"", "chan=\"1\"")).find("for ever") != std::string::npos);
  CHECK(refusal(replaced(pair, "type=\"rrc\"", "type=\"nop\"")) ==
        "10: this does not do all_reduce: rank 1, thread 0, step 0: rank 0 never receives its "
        "message on channel 0");
  CHECK(refusal(replaced(pair, "srcbuf=\"i\"", "srcbuf=\"s\"")) ==
        "4: this does not do all_reduce: rank 0, thread 0, step 0: there is nothing yet in chunk "
        "0 of its scratch buffer");
  CHECK(refusal(replaced(pair, " recv=\"1\"", " recv=\"-1\"")) ==
        "5: the thread block of this step has recv=\"-1\"");
  CHECK(refusal(replaced(pair, "depid=\"-1\" deps=\"-1\"", "depid=\"1\" deps=\"0\"")) ==
        "4: it waits for step 0 of thread block 1, which gpu 0 does not have");
  CHECK(refusal(replaced(pair, " s=\"1\"", " s=\"2\"")) == "5: this is step 2, where 1 should be");
  CHECK(refusal(replaced(pair, "<gpu id=\"1\"", "<gpu id=\"0\"")) == "8: gpu 0 is there twice");
  CHECK(refusal(replaced(pair, "</tb>", "</tc>")).substr(0, 3) == "6: ");
  CHECK(refusal("") != "");
  CHECK(refusal("<graph/>") == "1: the file holds <graph>, not <algo>");
}

// A contribution that is added twice, and two blocks that write one place at the same time.
TEST_CASE("what is doubled or left to chance is refused") {
  const std::string twice = R"( <step s="2" type="re" srcbuf="s" srcoff="0" dstbuf="o" dstoff="0" )"
                            R"(cnt="1" depid="-1" deps="-1"/>)";
  std::string text =
      replaced(pair, "<step s=\"0\" type=\"s\"",
               "<step s=\"0\" type=\"cpy\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"s\" "
               "dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\"/><step s=\"1\" type=\"s\"");
  text = replaced(text, "<step s=\"1\" type=\"rrc\"", "<step s=\"2\" type=\"rrc\"");
  CHECK(refusal(text) == "");
  text = replaced(text, "  </tb>", replaced(twice, "s=\"2\"", "s=\"3\"") + "</tb>");
  CHECK(refusal(text) ==
        "2: this does not do all_reduce: rank 0 ends with piece 0, which has the contribution of "
        "rank 0 2 times, in chunk 0 of its output buffer");
  const std::string racing =
      replaced(pair, "  </tb>",
               "  </tb><tb id=\"1\" send=\"-1\" recv=\"-1\" chan=\"0\"><step s=\"0\" type=\"cpy\" "
               "srcbuf=\"o\" srcoff=\"0\" dstbuf=\"s\" dstoff=\"0\" cnt=\"1\" depid=\"-1\" "
               "deps=\"-1\"/></tb>");
  CHECK(refusal(racing).find("and nothing says which comes first") != std::string::npos);
}

}  // namespace
}  // namespace orrery
