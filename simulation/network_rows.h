// The rows of a result that are of the network: levels, links, and what was under way on them.
// Included by result_rows.h.
#pragma once

#include <cstdint>
#include <string>

#include "core/units/total.h"
#include "core/units/units.h"
#include "simulation/columns.h"

namespace orrery {

struct LevelRow {
  std::string name;
  std::string collective;
  TotalBytes bytes;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("name", &LevelRow::name, "name of the level", {.csv = {"level"}, .text = {"level"}});
    row.column("collective", &LevelRow::collective, "the kind of traffic, or point_to_point",
               {.text = {"collective"}});
    row.column("bytes", &LevelRow::bytes, "bytes sent over the level by all ranks",
               {.text = {"bytes sent\nby all ranks"}});
  }
};

struct LinkRow {
  std::string source, target;  // "npu 3", "switch 128"
  std::string level;
  TotalBytes bytes;
  double utilisation = 0;

  std::string name() const { return source + " -> " + target; }

  template <class Columns>
  static void describe(Columns& row) {
    row.column("name", &LinkRow::name, "name of the link, like npu 3 -> switch 128",
               {.csv = no_column, .text = {"busiest links"}});
    row.column("source", &LinkRow::source, "the end that sends, like npu 3");
    row.column("target", &LinkRow::target, "the end that receives, like switch 128");
    row.column("level", &LinkRow::level, "the level that the link belongs to", {.text = {"level"}});
    row.column(
        "bytes", &LinkRow::bytes,
        "bytes sent over the link by all ranks; of a partial result also those that it did not "
        "carry yet; on backends with packets those on the wire",
        {.text = {"bytes"}});
    row.column(
        "utilisation", &LinkRow::utilisation,
        "bytes / (bandwidth x finish), 0 to 1; over 1 only on the analytical backend and with "
        "network.transport.ideal: analytical, with a notice; of a partial result at most 1",
        {.text = {"busy"}});
  }
};

// What held the messages of a kind of collective back, on backends that know.
struct BottleneckRow {
  std::string collective;
  std::string level;
  TotalBytes bytes;
  std::string link;
  TotalBytes link_bytes;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("collective", &BottleneckRow::collective, "the kind of traffic, or point_to_point",
               {.text = {"held back by"}});
    row.column("level", &BottleneckRow::level,
               "the level whose links were the bottleneck of the most bytes when their messages "
               "ended",
               {.text = {"level"}});
    row.column("bytes", &BottleneckRow::bytes, "those bytes", {.text = {"bytes"}});
    row.column("link", &BottleneckRow::link, "the one link of that level for the most bytes",
               {.text = {"most by"}});
    row.column("link_bytes", &BottleneckRow::link_bytes, "how many those are", {.text = {"bytes"}});
  }
};

// What one rank sent to another for one group, of a run that was asked for it.
struct MatrixRow {
  std::string group;
  std::int32_t source = 0, target = 0;
  TotalBytes bytes;
  std::int64_t messages = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("group", &MatrixRow::group,
               "the communicator with its levels; none for point to point",
               {.null_if_empty = true});
    row.column("source", &MatrixRow::source, "the rank that sent");
    row.column("target", &MatrixRow::target, "the rank that received");
    row.column("bytes", &MatrixRow::bytes, "bytes of all messages of this pair for the group");
    row.column("messages", &MatrixRow::messages, "number of those messages");
  }
};

// What was under way on a level in an interval of time, of a run that was asked for it.
struct ActivityRow {
  std::string level;
  Duration begin, end;
  TotalBytes bytes;
  double share = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("level", &ActivityRow::level, "name of the level");
    row.column("begin_ps", &ActivityRow::begin, "start of the interval");
    row.column("end_ps", &ActivityRow::end, "end of the interval");
    row.column(
        "bytes", &ActivityRow::bytes,
        "bytes of the messages under way in the interval, each spread evenly from its send to its "
        "delivery");
    row.column(
        "share", &ActivityRow::share,
        "those bytes as a share of what all NPUs together can send on the level in that time");
  }
};

// What entered one of the busiest links in an interval of time, of a run that was asked for it.
struct LinkActivityRow {
  std::string source, target, level;
  Duration begin, end;
  TotalBytes bytes;
  double utilisation = 0;

  std::string link() const { return source + " -> " + target; }

  template <class Columns>
  static void describe(Columns& row) {
    row.column("link", &LinkActivityRow::link, "name of the link", {.csv = no_column});
    row.column("source", &LinkActivityRow::source, "the end that sends");
    row.column("target", &LinkActivityRow::target, "the end that receives");
    row.column("level", &LinkActivityRow::level, "the level that the link belongs to");
    row.column("begin_ps", &LinkActivityRow::begin, "start of the interval");
    row.column("end_ps", &LinkActivityRow::end, "end of the interval");
    row.column(
        "bytes", &LinkActivityRow::bytes,
        "bytes that entered the link in the interval; the intervals of a link add up to its bytes "
        "in links[]");
    row.column(
        "utilisation", &LinkActivityRow::utilisation,
        "share of what its nominal bandwidth allows; it exceeds 1 where the analytical backend "
        "lets messages overlap inside the fabric, and in short intervals of the fluid "
        "backend, which books the mean rate of a message");
  }
};

// Nodes of the network that are equal, and the links between them; only for pages.
struct EqualNodesRow {
  std::string name;  // "64 NPUs: npu 0, ..."
  std::string kind;
  std::int64_t count = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("name", &EqualNodesRow::name, "how many, of what, and the first of them");
    row.column("kind", &EqualNodesRow::kind, "npu, nic or switch");
    row.column("count", &EqualNodesRow::count, "how many are equal");
  }
};

struct EqualLinksRow {
  std::int64_t source = 0, target = 0;  // rows of EqualNodesRow
  std::string level;
  double bandwidth = 0;  // GB/s
  std::int64_t count = 0;
  TotalBytes bytes;
  double least = 0, median = 0, most = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("source", &EqualLinksRow::source, "number of the row of equal_nodes that sends");
    row.column("target", &EqualLinksRow::target, "number of the row that receives");
    row.column("level", &EqualLinksRow::level, "the level that the links belong to");
    row.column("bandwidth_GBps", &EqualLinksRow::bandwidth, "of each link, in 1e9 bytes a second");
    row.column("count", &EqualLinksRow::count, "how many links are equal");
    row.column("bytes", &EqualLinksRow::bytes, "bytes sent over all of them");
    row.column("least_utilisation", &EqualLinksRow::least,
               "utilisation of the one with fewest bytes");
    row.column("median_utilisation", &EqualLinksRow::median, "of the one in the middle");
    row.column("most_utilisation", &EqualLinksRow::most, "of the one with most bytes");
  }
};

}  // namespace orrery
