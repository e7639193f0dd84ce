// Where the groups of a communicator sit: their members, and the dimensions that the topology gives
// them. A group is named by its base, the member at position 0; positions follow the ranks,
// upwards.
//
// A dimension is made of the ranks that a group has along one level, so collectives can go level by
// level:
//   levels {8, 4}, extents {{4, 2}}          even ranks of a node   one dimension of 4 on level 0
//                  extents {{4, 1}, {4, 8}}  half of each node      4 on level 0, then 4 on level 1
//                  extents {{8, 4}}          2 ranks of each node   2 on level 0, then 4 on level 1
// Families that are cut along level boundaries like that are arithmetic and cost no memory per
// rank. All others, and groups listed rank by rank, are lists, and each group of them has a layout
// of its own: a level on which its parts have equally many members is a dimension; one on which
// they differ (6 ranks of a node and 2 of the next) becomes part of the dimension above.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "network/fold.h"
#include "network/topology/topology.h"
#include "system/collective_algorithm.h"
#include "system/group_shape.h"
#include "system/job.h"

namespace orrery {

struct GroupDimension {
  int level;            // of the topology; the outermost one if it spans several
  std::int32_t size;    // members along it
  std::int32_t stride;  // distance of neighbours in positions
  bool one_level;       // its members differ in the coordinate of one level only
  // Plans number the members upwards; if there are several rows (Communicator::rows), through all
  // of them at once: the first of each row, then the second of each.
  std::int32_t rows = 1;
  bool joined = false;  // several levels of a graph that lie behind the same links of an NPU

  // The member at a position, and how far its position is from that of member 0.
  std::int32_t coordinate(Position position) const {
    const std::int32_t place = position / stride % size;
    if (rows == 1) [[likely]]
      return place;
    const std::int32_t row = size / rows;
    return place % row * rows + place / row;
  }
  Position offset(std::int32_t member) const {
    if (rows == 1) [[likely]]
      return member * stride;
    return (member % rows * (size / rows) + member / rows) * stride;
  }
  // What a digit of the positions is to the members; nothing if it is none of theirs.
  std::optional<Digit> members_of(const Digit& positions) const;
  bool operator==(const GroupDimension&) const = default;
};

// A group along the levels of a topology: level and members, innermost first.
using GroupAlongLevels = std::vector<std::pair<int, std::int32_t>>;

// How the members of a group sit.
struct GroupLayout {
  std::vector<GroupDimension> dimensions;  // innermost first, their levels ascend
  GroupAlongLevels along;                  // the same before any were joined
  GroupDimension whole;                    // all members as one dimension
  GroupShape shape;

  const GroupDimension& dimension(int index) const {  // kWhole: the whole
    return index < 0 ? whole : dimensions[index];
  }
  // What a plan over one of the dimensions, or over `whole`, is told of its members.
  GroupShape shape_of(const GroupDimension& dimension) const {
    return dimension.size == whole.size ? shape : GroupShape(dimension.size);
  }
  bool operator==(const GroupLayout&) const = default;
};

// Ranks by number: member m of a dimension is origin + m * stride, or what a table says there.
// What a plan's positions are for the executor.
struct RankLine {
  Rank origin = 0;
  std::int32_t stride = 1;
  const Rank* table = nullptr;  // ascending; added to origin
  std::int32_t rows = 1;        // as of the dimension
  std::int32_t row = 0;         // members of each, if there are several

  Rank at(std::int32_t member) const {
    if (rows != 1) [[unlikely]]
      member = member % rows * row + member / rows;
    const std::int32_t step = member * stride;
    return origin + (table == nullptr ? step : table[step]);
  }
  // REQUIRES: `rank` is one of the first `size` members.
  std::int32_t member_of(Rank rank, std::int32_t size) const;
};

// The ranks of a node, as a plan is told: those that the leading local levels join, or, where all
// levels are of one scope, the innermost level.
std::int32_t ranks_of_node(const Topology& topology);
// Those that the leading local levels join: among them messages stay local.
std::int32_t ranks_of_local_levels(const Topology& topology);

class RowOrder;

class GroupFamily {
 public:
  // REQUIRES: the communicator obeys the rules of job.h.
  GroupFamily(const Topology& topology, const Communicator& communicator);

  struct Member {
    Rank base;
    Position position;
    std::int32_t layout;  // index into layouts()
  };
  // Of which group a rank is a member; nothing if it is in none.
  std::optional<Member> find(Rank rank) const;

  // All that occur among the groups: one if the family is arithmetic.
  const std::vector<GroupLayout>& layouts() const { return layouts_; }
  // The same as a collective of that kind sees them.
  const GroupLayout& layout(std::int32_t number, Collective kind) const {
    const bool exchange = planned_as(kind) == Collective::all_to_all;
    return (exchange ? exchanges_ : layouts_)[static_cast<std::size_t>(number)];
  }
  // The base of a group that has this layout, of either kind.
  Rank base_with(const GroupLayout& layout) const;

  Rank rank_at(Rank base, Position position) const;

  // What a digit of the ranks is to the groups. outside: ranks that differ in it only are at one
  // position of alike groups. inside: they are in one group, and its positions have such a digit.
  // across: neither.
  struct DigitInGroup {
    enum class Place : std::uint8_t { outside, inside, across } place;
    Digit position = {};  // if inside
  };
  DigitInGroup find(const Digit& digit) const;
  // Where the ranks of a group begin and end to differ: multiples of 2 and 8 for extents {{4, 2}}.
  // Nothing of lists.
  std::vector<std::int32_t> cuts() const;
  // The members of a dimension of that group, or of the whole, from one position on.
  RankLine line(Rank base, Position first, const GroupDimension& dimension) const;

 private:
  // Ranks of a group along one level, before they are joined.
  struct Step {
    int level;
    std::int32_t size, stride;  // in ranks
  };
  struct Listed {  // a rank in a list
    Rank rank;
    std::int32_t group;
    Position position;
  };
  struct List {
    std::size_t first;  // in members_
    std::int32_t layout;
  };

  struct Line {
    GroupDimension of;
    std::int32_t stride;      // in ranks
    std::vector<Rank> table;  // distances from the first member, where no stride gives them
  };

  static std::optional<std::vector<Step>> steps_along_levels(const Topology& topology,
                                                             const std::vector<Extent>& extents);
  void set_steps(const Topology& topology, std::vector<Step> steps, RowOrder& order);
  void add_line(const GroupDimension& dimension);
  void add_list(const Topology& topology, std::vector<Rank> ranks, RowOrder& order);
  void list_all_groups(const Topology& topology, const std::vector<Extent>& extents,
                       RowOrder& order);
  void finish_index();
  const Listed* find_listed(Rank rank) const;
  bool lists_agree(const Digit& digit) const;
  std::optional<Digit> digit_in_lists(const Digit& digit) const;

  std::vector<GroupLayout> layouts_, exchanges_;
  // An arithmetic family.
  std::vector<Step> steps_;  // innermost first
  std::vector<Line> lines_;  // of the dimensions and the whole
  // A family of lists.
  std::vector<Rank> members_;  // group by group
  std::vector<List> lists_;
  std::vector<Listed> index_;  // by rank
};

}  // namespace orrery
