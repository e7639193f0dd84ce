#include "system/rank/chunk_line.h"

#include <algorithm>

namespace orrery {

ChunkLine through(std::span<const TimedStage> stages, ChunkLine line, std::int32_t chunks) {
  const auto others = static_cast<double>(chunks - 1);
  const auto since = static_cast<double>(line.first.value);
  const double between =
      others == 0 ? 0 : static_cast<double>((line.last - line.first).value) / others;
  auto first = since;
  Duration alone, busy;
  Duration before;  // what others have posted: the first stage is before all of theirs
  for (const TimedStage& stage : stages) {
    const Duration sending = std::max(stage.sending, stage.at_port);
    alone += (sending + stage.latency) * stage.count;
    busy += sending * stage.count;
    constexpr std::int64_t looks = 64;  // at how many chunks have come
    const std::int64_t step = (stage.count + looks - 1) / looks;
    for (std::int64_t done = 0; done < stage.count;) {
      const std::int64_t next = before == sending ? std::min(step, stage.count - done) : 1;
      const double came = between > 0 ? std::min(others, (first - since) / between) : others;
      const double all =
          static_cast<double>(sending.value) + static_cast<double>(before.value) * came;
      const auto own = static_cast<double>((sending + stage.latency).value);
      first += std::max(all, own) * static_cast<double>(next);
      done += next;
      before = sending;
    }
  }
  const Duration latency = stages.empty() ? Duration{} : stages.back().latency;
  const Duration last = std::max(line.last + alone, line.first + busy * chunks + latency);
  return {std::min(last, picoseconds(static_cast<std::int64_t>(first))), last};
}

}  // namespace orrery
