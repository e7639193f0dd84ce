#include "frontends/yaml/load_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/base/io_error.h"
#include "formats/yaml/problems.h"
#include "frontends/yaml/input_files.h"
#include "frontends/yaml/reader.h"
#include "frontends/yaml/sweep_axes.h"
#include "report/result_path.h"
#include "report/sweep_row.h"

namespace orrery {

namespace yaml {

namespace {

// The keys that get values anywhere in the file. A key that stands in two places would be set
// twice, and the first value have no effect.
class KnownKeys {
 public:
  explicit KnownKeys(Problems& problems) : problems_(problems) {}

  void add(const std::string& key, const Place& place, const std::string& path) {
    if (std::ranges::find(keys_, key) != keys_.end())
      problems_.add(place, path, fmt::format("{} is given twice", key), "keep one of them");
    keys_.push_back(key);
  }
  void add_of(const YamlNode& map, const std::string& path) {
    for (const YamlNode& child : map.children) add(child.key, child.key_place, path);
  }

  const std::vector<std::string>& all() const { return keys_; }

 private:
  Problems& problems_;
  std::vector<std::string> keys_;
};

// Each point is a simulation with a folder of its own.
void check_points(const Sweep& sweep, const Place& place, Problems& problems) {
  constexpr double most = 1'000'000;
  auto points = static_cast<double>(sweep.experiments.size());
  for (const SweepAxis& axis : sweep.axes) points *= static_cast<double>(axis.steps.size());
  if (points > most)
    problems.add(place, "vary", fmt::format("the grid has {:.0f} points", points),
                 fmt::format("a sweep has at most {:.0f}: vary fewer keys or values", most));
}

// Where a condition goes wrong, as far as it stands in one line.
Place place_in(const YamlNode& node, std::size_t offset) {
  Place place = node.place;
  if (place.source == nullptr || place.line < 1 ||
      static_cast<std::size_t>(place.line) > place.source->lines.size())
    return place;
  const std::string_view line = place.source->lines[static_cast<std::size_t>(place.line) - 1];
  const std::size_t begin = line.find(node.text.substr(0, offset));
  if (begin != std::string_view::npos && begin + 1 >= static_cast<std::size_t>(place.column))
    place.column = static_cast<int>(begin + offset) + 1;
  return place;
}

class SweepReader {
 public:
  SweepReader(Reader& reader, Sweep& sweep, Problems& problems)
      : reader_(reader), sweep_(sweep), problems_(problems), keys_(problems) {}

  void read() {
    reader_.optional("name", sweep_.name, "for reports");
    read_experiments();
    reader_.free_form("set", [&](const YamlNode& node) {
      if (node.kind != NodeKind::map)
        return problems_.add(node.place, "set", fmt::format("this is {}", name_of(node.kind)),
                             "write a map: {workload.iterations: 2}");
      for (const YamlNode& child : node.children)
        sweep_.common.push_back(setting_of(child.key, child));
      keys_.add_of(node, "set");
    });
    reader_.free_form("vary", [&](const YamlNode& node) { read_vary(node); });
    reader_.free_form("zip", [&](const YamlNode& node) {
      add_axis(zip_axis(node, "zip", problems_), node);
      keys_.add_of(node, "zip");
    });
    for (const Sampling sampling : {Sampling::random, Sampling::latin}) {
      const char* section = sampling == Sampling::latin ? "latin" : "random";
      reader_.free_form(section, [&](const YamlNode& node) {
        add_axis(sampled_axis(sampling, node, reader_.texts(), problems_), node);
        if (const YamlNode* keys = node.find("keys")) keys_.add_of(*keys, section);
      });
    }
    reader_.free_form("repeat", [&](const YamlNode& node) {
      add_axis(repeat_axis(node, reader_.texts(), problems_), node);
      keys_.add("seed", node.key_place, "repeat");
    });
    check_points(sweep_, grid_place_, problems_);
    reader_.free_form("where", [&](const YamlNode& node) { read_where(node); });
    reader_.free_form("metrics", [&](const YamlNode& node) { read_metrics(node); });
  }

 private:
  void read_experiments() {
    OneOrMore<std::string> experiments;
    reader_.required("experiments", experiments, "the experiment files, relative to this one");
    reader_.free_form("experiments", [&](const YamlNode& node) {
      if (node.kind == NodeKind::scalar) add_experiment(node);
      for (const YamlNode& child : node.children) {
        const std::string file = resolved_path(child);
        if (std::ranges::find(sweep_.experiments, file) != sweep_.experiments.end())
          problems_.add(child.place, "experiments", fmt::format("{} is given twice", child.text),
                        "keep one of them");
        add_experiment(child);
      }
    });
  }

  void add_experiment(const YamlNode& name) {
    sweep_.experiments.push_back(resolved_path(name));
    try {
      reader_.texts().read(sweep_.experiments.back());
    } catch (const IoError& error) {
      problems_.add(name.place, "experiments", error.what(), unreadable_remedy);
    }
  }

  void read_vary(const YamlNode& node) {
    if (node.kind != NodeKind::list)
      return problems_.add(node.place, "vary", fmt::format("this is {}", name_of(node.kind)),
                           "write a list: `- system.chunks: [32, 128]`");
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      add_axis(zip_axis(node.children[i], item_path("vary", i), problems_), node);
      keys_.add_of(node.children[i], "vary");
    }
  }

  void add_axis(std::optional<SweepAxis> axis, const YamlNode& node) {
    if (!axis) return;
    sweep_.axes.push_back(std::move(*axis));
    if (grid_place_.line == 0) grid_place_ = node.place;
  }

  void read_condition(const YamlNode& node) {
    if (node.kind != NodeKind::scalar)
      return problems_.add(node.place, "where", fmt::format("this is {}", name_of(node.kind)),
                           "write a condition, or a list of them: `system.chunks < 64`");
    try {
      sweep_.where.emplace_back(node.text, keys_.all());
    } catch (const SweepConditionError& error) {
      problems_.add(place_in(node, error.offset), "where", error.what(), error.remedy);
    }
  }

  // Tries the conditions at every point of a grid that is right.
  void read_where(const YamlNode& node) {
    if (node.kind != NodeKind::list) read_condition(node);
    if (node.kind == NodeKind::list)
      for (const YamlNode& child : node.children) read_condition(child);
    if (problems_.count() > 0) return;
    try {
      const std::size_t all = count_combinations(sweep_);
      if (all > 0 && count_points(sweep_) == 0)
        problems_.add(node.place, "where", fmt::format("no point is left of {}", all),
                      "write a condition that holds for some values");
    } catch (const SweepConditionError& error) {
      const bool is_one = node.kind == NodeKind::scalar;
      problems_.add(is_one ? place_in(node, error.offset) : node.place, "where", error.what(),
                    error.remedy);
    }
  }

  // A column that is there anyway may be named.
  void read_metric(const YamlNode& node) {
    if (node.kind != NodeKind::scalar)
      return problems_.add(node.place, "metrics", fmt::format("this is {}", name_of(node.kind)),
                           "write numbers of a result: [training.samples_per_s, why.TP.time_ps]");
    if (std::ranges::find(sweep_.metrics, node.text) != sweep_.metrics.end())
      return problems_.add(node.place, "metrics", fmt::format("{} is given twice", node.text),
                           "keep one of them");
    if (!is_sweep_column(node.text))
      if (const auto problem = problem_of_path(node.text))
        return problems_.add(node.place, "metrics", problem->what, problem->remedy);
    sweep_.metrics.push_back(node.text);
  }

  void read_metrics(const YamlNode& node) {
    if (node.kind != NodeKind::list) return read_metric(node);
    for (const YamlNode& child : node.children) read_metric(child);
  }

  Reader& reader_;
  Sweep& sweep_;
  Problems& problems_;
  KnownKeys keys_;
  Place grid_place_;  // of the first key that makes the grid larger
};

}  // namespace

}  // namespace yaml

Sweep load_sweep(const std::string& path) {
  yaml::Problems problems;
  InputTexts texts;
  yaml::InputFiles files(problems, texts);
  const std::optional<yaml::YamlNode> root = files.read(path, "");
  Sweep sweep;
  if (root && root->kind != yaml::NodeKind::map) {
    problems.add(root->place, "", fmt::format("this is {}", name_of(root->kind)),
                 "a sweep is a map: `experiments: ...`, `vary: ...`");
  } else if (root) {
    sweep.name = std::filesystem::path(path).stem().string();
    std::vector<ResolvedValue> unused;
    yaml::Reader reader(problems, texts, unused, *root, root->place, "");
    yaml::SweepReader(reader, sweep, problems).read();
    reader.finish();
  }
  problems.throw_if_any();
  return sweep;
}

}  // namespace orrery
