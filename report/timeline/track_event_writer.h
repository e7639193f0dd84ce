// Writes a trace in Perfetto's own format, the protobuf "TrackEvent": a tree of tracks, slices and
// counters on them, flows (arrows) between slices. Opens in ui.perfetto.dev and trace_processor.
//
// Timestamps are whole nanoseconds, to which picoseconds are rounded down: what touches still
// touches, and what nests still nests. Slices on one track nest; whoever begins first in the file
// is the outer one if both begin in the same nanosecond. Events need no order in time otherwise:
// the reader sorts them. What is written is gone from memory, but for the names.
//
// Field numbers: protos/perfetto/trace/trace_packet.proto, track_event/*.proto and
// interned_data.proto of github.com/google/perfetto; its page "synthetic-track-event".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "core/base/protobuf_message.h"
#include "core/units/units.h"

namespace orrery {

class TrackEventWriter {
 public:
  using Track = std::uint64_t;
  static constexpr Track no_parent = 0;
  enum class Unit { bytes, none };

  struct Argument {
    std::string_view name;
    std::int64_t value;
  };
  // One end of an arrow: at most one slice begins a flow, at most one ends it, later.
  using Flow = std::optional<std::uint64_t>;

  // `output` must outlive the writer; whoever gives it checks its state.
  explicit TrackEventWriter(std::ostream& output);

  // Below a parent in the order of `place`. Tracks of the same name and parent are drawn as one.
  Track add_track(const std::string& name, Track parent, std::int32_t place);
  Track add_counter(const std::string& name, Track parent, std::int32_t place, Unit unit);

  void begin_slice(Track track, Time begin, std::string_view category, const std::string& name,
                   std::span<const Argument> arguments, Flow departs = {});
  void end_slice(Track track, Time end, Flow arrives = {});
  void set_counter(Track track, Time at, std::int64_t value);
  void set_counter(Track track, Time at, double value);

 private:
  using Names = std::map<std::string, std::int64_t, std::less<>>;

  Track describe(const std::string& name, Track parent, std::int32_t place,
                 const ProtobufMessage* counter);
  std::int64_t interned(Names& names, std::string_view name, std::uint32_t field);
  ProtobufMessage counter_event(Track track) const;
  void write_event(Time at, const ProtobufMessage& event);
  void write(ProtobufMessage& packet);

  std::ostream& output_;
  Track last_track_ = 0;
  bool first_packet_ = true;
  Names names_, categories_, argument_names_;
  ProtobufMessage new_names_;  // that the next packet brings
};

}  // namespace orrery
