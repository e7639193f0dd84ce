#include "report/timeline/step_track.h"

#include <fmt/format.h>

#include <array>

namespace orrery {

namespace {

using Step = OperationPlace::Step;

constexpr std::int32_t memory_place = 0;  // above the other tracks of the rank

std::string name_of(const OperationPlace& place) {
  const char letter = place.step == Step::forward           ? 'F'
                      : place.step == Step::weight_gradient ? 'W'
                                                            : 'B';
  return fmt::format("{}{}{}", letter, place.micro_batch,
                     place.chunk > 0 ? fmt::format(".{}", place.chunk) : "");
}

}  // namespace

StepTrack::StepTrack(TrackEventWriter& writer, TrackEventWriter::Track track,
                     std::optional<Memory> memory)
    : writer_(writer), track_(track), memory_(std::move(memory)) {
  if (!memory_) return;
  memory_track_ =
      writer_.add_counter("memory", track_, memory_place, TrackEventWriter::Unit::bytes);
  show_memory(Time{});
}

bool StepTrack::is_open(const OperationPlace& place) const {
  return step_ && step_->step == place.step && step_->group == place.group &&
         step_->micro_batch == place.micro_batch && step_->chunk == place.chunk;
}

void StepTrack::computed(const Span& span, const OperationPlace& place, std::int32_t iteration) {
  if (!is_open(place)) close_step();
  if (place.group != group_) release(until_);
  group_ = place.group;
  if (iteration != iteration_) {
    close_iteration();
    iteration_ = iteration;
    const std::array<TrackEventWriter::Argument, 1> arguments = {{{"iteration", iteration}}};
    writer_.begin_slice(track_, span.begin, "iteration", fmt::format("iteration {}", iteration),
                        arguments);
  }
  if (!step_ && place.step != Step::none) open_step(span.begin, place);
  step_until_ = until_ = span.end;
}

void StepTrack::close() {
  close_step();
  release(until_);
  close_iteration();
}

void StepTrack::open_step(Time begin, const OperationPlace& place) {
  step_ = place;
  const std::array<TrackEventWriter::Argument, 2> arguments = {
      {{"micro_batch", place.micro_batch}, {"chunk", place.chunk}}};
  writer_.begin_slice(track_, begin, "step", name_of(place), arguments);
  if (!memory_) return;
  const std::pair<std::int32_t, std::int32_t> pass{place.micro_batch, place.chunk};
  if (place.step == Step::forward) {
    if (kept_.insert(pass).second) show_memory(begin);
  } else if (place.step != Step::input_gradient) {
    ending_.insert(pass);
  }
}

void StepTrack::close_step() {
  if (!step_) return;
  writer_.end_slice(track_, step_until_);
  step_.reset();
}

void StepTrack::close_iteration() {
  if (iteration_ > 0) writer_.end_slice(track_, until_);
  iteration_ = 0;
}

void StepTrack::release(Time at) {
  bool released = false;
  for (const auto& pass : ending_) released = kept_.erase(pass) > 0 || released;
  ending_.clear();
  if (released) show_memory(at);
}

void StepTrack::show_memory(Time at) {
  Bytes sum = memory_->always;
  for (const auto& [micro_batch, chunk] : kept_)
    sum += memory_->of_chunk[static_cast<std::size_t>(chunk)];
  writer_.set_counter(memory_track_, at, sum.value);
}

}  // namespace orrery
