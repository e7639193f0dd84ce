#include "tests/fuzz/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "formats/chakra/execution_trace.h"
#include "tests/fuzz/text_mutations.h"
#include "tests/fuzz/wire_mutations.h"

namespace orrery::fuzz {

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

// An all-reduce of two ranks: each sends its half, and then the sum of the other half.
void write_chakra_ring(const fs::path& folder) {
  using chakra::Node;
  using chakra::NodeType;
  for (int rank = 0; rank < 2; ++rank) {
    std::vector<Node> nodes;
    for (std::uint64_t id = 0; id < 4; ++id) {
      const bool sends = id % 2 == 0;
      nodes.push_back({.id = id,
                       .name = fmt::format("n{}", id),
                       .type = sends ? NodeType::send : NodeType::receive,
                       .attributes = {{"comm_size", std::int64_t{500}},
                                      {sends ? "comm_dst" : "comm_src", std::int64_t{1 - rank}},
                                      {"comm_tag", std::int64_t{7}}}});
      if (id == 2) nodes.back().data_dependencies = {1};
    }
    nodes.push_back({.id = 9, .type = NodeType::compute, .duration = microseconds(2)});
    chakra::write_trace(folder / fmt::format("ring.{}.et", rank), nodes);
  }
}

}  // namespace

Workspace::Workspace(const fs::path& root, const fs::path& folder) {
  std::ifstream list(root / "tests/fuzz/seeds.txt");
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream columns(line);
    std::string source, file, arguments;
    std::getline(columns, source, '|');
    std::getline(columns, file, '|');
    std::getline(columns, arguments);
    source = trimmed(source);
    std::string name = source;
    std::replace(name.begin(), name.end(), '/', '_');
    Seed seed{.folder = folder / name, .file = trimmed(file), .text = {}, .arguments = {}};
    if (!fs::exists(seed.folder)) {
      fs::create_directories(seed.folder);
      fs::copy(root / source, seed.folder, fs::copy_options::recursive);
      if (name.ends_with("chakra")) write_chakra_ring(seed.folder);
    }
    seed.text = text_of(seed.folder / seed.file);
    std::istringstream words(arguments);
    for (std::string word; words >> word;) {
      if (word.front() == '@') word = seed.folder.string() + word.substr(1);
      seed.arguments.push_back(word);
    }
    seeds_.push_back(std::move(seed));
  }
  if (seeds_.empty()) throw std::runtime_error("no seeds");
}

const Seed& Workspace::prepare(std::uint64_t seed, std::uint64_t number) {
  RandomChoice random(seed, number);
  const Seed& chosen = seeds_[random.below(seeds_.size())];
  if (chosen.file.ends_with(".et")) {
    write(chosen.folder / chosen.file, mutated_messages(chosen.text, random));
  } else {
    // Another text of the same kind, of which parts may be taken over.
    const std::string kind = chosen.file.substr(chosen.file.rfind('.'));
    const Seed* other = &chosen;
    for (int tries = 0; tries < 8; ++tries) {
      const Seed& one = seeds_[random.below(seeds_.size())];
      if (!one.file.ends_with(kind)) continue;
      other = &one;
      break;
    }
    write(chosen.folder / chosen.file, mutated_text(chosen.text, other->text, random));
  }
  return chosen;
}

void Workspace::restore(const Seed& seed) const { write(seed.folder / seed.file, seed.text); }

}  // namespace orrery::fuzz
