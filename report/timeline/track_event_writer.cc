#include "report/timeline/track_event_writer.h"

namespace orrery {

namespace {

// Of Trace, TracePacket, TrackDescriptor, CounterDescriptor, TrackEvent, DebugAnnotation and
// InternedData, in this order.
namespace trace {
constexpr std::uint32_t packet = 1;
}
namespace packet {
constexpr std::uint32_t timestamp = 8, sequence = 10, event = 11, interned_data = 12, flags = 13,
                        descriptor = 60;
constexpr std::int64_t the_sequence = 1, state_cleared = 1, needs_state = 2;
}  // namespace packet
namespace descriptor {
constexpr std::uint32_t uuid = 1, name = 2, parent = 5, counter = 8, child_ordering = 11,
                        order_rank = 12;
constexpr std::int64_t explicit_order = 3;
}  // namespace descriptor
namespace counter {
constexpr std::uint32_t unit = 3;
constexpr std::int64_t count = 2, size_bytes = 3;
}  // namespace counter
namespace event {
constexpr std::uint32_t category = 3, argument = 4, type = 9, name = 10, track = 11, value = 30,
                        double_value = 44, flow = 47, last_of_flow = 48;
constexpr std::int64_t begin = 1, end = 2, count = 4;
}  // namespace event
namespace argument {
constexpr std::uint32_t name = 1, integer = 4;
}
namespace interned_data {
constexpr std::uint32_t categories = 1, names = 2, argument_names = 3;
constexpr std::uint32_t number = 1, name = 2;  // of each of them
}  // namespace interned_data

constexpr std::int64_t picoseconds_per_nanosecond = 1'000;

}  // namespace

TrackEventWriter::TrackEventWriter(std::ostream& output) : output_(output) {}

TrackEventWriter::Track TrackEventWriter::add_track(const std::string& name, Track parent,
                                                    std::int32_t place) {
  return describe(name, parent, place, nullptr);
}

TrackEventWriter::Track TrackEventWriter::add_counter(const std::string& name, Track parent,
                                                      std::int32_t place, Unit unit) {
  ProtobufMessage counter;
  counter.add_integer(counter::unit, unit == Unit::bytes ? counter::size_bytes : counter::count);
  return describe(name, parent, place, &counter);
}

TrackEventWriter::Track TrackEventWriter::describe(const std::string& name, Track parent,
                                                   std::int32_t place,
                                                   const ProtobufMessage* counter) {
  ProtobufMessage described;
  described.add_integer(descriptor::uuid, static_cast<std::int64_t>(++last_track_));
  described.add_bytes(descriptor::name, name);
  if (parent != no_parent)
    described.add_integer(descriptor::parent, static_cast<std::int64_t>(parent));
  if (counter != nullptr) described.add_message(descriptor::counter, *counter);
  described.add_integer(descriptor::child_ordering, descriptor::explicit_order);
  described.add_integer(descriptor::order_rank, place);
  ProtobufMessage packet;
  packet.add_message(packet::descriptor, described);
  write(packet);
  return last_track_;
}

// Names are written once and then called by a number.
std::int64_t TrackEventWriter::interned(Names& names, std::string_view name, std::uint32_t field) {
  if (const auto known = names.find(name); known != names.end()) return known->second;
  const auto number = static_cast<std::int64_t>(names.size()) + 1;
  names.emplace(name, number);
  ProtobufMessage entry;
  entry.add_integer(interned_data::number, number);
  entry.add_bytes(interned_data::name, name);
  new_names_.add_message(field, entry);
  return number;
}

void TrackEventWriter::begin_slice(Track track, Time begin, std::string_view category,
                                   const std::string& name, std::span<const Argument> arguments,
                                   Flow departs) {
  ProtobufMessage event;
  event.add_integer(event::type, event::begin);
  event.add_integer(event::track, static_cast<std::int64_t>(track));
  event.add_integer(event::category, interned(categories_, category, interned_data::categories));
  event.add_integer(event::name, interned(names_, name, interned_data::names));
  for (const Argument& argument : arguments) {
    ProtobufMessage annotation;
    annotation.add_integer(argument::name,
                           interned(argument_names_, argument.name, interned_data::argument_names));
    annotation.add_integer(argument::integer, argument.value);
    event.add_message(event::argument, annotation);
  }
  if (departs) event.add_fixed64(event::flow, *departs);
  write_event(begin, event);
}

// The reader binds the flow to the slice that ends, at this time: an arrow goes from where a slice
// begins to where another one ends, which is the order of sends and receives.
void TrackEventWriter::end_slice(Track track, Time end, Flow arrives) {
  ProtobufMessage event;
  event.add_integer(event::type, event::end);
  event.add_integer(event::track, static_cast<std::int64_t>(track));
  if (arrives) event.add_fixed64(event::last_of_flow, *arrives);
  write_event(end, event);
}

ProtobufMessage TrackEventWriter::counter_event(Track track) const {
  ProtobufMessage event;
  event.add_integer(event::type, event::count);
  event.add_integer(event::track, static_cast<std::int64_t>(track));
  return event;
}

void TrackEventWriter::set_counter(Track track, Time at, std::int64_t value) {
  ProtobufMessage event = counter_event(track);
  event.add_integer(event::value, value);
  write_event(at, event);
}

void TrackEventWriter::set_counter(Track track, Time at, double value) {
  ProtobufMessage event = counter_event(track);
  event.add_double(event::double_value, value);
  write_event(at, event);
}

void TrackEventWriter::write_event(Time at, const ProtobufMessage& event) {
  ProtobufMessage packet;
  packet.add_integer(packet::timestamp, at.since_start.value / picoseconds_per_nanosecond);
  packet.add_message(packet::event, event);
  write(packet);
}

void TrackEventWriter::write(ProtobufMessage& packet) {
  packet.add_integer(packet::sequence, packet::the_sequence);
  packet.add_integer(packet::flags,
                     packet::needs_state | (first_packet_ ? packet::state_cleared : 0));
  first_packet_ = false;
  if (!new_names_.bytes().empty()) packet.add_message(packet::interned_data, new_names_);
  new_names_.clear();
  ProtobufMessage framed;
  framed.add_message(trace::packet, packet);
  output_.write(framed.bytes().data(), static_cast<std::streamsize>(framed.bytes().size()));
}

}  // namespace orrery
