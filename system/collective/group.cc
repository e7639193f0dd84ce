#include "system/collective/group.h"

#include <algorithm>
#include <numeric>

#include "core/base/check.h"
#include "system/collective/row_order.h"

namespace orrery {
namespace {

// One past the ids that an NPU shares level `level` with, for the NPU 0.
std::int32_t unit_of(const Topology& topology, int level) {
  return topology.stride(level) * topology.levels()[level].size;
}

// How many of the ranks, which ascend, are in each unit of so many consecutive NPUs that has any.
std::vector<std::int32_t> members_of_units(const std::vector<Rank>& ranks, std::int32_t unit) {
  std::vector<std::int32_t> members;
  Rank last = -1;
  for (const Rank rank : ranks) {
    if (last < 0 || rank / unit != last / unit) members.push_back(0);
    ++members.back();
    last = rank;
  }
  return members;
}

bool all_equal(const std::vector<std::int32_t>& numbers) {
  return std::equal(numbers.begin() + 1, numbers.end(), numbers.begin());
}

// Whether members of a dimension differ in the coordinate of its level only.
bool is_along_level(const std::vector<Rank>& ranks, const GroupDimension& dimension,
                    const Topology& topology) {
  for (Position p = 0; p < static_cast<Position>(ranks.size()); ++p) {
    if (dimension.coordinate(p) == 0) continue;
    const Rank rank = ranks[p], neighbour = ranks[p - dimension.stride];
    const std::int32_t unit = unit_of(topology, dimension.level);
    if ((rank - neighbour) % topology.stride(dimension.level) != 0 ||
        rank / unit != neighbour / unit)
      return false;
  }
  return true;
}

GroupLayout layout_of(const std::vector<Rank>& ranks, const Topology& topology) {
  const auto size = static_cast<std::int32_t>(ranks.size());
  GroupLayout layout{.dimensions = {},
                     .along = {},
                     .whole = {},
                     .shape = GroupShape(members_of_units(ranks, ranks_of_node(topology)))};
  std::int32_t stride = 1;
  for (int level = 0; stride < size; ++level) {
    const auto members = members_of_units(ranks, unit_of(topology, level));
    if (members[0] == stride || !all_equal(members)) continue;
    GroupDimension dimension{level, members[0] / stride, stride, true};
    dimension.one_level = is_along_level(ranks, dimension, topology);
    layout.dimensions.push_back(dimension);
    stride = members[0];
  }
  layout.whole = {layout.dimensions.back().level, size, 1,
                  layout.dimensions.size() == 1 && layout.dimensions[0].one_level};
  return layout;
}

// As exchanges see it.
GroupLayout joined_at_ports(GroupLayout layout, const Topology& topology) {
  std::vector<GroupDimension> joined;
  for (GroupDimension& dimension : layout.dimensions) {
    const bool behind_same_links =
        !joined.empty() && joined.back().one_level && dimension.one_level &&
        topology.port_level(joined.back().level) == topology.port_level(dimension.level);
    if (behind_same_links) {
      GroupDimension& inner = joined.back();
      inner.level = dimension.level;
      inner.size *= dimension.size;
      inner.rows = 1;
      inner.joined = true;
    } else {
      joined.push_back(dimension);
    }
  }
  for (GroupDimension& dimension : joined)
    if (dimension.joined) dimension.one_level = false;
  layout.dimensions = std::move(joined);
  return layout;
}

// The whole family: the ranks are spread over all coordinates between the extents.
std::vector<Rank> members_from(Rank base, const std::vector<Extent>& extents) {
  std::vector<Rank> ranks = {base};
  for (const Extent& extent : extents) {
    const std::size_t below = ranks.size();
    for (std::int32_t i = 1; i < extent.count; ++i)
      for (std::size_t j = 0; j < below; ++j) ranks.push_back(ranks[j] + i * extent.stride);
  }
  return ranks;
}

std::vector<Extent> extents_of(const Topology& topology, const std::vector<int>& levels) {
  std::vector<Extent> extents;
  for (const int level : levels) {
    CHECK(extents.empty() || extents.back().stride < topology.stride(level),
          "levels must ascend, {} does not", level);
    extents.push_back({topology.levels()[level].size, topology.stride(level)});
  }
  return extents;
}

}  // namespace

std::int32_t ranks_of_local_levels(const Topology& topology) {
  std::int32_t ranks = 1;
  for (const LevelSpec& level : topology.levels()) {
    if (level.scope != Scope::local) break;
    ranks *= level.size;
  }
  return ranks;
}

std::int32_t ranks_of_node(const Topology& topology) {
  const std::int32_t local = ranks_of_local_levels(topology);
  return local == 1 || local == topology.npu_count() ? topology.levels()[0].size : local;
}

bool divide(std::int32_t ranks, std::span<const Extent> extents) {
  std::int64_t below = 1;
  for (const auto& [count, stride] : extents) {
    if (count < 1 || stride < 1 || stride % below != 0) return false;
    below = std::int64_t{count} * stride;
  }
  return !extents.empty() && ranks % below == 0;
}

std::optional<Digit> GroupDimension::members_of(const Digit& positions) const {
  if (positions.stride < stride || positions.stride % stride != 0) return std::nullopt;
  const std::int32_t place = positions.stride / stride, row = size / rows;
  const std::int32_t end = place * positions.count;
  if (end <= row) return Digit{positions.count, place * rows};
  if (place >= row && end <= size) return Digit{positions.count, place / row};
  return std::nullopt;
}

std::int32_t RankLine::member_of(Rank rank, std::int32_t size) const {
  std::int32_t place = 0;
  if (table == nullptr) place = (rank - origin) / stride;
  for (std::int32_t end = table == nullptr ? 0 : size; end - place > 1;) {
    const std::int32_t middle = place + (end - place) / 2;
    (table[middle * stride] <= rank - origin ? place : end) = middle;
  }
  return rows == 1 ? place : place % row * rows + place / row;
}

GroupFamily::GroupFamily(const Topology& topology, const Communicator& communicator) {
  RowOrder order(topology, communicator);
  if (const auto* lists = std::get_if<RankLists>(&communicator.groups)) {
    for (const std::vector<Rank>& ranks : *lists) add_list(topology, ranks, order);
    finish_index();
  } else {
    const auto* levels = std::get_if<std::vector<int>>(&communicator.groups);
    std::vector<Extent> extents = levels != nullptr
                                      ? extents_of(topology, *levels)
                                      : std::get<std::vector<Extent>>(communicator.groups);
    std::erase_if(extents, [](const Extent& extent) { return extent.count == 1; });
    std::sort(extents.begin(), extents.end(),
              [](const Extent& a, const Extent& b) { return a.stride < b.stride; });
    CHECK(divide(topology.npu_count(), extents), "communicator {}: its extents overlap",
          communicator.name);
    if (auto steps = steps_along_levels(topology, extents))
      set_steps(topology, std::move(*steps), order);
    else
      list_all_groups(topology, extents, order);
  }
  CHECK(!layouts_.empty(), "communicator {} has no members", communicator.name);
  for (GroupLayout& layout : layouts_)
    for (const GroupDimension& dimension : layout.dimensions)
      layout.along.emplace_back(dimension.level, dimension.size);
  for (const GroupLayout& layout : layouts_) {
    exchanges_.push_back(joined_at_ports(layout, topology));
    if (steps_.empty()) continue;
    for (const GroupDimension& dimension : exchanges_.back().dimensions)
      if (dimension.joined) add_line(dimension);
  }
}

// ---- arithmetic families -----------------------------------------------------------------------

// Nothing if groups of the family cross the boundaries of a level in different places.
std::optional<std::vector<GroupFamily::Step>> GroupFamily::steps_along_levels(
    const Topology& topology, const std::vector<Extent>& extents) {
  std::vector<Step> steps;
  for (auto [count, stride] : extents) {
    int level = 0;
    while (count > 1) {
      while (unit_of(topology, level) <= stride) ++level;
      const std::int32_t unit = unit_of(topology, level);
      if (stride % topology.stride(level) != 0 || unit % stride != 0) return std::nullopt;
      const std::int32_t size = std::min(count, unit / stride);
      if (unit / stride % size != 0 || count % size != 0) return std::nullopt;
      steps.push_back({level, size, stride});
      count /= size;
      stride = unit;
    }
  }
  return steps;
}

void GroupFamily::set_steps(const Topology& topology, std::vector<Step> steps, RowOrder& order) {
  steps_ = std::move(steps);
  GroupLayout layout{.dimensions = {}, .along = {}, .whole = {}, .shape = 1};
  std::int32_t size = 1, members_of_node = 1;
  for (const Step& step : steps_) {
    if (layout.dimensions.empty() || layout.dimensions.back().level != step.level)
      layout.dimensions.push_back({step.level, 1, size, true});
    layout.dimensions.back().size *= step.size;
    size *= step.size;
    if (step.stride < ranks_of_node(topology)) members_of_node *= step.size;
  }
  layout.whole = {steps_.back().level, size, 1, layout.dimensions.size() == 1};
  layout.shape = GroupShape(members_of_node, size / members_of_node);
  order.set(layout);
  for (const GroupDimension& dimension : layout.dimensions) add_line(dimension);
  add_line(layout.whole);
  layouts_.push_back(std::move(layout));
}

// A dimension is a line of one stride, or has a table of its members.
void GroupFamily::add_line(const GroupDimension& dimension) {
  std::vector<Extent> extents;
  std::int32_t below = 1;  // members of the steps before
  for (const Step& step : steps_) {
    if (below >= dimension.stride && below < dimension.stride * dimension.size) {
      if (!extents.empty() && step.stride == extents.back().stride * extents.back().count)
        extents.back().count *= step.size;
      else
        extents.push_back({step.size, step.stride});
    }
    below *= step.size;
  }
  lines_.push_back({dimension, extents[0].stride, {}});
  if (extents.size() > 1) lines_.back().table = members_from(0, extents);
}

// ---- lists -------------------------------------------------------------------------------------

void GroupFamily::add_list(const Topology& topology, std::vector<Rank> ranks, RowOrder& order) {
  std::sort(ranks.begin(), ranks.end());
  CHECK(ranks.size() > 1 && ranks.front() >= 0 && ranks.back() < topology.npu_count(),
        "a group of {} ranks on {} NPUs", ranks.size(), topology.npu_count());
  GroupLayout layout = layout_of(ranks, topology);
  order.set(layout);
  const auto known = std::find(layouts_.begin(), layouts_.end(), layout);
  const auto group = static_cast<std::int32_t>(lists_.size());
  lists_.push_back({members_.size(), static_cast<std::int32_t>(known - layouts_.begin())});
  if (known == layouts_.end()) layouts_.push_back(layout);
  for (Position p = 0; p < static_cast<Position>(ranks.size()); ++p)
    index_.push_back({ranks[p], group, p});
  members_.insert(members_.end(), ranks.begin(), ranks.end());
}

void GroupFamily::list_all_groups(const Topology& topology, const std::vector<Extent>& extents,
                                  RowOrder& order) {
  for (Rank rank = 0; rank < topology.npu_count(); ++rank) {
    const bool is_base = std::all_of(extents.begin(), extents.end(), [&](const Extent& extent) {
      return rank / extent.stride % extent.count == 0;
    });
    if (is_base) add_list(topology, members_from(rank, extents), order);
  }
  finish_index();
}

void GroupFamily::finish_index() {
  std::sort(index_.begin(), index_.end(),
            [](const Listed& a, const Listed& b) { return a.rank < b.rank; });
  for (std::size_t i = 1; i < index_.size(); ++i)
    CHECK(index_[i - 1].rank != index_[i].rank, "rank {} is in two groups of a communicator",
          index_[i].rank);
}

const GroupFamily::Listed* GroupFamily::find_listed(Rank rank) const {
  const auto found =
      std::lower_bound(index_.begin(), index_.end(), rank,
                       [](const Listed& listed, Rank wanted) { return listed.rank < wanted; });
  return found == index_.end() || found->rank != rank ? nullptr : &*found;
}

// ---- look-ups ----------------------------------------------------------------------------------

Rank GroupFamily::base_with(const GroupLayout& layout) const {
  for (const List& list : lists_)
    if (layouts_[list.layout] == layout || exchanges_[list.layout] == layout)
      return members_[list.first];
  return 0;
}

std::optional<GroupFamily::Member> GroupFamily::find(Rank rank) const {
  if (!lists_.empty()) {
    const Listed* listed = find_listed(rank);
    if (listed == nullptr) return std::nullopt;
    const List& list = lists_[listed->group];
    return Member{members_[list.first], listed->position, list.layout};
  }
  Member member{rank, 0, 0};
  std::int32_t below = 1;
  for (const Step& step : steps_) {
    const std::int32_t coordinate = rank / step.stride % step.size;
    member.base -= coordinate * step.stride;
    member.position += coordinate * below;
    below *= step.size;
  }
  return member;
}

GroupFamily::DigitInGroup GroupFamily::find(const Digit& digit) const {
  using Place = DigitInGroup::Place;
  if (!lists_.empty()) {
    if (lists_agree(digit)) return {Place::outside};
    const std::optional<Digit> positions = digit_in_lists(digit);
    return positions ? DigitInGroup{Place::inside, *positions} : DigitInGroup{Place::across};
  }
  const std::int32_t end = digit.stride * digit.count;
  std::int32_t below = 1;
  for (const Step& step : steps_) {
    const std::int32_t step_end = step.stride * step.size;
    if (digit.stride >= step.stride && end <= step_end && digit.stride % step.stride == 0 &&
        step_end % end == 0)
      return {Place::inside, {digit.count, below * (digit.stride / step.stride)}};
    if (digit.stride < step_end && step.stride < end) return {Place::across};
    below *= step.size;
  }
  return {Place::outside};
}

// Whether a list stays in the family, position by position, when its ranks change in the digit.
bool GroupFamily::lists_agree(const Digit& digit) const {
  const auto without = [&](Rank rank) { return rank - digit.of(rank) * digit.stride; };
  return std::all_of(index_.begin(), index_.end(), [&](const Listed& listed) {
    const Member member = *find(listed.rank);
    const auto like = find(without(listed.rank));
    return like && like->base == without(member.base) && like->position == member.position &&
           like->layout == member.layout && digit.of(member.base) == digit.of(listed.rank);
  });
}

// The digit of the positions by which the ranks of every list differ where they do in this one.
std::optional<Digit> GroupFamily::digit_in_lists(const Digit& digit) const {
  Digit positions{digit.count, 0};
  const std::int32_t first_size = layouts_[lists_[0].layout].whole.size;
  for (Position p = 1; p < first_size && positions.stride == 0; ++p)
    if (members_[p] == members_[0] + digit.stride) positions.stride = p;
  if (positions.stride == 0) return std::nullopt;
  const bool steps = std::all_of(index_.begin(), index_.end(), [&](const Listed& listed) {
    const List& list = lists_[listed.group];
    const std::int32_t place = digit.of(listed.rank);
    return layouts_[list.layout].whole.size % (positions.stride * digit.count) == 0 &&
           positions.of(listed.position) == place &&
           members_[list.first + listed.position - place * positions.stride] ==
               listed.rank - place * digit.stride;
  });
  return steps ? std::optional(positions) : std::nullopt;
}

std::vector<std::int32_t> GroupFamily::cuts() const {
  std::vector<std::int32_t> cuts;
  for (const Step& step : steps_) {
    cuts.push_back(step.stride);
    cuts.push_back(step.stride * step.size);
  }
  return cuts;
}

Rank GroupFamily::rank_at(Rank base, Position position) const {
  if (!lists_.empty()) return members_[lists_[find_listed(base)->group].first + position];
  Rank rank = base;
  for (const Step& step : steps_) {
    rank += position % step.size * step.stride;
    position /= step.size;
  }
  return rank;
}

RankLine GroupFamily::line(Rank base, Position first, const GroupDimension& dimension) const {
  if (!lists_.empty()) {
    const List& list = lists_[find_listed(base)->group];
    return {.origin = 0,
            .stride = dimension.stride,
            .table = &members_[list.first + first],
            .rows = dimension.rows,
            .row = dimension.size / dimension.rows};
  }
  const Line& line = *std::ranges::find(lines_, dimension, &Line::of);
  const bool table = !line.table.empty();
  return {.origin = rank_at(base, first),
          .stride = table ? 1 : line.stride,
          .table = table ? line.table.data() : nullptr,
          .rows = dimension.rows,
          .row = dimension.size / dimension.rows};
}

}  // namespace orrery
