#include "simulation/sweep_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/check.h"
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

// Goes through the grid by one step index for each axis.
class GridWalk {
 public:
  explicit GridWalk(const Sweep& sweep) : sweep_(sweep), steps_(sweep.axes.size(), 0) {
    for (const SweepSetting& setting : sweep.common) common_.push_back(sweep_value(setting.value));
    for (const SweepAxis& axis : sweep.axes) {
      axes_.emplace_back();
      for (const std::vector<SweepSetting>& step : axis.steps) {
        axes_.back().emplace_back();
        for (const SweepSetting& setting : step)
          axes_.back().back().push_back(sweep_value(setting.value));
      }
    }
    for (const SweepCondition& condition : sweep.where) {
      places_.emplace_back();
      for (const std::string& key : condition.keys()) places_.back().push_back(place_of(key));
    }
  }

  // False after the last one.
  bool next() {
    for (std::size_t axis = steps_.size(); axis-- > 0;) {
      if (++steps_[axis] < axes_[axis].size()) return true;
      steps_[axis] = 0;
    }
    return false;
  }

  bool is_wanted() {
    for (std::size_t i = 0; i < sweep_.where.size(); ++i) {
      values_.clear();
      for (const Place& place : places_[i])
        values_.push_back(place.axis == in_common
                              ? &common_[place.key]
                              : &axes_[place.axis][steps_[place.axis]][place.key]);
      if (!sweep_.where[i].holds(values_)) return false;
    }
    return true;
  }

  SweepPoint point(const std::string& experiment) const {
    SweepPoint point{experiment, {}, sweep_.common};
    for (std::size_t axis = 0; axis < steps_.size(); ++axis)
      for (const SweepSetting& setting : sweep_.axes[axis].steps[steps_[axis]]) {
        point.varied.push_back(setting);
        point.settings.push_back(setting);
      }
    return point;
  }

 private:
  static constexpr std::size_t in_common = std::numeric_limits<std::size_t>::max();
  struct Place {
    std::size_t axis, key;
  };

  Place place_of(const std::string& key) const {
    for (std::size_t axis = 0; axis < sweep_.axes.size(); ++axis) {
      const std::vector<SweepSetting>& step = sweep_.axes[axis].steps.front();
      for (std::size_t i = 0; i < step.size(); ++i)
        if (step[i].key == key) return {axis, i};
    }
    const auto found = std::ranges::find(sweep_.common, key, &SweepSetting::key);
    CHECK(found != sweep_.common.end(), "a condition reads {}, which has no values", key);
    return {in_common, static_cast<std::size_t>(found - sweep_.common.begin())};
  }

  const Sweep& sweep_;
  std::vector<std::size_t> steps_;
  std::vector<SweepValue> common_;
  std::vector<std::vector<std::vector<SweepValue>>> axes_;  // as Sweep::axes
  std::vector<std::vector<Place>> places_;                  // of the keys of each condition
  std::vector<const SweepValue*> values_;
};

}  // namespace

std::vector<SweepPoint> points_of(const Sweep& sweep, std::size_t most) {
  std::vector<SweepPoint> points;
  for (const std::string& experiment : sweep.experiments) {
    GridWalk walk(sweep);
    do {
      if (points.size() == most) return points;
      if (walk.is_wanted()) points.push_back(walk.point(experiment));
    } while (walk.next());
  }
  return points;
}

std::size_t count_combinations(const Sweep& sweep) {
  std::size_t count = sweep.experiments.size();
  for (const SweepAxis& axis : sweep.axes) count *= axis.steps.size();
  return count;
}

std::size_t count_points(const Sweep& sweep) {
  if (sweep.where.empty() || sweep.experiments.empty()) return count_combinations(sweep);
  std::size_t count = 0;
  GridWalk walk(sweep);
  do {
    if (walk.is_wanted()) ++count;
  } while (walk.next());
  return count * sweep.experiments.size();
}

std::string folder_name(const SweepPoint& point, const std::string& identity) {
  constexpr std::size_t readable_at_most = 120;  // file systems end at 255 bytes
  std::string name = readable(std::filesystem::path(point.experiment).stem().string());
  for (const SweepSetting& setting : point.varied)
    name += fmt::format(",{}={}", readable(last_step(setting.key)), readable(setting.value));
  if (name.size() > readable_at_most) name.resize(readable_at_most);
  return fmt::format("{},{}", name, hash_text(identity));
}

}  // namespace orrery
