// Choices of the fuzzer: the same for the same seed and input, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>

namespace orrery::fuzz {

class RandomChoice {
 public:
  RandomChoice(std::uint64_t seed, std::uint64_t input)
      : engine_(seed * 0x9e37'79b9'7f4a'7c15 + input) {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }  // n > 0
  bool one_in(std::size_t n) { return below(n) == 0; }
  std::string_view of(std::span<const std::string_view> all) { return all[below(all.size())]; }
  std::uint64_t bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace orrery::fuzz
