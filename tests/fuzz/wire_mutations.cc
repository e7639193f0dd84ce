#include "tests/fuzz/wire_mutations.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::fuzz {

namespace {

constexpr std::uint64_t values[] = {0,
                                    1,
                                    2,
                                    7,
                                    127,
                                    128,
                                    1'000'000,
                                    0x7fff'ffff,
                                    0x8000'0000,
                                    0xffff'ffff,
                                    0x1'0000'0000,
                                    0x7fff'ffff'ffff'ffff,
                                    0x8000'0000'0000'0000,
                                    std::numeric_limits<std::uint64_t>::max()};

enum WireType : std::uint8_t { varint = 0, fixed64 = 1, delimited = 2, fixed32 = 5 };

struct Field {
  std::uint32_t number = 0;
  WireType type = varint;
  std::uint64_t value = 0;  // of a varint
  std::string bytes;        // of all others
};

class Input {
 public:
  explicit Input(std::string_view bytes) : left_(bytes) {}

  bool done() const { return left_.empty(); }
  std::optional<std::uint64_t> number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }
  std::optional<std::string> take(std::uint64_t length) {
    if (length > left_.size()) return std::nullopt;
    std::string part(left_.substr(0, length));
    left_.remove_prefix(length);
    return part;
  }

 private:
  std::string_view left_;
};

void append_number(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
  bytes += static_cast<char>(value);
}

void append_delimited(std::string& bytes, const std::string& content) {
  append_number(bytes, content.size());
  bytes += content;
}

// Nothing if the bytes are no message.
std::optional<std::vector<Field>> fields_of(std::string_view bytes) {
  Input input(bytes);
  std::vector<Field> fields;
  while (!input.done()) {
    const auto tag = input.number();
    if (!tag || *tag >> 3 == 0 || *tag >> 32 != 0) return std::nullopt;
    Field field;
    field.number = static_cast<std::uint32_t>(*tag >> 3);
    field.type = static_cast<WireType>(*tag & 7);
    std::optional<std::string> content = "";
    if (field.type == varint || field.type == delimited) {
      const auto value = input.number();
      if (!value) return std::nullopt;
      field.value = *value;
    }
    if (field.type == delimited) content = input.take(field.value);
    if (field.type == fixed64) content = input.take(8);
    if (field.type == fixed32) content = input.take(4);
    const bool known = field.type <= delimited || field.type == fixed32;
    if (!content || !known) return std::nullopt;
    field.bytes = std::move(*content);
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string bytes_of(const std::vector<Field>& fields) {
  std::string bytes;
  for (const Field& field : fields) {
    append_number(bytes, std::uint64_t{field.number} << 3 | field.type);
    if (field.type == varint)
      append_number(bytes, field.value);
    else if (field.type == delimited)
      append_delimited(bytes, field.bytes);
    else
      bytes += field.bytes;
  }
  return bytes;
}

template <class T>
void drop_double_or_swap(std::vector<T>& all, RandomChoice& random) {
  const std::size_t one = random.below(all.size()), other = random.below(all.size());
  const std::size_t choice = random.below(3);
  if (choice == 0) all.erase(all.begin() + static_cast<std::ptrdiff_t>(one));
  if (choice == 1) all.push_back(T(all[one]));
  if (choice == 2) std::swap(all[one], all[other]);
}

std::string changed(const std::string& message, RandomChoice& random);

void change(Field& field, RandomChoice& random) {
  if (random.one_in(12)) field.number = static_cast<std::uint32_t>(1 + random.below(32));
  if (field.type == varint)
    field.value = random.one_in(3) ? field.value + random.below(5) - 2
                                   : values[random.below(std::size(values))];
  else if (field.type == delimited)
    field.bytes = changed(field.bytes, random);
  else
    field.bytes[random.below(field.bytes.size())] = static_cast<char>(random.bits());
}

std::string changed(const std::string& message, RandomChoice& random) {
  auto fields = fields_of(message);
  if (!fields || fields->empty()) {  // a text, or packed numbers
    std::string bytes = message;
    if (bytes.empty() || random.one_in(4)) {
      append_number(bytes, values[random.below(std::size(values))]);
    } else {
      bytes[random.below(bytes.size())] = static_cast<char>(random.bits());
    }
    return bytes;
  }
  if (random.one_in(3))
    drop_double_or_swap(*fields, random);
  else
    change((*fields)[random.below(fields->size())], random);
  return bytes_of(*fields);
}

}  // namespace

std::string mutated_messages(const std::string& bytes, RandomChoice& random) {
  std::vector<std::string> messages;
  for (Input input(bytes); !input.done();) {
    const auto length = input.number();
    auto message = length ? input.take(*length) : std::nullopt;
    if (!message) break;
    messages.push_back(std::move(*message));
  }
  for (std::size_t changes = 1 + random.below(4); changes > 0 && !messages.empty(); --changes) {
    if (random.one_in(4)) {
      drop_double_or_swap(messages, random);
      continue;
    }
    std::string& message = messages[random.below(messages.size())];
    message = changed(message, random);
  }
  std::string result;
  for (const std::string& message : messages) append_delimited(result, message);
  if (!result.empty() && random.one_in(10))
    result[random.below(result.size())] = static_cast<char>(random.bits());
  if (random.one_in(20)) result.resize(random.below(result.size() + 1));
  return result;
}

}  // namespace orrery::fuzz
