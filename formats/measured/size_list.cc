#include "formats/measured/size_list.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <string_view>
#include <variant>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "core/units/unit_text.h"

namespace orrery {

namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

class SizeListParser {
 public:
  explicit SizeListParser(const std::string& text) : text_(text) {}

  std::vector<Bytes> parse() {
    for (const std::string& item : split(text_, ',')) {
      const std::vector<std::string> parts = split(item, ':');
      if (parts.size() > 3) {
        fail(in_quotes(item) + " has too many parts", "write MIN:MAX:xFACTOR");
      }
      if (parts.size() == 1) {
        add(size(item));
      } else {
        add_range(size(parts[0]), size(parts[1]), parts.size() == 3 ? parts[2] : "x2");
      }
    }
    return sizes_;
  }

 private:
  [[noreturn]] void fail(std::string what, std::string remedy) const {
    throw ConfigError(
        {.file = "--size " + text_, .what = std::move(what), .remedy = std::move(remedy)});
  }

  // nccl-tests' K, M, G and T are our KiB, MiB, GiB and TiB; without a letter, bytes.
  Bytes size(const std::string& text) const {
    std::string with_unit = text;
    const char last = text.empty() ? '?' : text.back();
    if (last >= '0' && last <= '9') with_unit += " B";
    if (std::string_view("KMGT").find(last) != std::string_view::npos) with_unit += "iB";
    const Parsed<Bytes> parsed = parse_bytes(with_unit);
    if (std::holds_alternative<UnitError>(parsed)) {
      fail(in_quotes(text) + " is not a size",
           "write for example 8, 64K, 1M or 8G (powers of 1024), or 1 MB, 64 KiB");
    }
    const Bytes size = std::get<Bytes>(parsed);
    if (size < bytes(1)) fail(in_quotes(text) + " is no data", "begin with 1 byte or more");
    return size;
  }

  void add(Bytes size) {
    sizes_.push_back(size);
    if (sizes_.size() > sizes_at_most) {
      fail(fmt::format("these are more than {} sizes", sizes_at_most),
           "use a larger factor or step");
    }
  }

  void add_range(Bytes smallest, Bytes largest, const std::string& rule) {
    if (smallest > largest) {
      fail(fmt::format("the range begins at {} and ends at {}", exact_text(smallest),
                       exact_text(largest)),
           "write the smaller one first");
    }
    std::int64_t factor = 1, step = 0;
    if (rule.starts_with('x')) {
      factor = factor_of(rule);
    } else if (rule.starts_with('+')) {
      step = size(rule.substr(1)).value;
    } else {
      fail(in_quotes(rule) + " is neither a factor nor a step",
           "write for example x2 (each size twice the one before) or +1M");
    }
    for (std::int64_t value = smallest.value; value <= largest.value;) {
      add({value});
      if (value > (std::numeric_limits<std::int64_t>::max() - step) / factor) break;
      value = value * factor + step;
    }
  }

  std::int64_t factor_of(const std::string& rule) const {
    std::int64_t factor = 0;
    const char* end = rule.data() + rule.size();
    const auto [stop, error] = std::from_chars(rule.data() + 1, end, factor);
    if (error != std::errc() || stop != end || factor < 2) {
      fail(in_quotes(rule) + " does not make the size grow by a whole factor",
           "write x2 or more, or a step like +1M");
    }
    return factor;
  }

  const std::string& text_;
  std::vector<Bytes> sizes_;
};

}  // namespace

std::vector<Bytes> parse_size_list(const std::string& text) { return SizeListParser(text).parse(); }

}  // namespace orrery
