#include "report/html/result_view.h"

#include <fmt/format.h>

namespace orrery {

namespace {

template <class Value>
Value value_of(const ResultJson& object, const char* field, Value absent) {
  const auto found = object.find(field);
  if (found == object.end() || found->is_null()) return absent;
  return found->get<Value>();
}

}  // namespace

Duration duration_of(const ResultJson& object, const char* field) {
  return Duration{value_of<std::int64_t>(object, field, 0)};
}
Bytes bytes_of(const ResultJson& object, const char* field) {
  return Bytes{value_of<std::int64_t>(object, field, 0)};
}
double number_of(const ResultJson& object, const char* field) {
  return value_of<double>(object, field, 0);
}
std::int64_t count_of(const ResultJson& object, const char* field) {
  return value_of<std::int64_t>(object, field, 0);
}
std::string text_of(const ResultJson& object, const char* field) {
  return value_of<std::string>(object, field, "");
}

const ResultJson& rows_of(const ResultJson& object, const char* field) {
  static const ResultJson none = ResultJson::array();
  const auto found = object.find(field);
  return found == object.end() || found->is_null() ? none : *found;
}

std::string share_of(Duration part, Duration whole) {
  if (whole.value == 0) return "0 %";
  return fmt::format("{:.1f} %",
                     100 * static_cast<double>(part.value) / static_cast<double>(whole.value));
}

}  // namespace orrery
