#include "formats/chakra/trace_nodes.h"

#include <string_view>
#include <utility>

namespace orrery::chakra {

namespace {

// A trace on the wire may begin with '{' as well, which is then the length of its first message.
bool is_json(std::string_view begin) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t brace = begin.find_first_not_of(kSpace);
  if (brace == std::string_view::npos || begin[brace] != '{') return false;
  const std::size_t next = begin.find_first_not_of(kSpace, brace + 1);
  return next != std::string_view::npos && begin[next] == '"';
}

// What was looked at, and then the others.
class SeenStream final : public ByteStream {
 public:
  SeenStream(std::string_view first, std::unique_ptr<ByteStream> others)
      : first_(first), others_(std::move(others)) {}
  std::string_view next() override {
    return first_.empty() ? others_->next() : std::exchange(first_, {});
  }

 private:
  std::string_view first_;
  std::unique_ptr<ByteStream> others_;
};

}  // namespace

TraceHead read_nodes(const std::string& file, std::unique_ptr<ByteStream> bytes,
                     const UseNode& use) {
  std::unique_ptr<ByteStream> plain = unpacked(file, std::move(bytes));
  const std::string_view first = plain->next();
  auto all = std::make_unique<SeenStream>(first, std::move(plain));
  if (!is_json(first)) return read_wire_nodes(file, *all, use);
  read_json_nodes(file, *istream_of(std::move(all)), use);
  return {.version = "JSON", .attributes = {}};
}

}  // namespace orrery::chakra
