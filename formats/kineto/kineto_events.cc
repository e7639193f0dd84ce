#include "formats/kineto/kineto_events.h"

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/config_error.h"
#include "formats/input/parsed_json.h"

namespace orrery::kineto {

namespace {

using Json = nlohmann::json;

enum class Key : std::uint8_t {
  other,
  category,
  name,
  begin,
  duration,
  thread,
  arguments,
  external,
  correlation,
  collective,
  given,
  received,
  ranks,
  data_type,
  shapes,
  types
};

struct KeyName {
  std::string_view name;
  Key key;
};
constexpr std::array kOfEvents = {KeyName{"ts", Key::begin},     KeyName{"dur", Key::duration},
                                  KeyName{"cat", Key::category}, KeyName{"name", Key::name},
                                  KeyName{"tid", Key::thread},   KeyName{"args", Key::arguments}};
constexpr std::array kOfArguments = {KeyName{"External id", Key::external},
                                     KeyName{"correlation", Key::correlation},
                                     KeyName{"Collective name", Key::collective},
                                     KeyName{"In msg nelems", Key::given},
                                     KeyName{"Out msg nelems", Key::received},
                                     KeyName{"Group size", Key::ranks},
                                     KeyName{"dtype", Key::data_type},
                                     KeyName{"Input Dims", Key::shapes},
                                     KeyName{"Input type", Key::types}};

template <class Names>
Key key_named(const Names& names, std::string_view name) {
  for (const KeyName& known : names)
    if (known.name == name) return known.key;
  return Key::other;
}

// What the parser calls, token by token. `level_` counts from the list of events: 1 is an event, 2
// its arguments, 3 a list in them, 4 a list in that.
class EventReader {
 public:
  EventReader(const std::string& file, const std::function<void(const Event&)>& use)
      : file_(file), use_(use) {}

  std::int64_t events = 0;
  bool found = false;  // the list

  // NOLINTBEGIN: the parser's names
  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(std::int64_t value) { return number(static_cast<double>(value), value); }
  bool number_unsigned(std::uint64_t value) {
    return number(static_cast<double>(value), static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string&) { return number(value, -1); }
  bool string(std::string& value) {
    if (level_ == 1 && key_ == Key::category) event_.category = std::move(value);
    if (level_ == 1 && key_ == Key::name) event_.name = std::move(value);
    if (level_ == 2 && argument_ == Key::collective) event_.collective = std::move(value);
    if (level_ == 2 && argument_ == Key::data_type) event_.data_type = std::move(value);
    if (level_ == 3 && argument_ == Key::types && event_.first_type.empty())
      event_.first_type = std::move(value);
    return true;
  }
  bool binary(std::vector<std::uint8_t>&) { return true; }
  bool key(std::string& name) {
    if (level_ == 1) key_ = key_named(kOfEvents, name);
    if (level_ == 2) argument_ = key_named(kOfArguments, name);
    if (level_ < 0 && depth_ == 1) is_list_of_events_ = name == "traceEvents";
    return true;
  }
  bool start_object(std::size_t) {
    enter();
    if (level_ == 1) {
      event_ = {};
      key_ = Key::other;
    }
    argument_ = level_ == 2 ? Key::other : argument_;
    return true;
  }
  bool end_object() {
    if (level_ == 1) {
      ++events;
      use_(event_);
    }
    leave();
    return true;
  }
  bool start_array(std::size_t) {
    // The list may be the whole file.
    const bool begins = level_ < 0 && (depth_ == 0 || (depth_ == 1 && is_list_of_events_));
    enter();
    if (begins) {
      level_ = 0;
      found = true;
    }
    if (in_shapes() && level_ == 4) event_.shapes.emplace_back();
    if (in_shapes() && level_ > 4) nested_ = true;
    return true;
  }
  bool end_array() {
    if (in_shapes() && level_ == 3 && std::exchange(nested_, false)) event_.shapes.clear();
    leave();
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) {
    throw json_refusal(file_, "the trace", error.what());
  }
  // NOLINTEND

 private:
  // Of events alone level 2 is their arguments, and what lies in other keys counts as deeper.
  void enter() {
    ++depth_;
    if (level_ >= 0) ++level_;
    if (level_ == 2 && key_ != Key::arguments) level_ += kElsewhere;
  }
  void leave() {
    --depth_;
    if (level_ < 0) return;
    --level_;
    if (level_ == kElsewhere + 1) level_ = 1;
    if (level_ < 0) is_list_of_events_ = false;
  }
  bool in_shapes() const { return level_ < kElsewhere && argument_ == Key::shapes; }

  bool number(double value, std::int64_t whole) {
    if (level_ == 1 && key_ == Key::begin) event_.begin_us = value;
    if (level_ == 1 && key_ == Key::duration) event_.duration_us = value;
    if (level_ == 1 && key_ == Key::thread) event_.thread = whole;
    if (level_ == 4 && in_shapes() && !event_.shapes.empty()) event_.shapes.back().push_back(whole);
    if (level_ != 2) return true;
    if (argument_ == Key::external) event_.external = whole;
    if (argument_ == Key::correlation) event_.correlation = whole;
    if (argument_ == Key::given) event_.given = whole;
    if (argument_ == Key::received) event_.received = whole;
    if (argument_ == Key::ranks) event_.ranks = whole;
    return true;
  }

  static constexpr int kElsewhere = 1 << 20;

  const std::string& file_;
  const std::function<void(const Event&)>& use_;
  Event event_;
  Key key_ = Key::other, argument_ = Key::other;
  int level_ = -1;  // none: outside of the list
  int depth_ = 0;   // of the text
  bool is_list_of_events_ = false, nested_ = false;
};

}  // namespace

std::int64_t read_events(const std::string& file, std::istream& text,
                         const std::function<void(const Event&)>& use) {
  EventReader reader(file, use);
  Json::sax_parse(text, &reader);
  if (!reader.found)
    throw ConfigError({.file = file,
                       .what = "there is no list \"traceEvents\"",
                       .remedy = "name what PyTorch's profiler exported: "
                                 "prof.export_chrome_trace(\"trace.json.gz\")"});
  return reader.events;
}

bool is_profile(std::string_view begin) {
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || begin[first] != '{') return false;
  const auto says = [&](std::string_view key) { return begin.find(key) != std::string_view::npos; };
  return !says("\"workload_graph\"") && (says("\"traceEvents\"") || says("\"schemaVersion\""));
}

}  // namespace orrery::kineto
