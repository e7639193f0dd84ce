// In which order two passes are done together.
#include "workload/parallelism/turns.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

namespace orrery {
namespace {

// Says what is written: computing as the pass and its FLOPs, a wait as "|".
class Written final : public PassInTurns {
 public:
  Written(char name, std::vector<PartStep> steps, std::string& text, bool experts_travel = true)
      : PassInTurns(experts_travel), name_(name), steps_(std::move(steps)), text_(text) {}

 private:
  std::size_t parts() const override { return 1; }
  const std::vector<PartStep>& steps(std::size_t) const override { return steps_; }
  void begin_part(std::size_t) override {}
  void write(std::size_t, const PartStep& step) override {
    text_ += text_.empty() ? "" : " ";
    text_ += name_;
    if (const auto* compute = std::get_if<Compute>(&step.what))
      text_ += std::to_string(compute->flops.value);
    else
      text_ += '|';
  }
  void end_part(std::size_t) override {}

  char name_;
  std::vector<PartStep> steps_;
  std::string& text_;
};

PartStep work(std::int64_t flops) {
  return {Pass::forward, Compute{Flops{flops}, Bytes{}, std::nullopt}};
}
PartStep wait(bool journey) { return {Pass::forward, PartStep::Await{0, journey}}; }

std::string in_turns(const std::vector<PartStep>& a, const std::vector<PartStep>& b,
                     bool experts_travel = true) {
  std::string text;
  Written first('a', a, text, experts_travel), second('b', b, text, experts_travel);
  write_in_turns(first, second);
  return text;
}

// Before each journey of one is waited for, the other does what comes before its own.
TEST_CASE("passes take turns where tokens travel") {
  const std::vector<PartStep> steps{work(1), wait(true), work(2), wait(false), work(3)};
  CHECK(in_turns(steps, steps) == "a1 b1 a| a2 a| a3 b| b2 b| b3");
}

TEST_CASE("without experts passes take turns at every wait") {
  const std::vector<PartStep> steps{work(1), wait(true), work(2), wait(false), work(3)};
  CHECK(in_turns(steps, steps, false) == "a1 b1 a| a2 b| b2 a| a3 b| b3");
}

// Half of the 4 FLOPs of b's turn beside the first leg of a's journey, and half beside the second.
TEST_CASE("a journey in two legs has a half of the other pass's turn beside each") {
  const std::vector<PartStep> legs{work(1), wait(true), wait(true), work(2)};
  const std::vector<PartStep> steps{work(2), work(2), wait(true), work(7)};
  CHECK(in_turns(legs, steps) == "a1 b2 a| b2 a| a2 b| b7");
}

}  // namespace
}  // namespace orrery
