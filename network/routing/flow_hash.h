// The hash by which switches choose between equal paths. Every node has a function of its own, as
// switches with different seeds do: with one and the same, the choices of a path would depend on
// each other and part of the links stay empty ("hash polarisation").
#pragma once

#include <cstddef>
#include <cstdint>

#include "network/topology/graph_spec.h"

namespace orrery {

// The finaliser of SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014): every bit of the result
// depends on every bit of x.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e37'79b9'7f4a'7c15;
  x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9;
  x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11eb;
  return x ^ (x >> 31);
}

constexpr std::uint64_t hash_of_flow(std::uint64_t seed, NodeId from, NodeId to,
                                     std::uint64_t flow) {
  const auto ends = static_cast<std::uint64_t>(static_cast<std::uint32_t>(from.value)) << 32 |
                    static_cast<std::uint32_t>(to.value);
  return mixed(mixed(mixed(seed) ^ ends) ^ flow);
}

// What a flow of this hash sees at one node.
constexpr std::uint64_t hash_at(std::uint64_t hash, std::uint64_t node) {
  return mixed(hash ^ mixed(node));
}

// One of `count` choices. REQUIRES: 1 <= count < 2^32.
constexpr std::size_t choice_of(std::uint64_t hash, std::size_t count) {
  return static_cast<std::size_t>((hash >> 32) * count >> 32);
}

// The lowest digit of a number in base `count`, which it loses. REQUIRES: count >= 1.
constexpr std::size_t take_digit(std::uint64_t& number, std::size_t count) {
  const std::uint64_t digit = number % count;
  number /= count;
  return static_cast<std::size_t>(digit);
}

// In [0, 1).
constexpr double fraction_of(std::uint64_t hash) {
  return static_cast<double>(hash >> 11) * 0x1p-53;
}

}  // namespace orrery
