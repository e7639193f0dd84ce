#include "report/timeline/span_text.h"

#include <fmt/format.h>

#include "core/units/unit_text.h"

namespace orrery {

namespace {

constexpr std::int32_t compute_place = 1, exposed_place = 2, first_place = 10, last_places = 1'000,
                       message_places = 2'000;

std::string name_of_message(const Span& span, const Job& job) {
  if (span.kind == SpanKind::endpoint) return fmt::format("rank {} in endpoint", span.operation);
  const std::string group =
      span.group < 0 ? "" : ", " + job.communicators[static_cast<std::size_t>(span.group)].name;
  return fmt::format("to {}: {}{}", span.operation, to_text(span.size), group);
}

}  // namespace

SpanTrack SpanText::track_of(const Span& span) const {
  if (span.kind == SpanKind::compute) return {compute_place, "compute"};
  if (span.kind == SpanKind::exposed) return {exposed_place, "exposed"};
  if (span.kind == SpanKind::message) return {message_places, "messages"};
  if (span.kind == SpanKind::endpoint) return {message_places + 1, "endpoint"};
  const std::string what(name_of_detail(span.detail));
  const std::int32_t kind = kinds_.of(span.label);
  const bool one_sided = span.detail == kDetailSend || span.detail == kDetailReceive;
  if (kind < 0) return {last_places + span.detail, one_sided ? what + 's' : what};
  const std::string& name = kinds_.names()[static_cast<std::size_t>(kind)];
  const std::int32_t place = first_place + 3 * kind;
  if (!one_sided) return {place, name};
  return {place + (span.detail == kDetailSend ? 1 : 2), fmt::format("{} {}s", name, what)};
}

std::string SpanText::name_of(const Span& span, const OperationPlace& place) const {
  if (is_of_message(span.kind)) return name_of_message(span, job_);
  const std::string what(name_of_detail(span.detail));
  std::string name = span.kind == SpanKind::exposed ? "waits: " : "";
  Pass pass = Pass::none;
  if (span.label >= 0) {
    const Label& label = job_.labels[static_cast<std::size_t>(span.label)];
    name += label.layer;
    pass = label.pass;
    if (span.detail != kDetailCompute && label.layer.find(what) == std::string::npos)
      name += ' ' + what;
  } else {
    name += what;
  }
  if (span.size > Bytes{}) name += ' ' + to_text(span.size);
  if (place.layer >= 0) name += fmt::format(" {}", place.layer);
  if (pass != Pass::none) name += fmt::format(" {}", orrery::name_of(pass));
  if (place.micro_batch >= 0) name += fmt::format(" mb {}", place.micro_batch);
  return name;
}

}  // namespace orrery
