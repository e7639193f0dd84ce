#include "formats/chakra/trace_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>

namespace orrery::chakra {

namespace {

// Of work that has no kernel's name.
std::string name_of_work(std::int32_t number) {
  switch (number) {
    case work::other_kernels:
      return "other kernels";
    case work::host:
      return "host";
    case work::memory:
      return "memory";
    case work::send:
      return "send";
    case work::receive:
      return "receive";
    case work::alone:
      return "communication of one rank";
    case work::recorded:
      return "recorded communication";
    default:
      return fmt::format("recorded {}",
                         name_of(static_cast<Collective>(work::recorded - 1 - number)));
  }
}

}  // namespace

TraceLabels::TraceLabels(const TraceNames& names) : row_of_kernel_(names.kernels().size(), -1) {
  constexpr std::size_t kRows = 20;
  std::vector<std::size_t> longest(names.kernels().size());
  std::iota(longest.begin(), longest.end(), std::size_t{0});
  const std::size_t rows = std::min(kRows, longest.size());
  std::ranges::partial_sort(longest, longest.begin() + static_cast<std::ptrdiff_t>(rows), {},
                            [&](std::size_t kernel) {
                              const TraceNames::Kernel& one = names.kernels()[kernel];
                              return std::tuple(-one.recorded.value, std::string_view(one.name));
                            });
  for (const std::size_t kernel : std::span(longest).first(rows))
    row_of_kernel_[kernel] = named(names.kernels()[kernel].name);
}

std::int32_t TraceLabels::of(std::int32_t work) {
  if (work >= 0 && row_of_kernel_[static_cast<std::size_t>(work)] >= 0)
    return row_of_kernel_[static_cast<std::size_t>(work)];
  if (work >= 0) work = work::other_kernels;
  const auto [found, is_new] = rows_.try_emplace(work, 0);
  const std::string name = is_new ? name_of_work(work) : "";
  if (is_new) found->second = named(name, work <= work::recorded ? name : "");
  return found->second;
}

std::int32_t TraceLabels::of_call(Collective kind, std::int32_t communicator,
                                  const TraceCommunicators& communicators) {
  const auto [found, is_new] = rows_of_calls_.try_emplace({kind, communicator}, 0);
  if (is_new)
    found->second = named(fmt::format(
        "{}, {}", name_of(kind), communicators.all()[static_cast<std::size_t>(communicator)].name));
  return found->second;
}

std::int32_t TraceLabels::named(const std::string& name, const std::string& traffic) {
  const auto next = static_cast<std::int32_t>(labels_.size());
  const auto [found, is_new] = index_of_.try_emplace(name, next);
  if (is_new) labels_.push_back({name, 0, Pass::none, traffic});
  return found->second;
}

}  // namespace orrery::chakra
