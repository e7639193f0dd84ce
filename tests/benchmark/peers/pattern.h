// Who sends how much to whom in the comparisons with other simulators: the same for both sides.
//
// In step s every rank sends one message and receives one (burst: all ranks to all, one step). A
// message starts when its sender and its receiver have both come to its step, and both go on when
// it is delivered.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

struct Pattern {
  enum class Kind { ring, halving_doubling, pairwise, burst };
  // Around one switch; a square torus; a fat tree of three tiers, or one with half the links from
  // the leaves up.
  enum class Fabric { star, torus, tree, tapered };

  Kind kind = Kind::ring;
  int ranks = 0;
  std::int64_t size = 0;  // of a message; halving-doubling: of the first one
  double jitter = 0;      // sizes vary by this share up and down, drawn by (source, target, step)
  Fabric fabric = Fabric::star;

  // argv: pattern ranks size jitter; a pattern may be "NAME@torus", "NAME@tree", "NAME@tapered"
  static Pattern parse(char** argv) {
    const std::string name_and_fabric = argv[1];
    const auto end = name_and_fabric.find('@');
    const std::string name = name_and_fabric.substr(0, end);
    Pattern pattern{Kind::ring, std::atoi(argv[2]), std::atoll(argv[3]), std::atof(argv[4]),
                    Fabric::star};
    if (end != std::string::npos) {
      const std::string fabric = name_and_fabric.substr(end + 1);
      if (fabric == "torus") pattern.fabric = Fabric::torus;
      if (fabric == "tree") pattern.fabric = Fabric::tree;
      if (fabric == "tapered") pattern.fabric = Fabric::tapered;
    }
    if (name == "halving_doubling") pattern.kind = Kind::halving_doubling;
    if (name == "pairwise") pattern.kind = Kind::pairwise;
    if (name == "burst") pattern.kind = Kind::burst;
    return pattern;
  }

  // Of a tree, from the leaves up: links of a switch to what is below, and of what is below to
  // switches. REQUIRES: ranks a multiple of 16, of 64 from 256 on.
  std::array<int, 3> down() const { return {width(), width(), ranks / (width() * width())}; }
  std::array<int, 3> up() const {
    return {1, fabric == Fabric::tapered ? width() / 2 : width(), width()};
  }
  int side() const { return static_cast<int>(std::lround(std::sqrt(ranks))); }
  int rounds() const { return std::bit_width(static_cast<unsigned>(ranks)) - 1; }
  int steps() const {
    switch (kind) {
      case Kind::ring:
        return 2 * (ranks - 1);
      case Kind::halving_doubling:
        return 2 * rounds();
      case Kind::pairwise:
        return ranks - 1;
      case Kind::burst:
        break;
    }
    return 1;
  }
  int messages_per_step() const { return kind == Kind::burst ? ranks - 1 : 1; }

  // The i-th message of a rank in a step, and the one that it receives.
  int target(int rank, int step, int i) const {
    if (kind == Kind::halving_doubling) return rank ^ distance(step);
    return (rank + hop(step, i)) % ranks;
  }
  int source(int rank, int step, int i) const {
    if (kind == Kind::halving_doubling) return rank ^ distance(step);
    return (rank - hop(step, i) + ranks) % ranks;
  }
  std::int64_t bytes(int from, int to, int step) const {
    const auto whole = static_cast<double>(
        kind == Kind::halving_doubling ? size / (distance(step) == 0 ? 1 : part(step)) : size);
    const double spread = 2 * draw(from, to, step) - 1;
    return static_cast<std::int64_t>(whole * (1 + jitter * spread));
  }

 private:
  int width() const { return ranks < 256 ? 4 : 8; }
  int hop(int step, int i) const {
    if (kind == Kind::ring) return 1;
    return kind == Kind::pairwise ? step + 1 : i + 1;
  }
  // Far partners and large messages first while halving; the other way round while doubling.
  int level(int step) const { return step < rounds() ? step : 2 * rounds() - 1 - step; }
  int distance(int step) const { return ranks >> (level(step) + 1); }
  std::int64_t part(int step) const { return std::int64_t{1} << level(step); }

  static double draw(int from, int to, int step) {  // in [0, 1); splitmix64
    auto x = (static_cast<std::uint64_t>(from) << 40) ^ (static_cast<std::uint64_t>(to) << 16) ^
             static_cast<std::uint64_t>(step);
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
  }
};
