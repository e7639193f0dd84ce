#include "simulation/sweep_grid.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/base/hash.h"

namespace orrery {

namespace {

std::string readable(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain || c == '.' || c == '_' || c == '-') result += c;
  }
  return result;
}

std::string last_step(const std::string& key) { return key.substr(key.rfind('.') + 1); }

}  // namespace

std::vector<SweepPoint> points_of(const Sweep& sweep) {
  std::vector<SweepPoint> points;
  for (const std::string& experiment : sweep.experiments)
    points.push_back({experiment, {}, sweep.common});
  for (const SweepAxis& axis : sweep.axes) {
    std::vector<SweepPoint> finer;
    for (const SweepPoint& point : points)
      for (const std::vector<SweepSetting>& step : axis.steps) {
        finer.push_back(point);
        finer.back().varied.insert(finer.back().varied.end(), step.begin(), step.end());
        finer.back().settings.insert(finer.back().settings.end(), step.begin(), step.end());
      }
    points = std::move(finer);
  }
  return points;
}

std::string folder_name(const SweepPoint& point) {
  constexpr std::size_t readable_at_most = 120;  // file systems end at 255 bytes
  std::string name = readable(std::filesystem::path(point.experiment).stem().string());
  std::string identity = point.experiment;
  for (const SweepSetting& setting : point.varied)
    name += fmt::format(",{}={}", readable(last_step(setting.key)), readable(setting.value));
  for (const SweepSetting& setting : point.settings)
    identity += fmt::format("\n{}={}", setting.key, setting.value);
  if (name.size() > readable_at_most) name.resize(readable_at_most);
  return fmt::format("{},{}", name, hash_text(identity));
}

}  // namespace orrery
