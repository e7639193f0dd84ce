// The sizes of a series of measurements, as a user writes them.
//
//   8:8G:x2        from 8 B to 8 GiB, each twice the one before; x2 may be left out
//   1M:16M:+1M     each 1 MiB more than the one before
//   64K,1M,256 MB  these, and ranges as well: 8,1M:1G:x4
//
// A size is written as in nccl-tests, where K, M, G and T are powers of 1024, or with one of our
// units (core/units/unit_text.h: MB is 10^6, MiB 2^20 bytes).
#pragma once

#include <string>
#include <vector>

#include "core/units/units.h"

namespace orrery {

inline constexpr std::size_t sizes_at_most = 10'000;

// In the order written. Throws ConfigError, which calls the text `--size TEXT`.
std::vector<Bytes> parse_size_list(const std::string& text);

}  // namespace orrery
