// Who sends how much to whom in the comparisons with other simulators: the same for both sides.
//
// In step s every rank sends one message and receives one (burst: all ranks to all, one step). A
// message starts when its sender and its receiver have both come to its step, and both go on when
// it is delivered.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

struct Pattern {
  enum class Kind { ring, halving_doubling, pairwise, burst };

  Kind kind = Kind::ring;
  int ranks = 0;
  std::int64_t size = 0;  // of a message; halving-doubling: of the first one
  double jitter = 0;      // sizes vary by this share up and down, drawn by (source, target, step)
  bool on_torus = false;  // of side() x side(), not around one switch

  // argv: pattern ranks size jitter; a pattern may be "NAME@torus"
  static Pattern parse(char** argv) {
    std::string name = argv[1];
    const bool on_torus = name.ends_with("@torus");
    name = name.substr(0, name.find('@'));
    Pattern pattern{Kind::ring, std::atoi(argv[2]), std::atoll(argv[3]), std::atof(argv[4]),
                    on_torus};
    if (name == "halving_doubling") pattern.kind = Kind::halving_doubling;
    if (name == "pairwise") pattern.kind = Kind::pairwise;
    if (name == "burst") pattern.kind = Kind::burst;
    return pattern;
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
