#include "formats/chakra/node_places.h"

#include <algorithm>
#include <numeric>

namespace orrery::chakra {

bool NodePlaces::add(std::uint64_t id) {
  if (size_ == 0) first_ = id;
  if (ids_.empty() && id != first_ + size_) {
    if (id - first_ < size_) return false;
    ids_.resize(size_);
    std::iota(ids_.begin(), ids_.end(), first_);
  }
  if (!ids_.empty()) {
    if (ids_.back() == id) return false;
    ids_.push_back(id);
  }
  ++size_;
  return true;
}

std::optional<std::int32_t> NodePlaces::close() {
  if (ids_.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(ids_);
  least_ = least;
  const bool are_near = (most - least) / 4 <= ids_.size();
  if (are_near) {
    of_id_.assign(most - least + 1, -1);
    for (std::size_t place = 0; place < ids_.size(); ++place) {
      std::int32_t& known = of_id_[ids_[place] - least];
      if (known >= 0) return static_cast<std::int32_t>(place);
      known = static_cast<std::int32_t>(place);
    }
    return std::nullopt;
  }
  by_id_.resize(ids_.size());
  std::iota(by_id_.begin(), by_id_.end(), 0);
  const auto id_of = [this](std::int32_t place) { return id_at(place); };
  std::ranges::stable_sort(by_id_, {}, id_of);
  const auto twice = std::ranges::adjacent_find(by_id_, {}, id_of);
  if (twice == by_id_.end()) return std::nullopt;
  return *std::next(twice);
}

std::optional<std::int32_t> NodePlaces::find(std::uint64_t id) const {
  if (ids_.empty())
    return id - first_ < size_ ? std::optional(static_cast<std::int32_t>(id - first_))
                               : std::nullopt;
  if (!of_id_.empty()) {
    if (id - least_ >= of_id_.size() || of_id_[id - least_] < 0) return std::nullopt;
    return of_id_[id - least_];
  }
  const auto at =
      std::ranges::lower_bound(by_id_, id, {}, [this](std::int32_t place) { return id_at(place); });
  if (at == by_id_.end() || id_at(*at) != id) return std::nullopt;
  return *at;
}

}  // namespace orrery::chakra
