// Where in its file each node is, by its id. Files number their nodes one after the other, most of
// them: then this takes no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace orrery::chakra {

class NodePlaces {
 public:
  // The next node of the file. False if it is known already that another one has this id.
  bool add(std::uint64_t id);
  // After the last one. Returns the place of a node whose id another one before it has.
  std::optional<std::int32_t> close();

  std::size_t size() const { return size_; }
  // REQUIRES: closed. The place of an id.
  std::optional<std::int32_t> find(std::uint64_t id) const;
  std::uint64_t id_at(std::int32_t place) const {
    return ids_.empty() ? first_ + static_cast<std::uint64_t>(place)
                        : ids_[static_cast<std::size_t>(place)];
  }

 private:
  std::uint64_t first_ = 0;  // without ids_, node i has the id first_ + i
  std::size_t size_ = 0;
  std::vector<std::uint64_t> ids_;   // by place
  std::vector<std::int32_t> by_id_;  // places in the order of their ids, if these are far apart
  std::vector<std::int32_t> of_id_;  // else by id - least_; -1 = none
  std::uint64_t least_ = 0;
};

}  // namespace orrery::chakra
