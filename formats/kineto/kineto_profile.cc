#include "formats/kineto/kineto_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "formats/chakra/node_role.h"
#include "formats/kineto/kineto_events.h"

namespace orrery::kineto {

namespace {

struct Size {
  std::string_view type;
  std::int64_t bytes;
};
constexpr std::array kSizes = {
    Size{"Float", 4},       Size{"Half", 2},  Size{"BFloat16", 2},      Size{"Double", 8},
    Size{"Int", 4},         Size{"Long", 8},  Size{"Byte", 1},          Size{"Char", 1},
    Size{"Bool", 1},        Size{"Short", 2}, Size{"Float8_e4m3fn", 1}, Size{"Float8_e5m2", 1},
    Size{"ComplexFloat", 8}};

std::int64_t bytes_of(std::string_view type) {
  const auto* found = std::ranges::find(kSizes, type, &Size::type);
  return found == kSizes.end() ? 0 : found->bytes;
}

// "_allgather_base", "all_gather_into_tensor_coalesced": what it is.
std::string collective_named(const std::string& name) {
  std::string letters;
  for (const char c : name)
    if (c != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> known = {{
      {"alltoallv", "all_to_allv"},
      {"allreduce", "all_reduce"},
      {"allgather", "all_gather"},
      {"reducescatter", "reduce_scatter"},
      {"alltoall", "all_to_all"},
      {"broadcast", "broadcast"},
      {"reduce", "reduce"},
      {"gather", "gather"},
  }};
  for (const auto& [begin, ours] : known)
    if (letters.starts_with(begin)) return std::string(ours);
  return printable(name, 40);
}

bool is_communication(const Event& event) {
  if (!event.collective.empty()) return true;
  std::string begin = event.name.substr(0, 24);
  for (char& c : begin) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return begin.find("nccl") != std::string::npos || begin.find("rccl") != std::string::npos;
}

// A call of a matrix product on the host, and the time of the kernels that it launched.
struct ProductCall {
  ProductKey key;
  std::int64_t thread = 0;
  double begin_us = 0, end_us = 0;
  Duration time;
};

// Shares of the device's time.
class Device {
 public:
  enum class Kind : std::uint8_t { compute, communication, memory };
  void add(Kind kind, std::int64_t begin_ns, std::int64_t end_ns) {
    edges_.push_back({begin_ns, kind, +1});
    edges_.push_back({end_ns, kind, -1});
  }
  Activity activity() {
    std::ranges::sort(edges_, {}, &Edge::time_ns);
    Activity activity;
    std::array<int, 3> under_way = {};
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (i > 0) {
        const Duration passed{(edges_[i].time_ns - edges_[i - 1].time_ns) * 1000};
        activity.span += passed;
        (under_way[0] > 0   ? activity.compute
         : under_way[1] > 0 ? activity.exposed
         : under_way[2] > 0 ? activity.memory
                            : activity.idle) += passed;
      }
      under_way[static_cast<std::size_t>(edges_[i].kind)] += edges_[i].change;
    }
    return activity;
  }

 private:
  struct Edge {
    std::int64_t time_ns;
    Kind kind;
    std::int8_t change;
  };
  std::vector<Edge> edges_;
};

class ProfileReader {
 public:
  explicit ProfileReader(const std::string& file) : file_(file) {}

  Profile read(std::istream& text) {
    profile_.events = read_events(file_, text, [this](const Event& event) { note(event); });
    if (profile_.kernels == 0)
      throw ConfigError({.file = file_,
                         .what = fmt::format("the trace has {} events, and none is a kernel of a "
                                             "GPU",
                                             profile_.events),
                         .remedy = "record with activities=[ProfilerActivity.CPU, "
                                   "ProfilerActivity.CUDA]"});
    attribute_products();
    profile_.activity = device_.activity();
    sort_all(profile_.collectives);
    sort_all(profile_.by_name);
    sort_all(profile_.products);
    return std::move(profile_);
  }

 private:
  struct Launch {
    std::int64_t thread;
    double begin_us;
  };
  struct Kernel {
    std::int64_t correlation, external;
    Duration time;
  };

  void note(const Event& event) {
    if (event.category == "kernel") {
      kernel(event);
    } else if (event.category == "gpu_memcpy" || event.category == "gpu_memset") {
      on_device(Device::Kind::memory, event);
    } else if (event.category == "cuda_runtime" || event.category == "cuda_driver" ||
               event.category == "hip_runtime") {
      if (event.correlation >= 0) launches_[event.correlation] = {event.thread, event.begin_us};
    } else if (event.category == "cpu_op") {
      host_operation(event);
    }
  }

  Duration on_device(Device::Kind kind, const Event& event) {
    constexpr double longest = 1e12, latest = 9e15;  // us: 12 days; what an int64 of ns holds
    const auto refuse = [&](const char* key, double value) {
      throw ConfigError({.file = file_,
                         .what = fmt::format("{}, a {}: its {} is {}", in_quotes(event.name),
                                             event.category, key, value),
                         .remedy = "export the trace again"});
    };
    if (!(event.duration_us >= 0 && event.duration_us <= longest)) refuse("dur", event.duration_us);
    if (!(event.begin_us >= 0 && event.begin_us <= latest)) refuse("ts", event.begin_us);
    if (first_us_ < 0) first_us_ = event.begin_us;
    if (std::abs(event.begin_us - first_us_) > longest) refuse("ts", event.begin_us);
    const auto begin = std::llround(event.begin_us * 1e3);
    device_.add(kind, begin, begin + std::llround(event.duration_us * 1e3));
    return Duration{std::llround(event.duration_us * 1e6)};
  }

  void kernel(const Event& event) {
    const bool communicates = is_communication(event);
    const Duration time =
        on_device(communicates ? Device::Kind::communication : Device::Kind::compute, event);
    ++profile_.kernels;
    profile_.by_name[std::string(chakra::kernel_name(event.name))].add(time);
    if (communicates)
      collective(event, time);
    else if (event.correlation >= 0 || event.external >= 0)
      kernels_.push_back({event.correlation, event.external, time});
  }

  void collective(const Event& event, Duration time) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;
    const std::int64_t element = bytes_of(event.data_type);
    const std::int64_t elements = std::max(event.given, event.received);
    if (event.collective.empty() || element == 0 || elements < 0 || elements > most ||
        event.ranks < 1) {
      ++profile_.without_size;
      return;
    }
    profile_
        .collectives[{collective_named(event.collective), event.ranks, bytes(elements * element)}]
        .add(time);
  }

  void host_operation(const Event& event) {
    const bool is_sum = event.name == "aten::addmm";
    if (event.name == "aten::bmm" || event.name == "aten::baddbmm") ++profile_.batches;
    if (!is_sum && event.name != "aten::mm") return;
    const std::size_t first = is_sum ? 1 : 0;
    const auto& shapes = event.shapes;
    const bool fits = shapes.size() >= first + 2 && shapes[first].size() == 2 &&
                      shapes[first + 1].size() == 2 && shapes[first][1] == shapes[first + 1][0] &&
                      std::min({shapes[first][0], shapes[first][1], shapes[first + 1][1]}) > 0;
    if (!fits) {
      ++profile_.without_shape;
      return;
    }
    if (event.external >= 0) call_of_external_[event.external] = calls_.size();
    calls_.push_back({{printable(event.first_type, 40), shapes[first][0], shapes[first + 1][1],
                       shapes[first][1]},
                      event.thread,
                      event.begin_us,
                      event.begin_us + event.duration_us,
                      {}});
  }

  // Kernels belong to the call during which they were launched; old traces number their launches
  // only. Where the launch is not recorded, to the call of the same number.
  void attribute_products() {
    std::map<std::int64_t, std::vector<std::size_t>> of_thread;
    for (std::size_t i = 0; i < calls_.size(); ++i) of_thread[calls_[i].thread].push_back(i);
    for (auto& [thread, calls] : of_thread)
      std::ranges::sort(calls, {}, [&](std::size_t i) { return calls_[i].begin_us; });
    for (const Kernel& kernel : kernels_) {
      const auto launch = launches_.find(kernel.correlation);
      std::optional<std::size_t> call;
      if (launch == launches_.end()) {
        const auto found = call_of_external_.find(kernel.external);
        if (found != call_of_external_.end()) call = found->second;
      } else if (const auto calls = of_thread.find(launch->second.thread);
                 calls != of_thread.end()) {
        const auto after =
            std::ranges::upper_bound(calls->second, launch->second.begin_us, {},
                                     [&](std::size_t i) { return calls_[i].begin_us; });
        if (after != calls->second.begin() &&
            launch->second.begin_us <= calls_[*(after - 1)].end_us)
          call = *(after - 1);
      }
      if (call) calls_[*call].time += kernel.time;
    }
    for (const ProductCall& call : calls_)
      if (call.time > Duration{}) profile_.products[call.key].add(call.time);
  }

  template <class Map>
  static void sort_all(Map& map) {
    for (auto& [key, times] : map) std::ranges::sort(times.each);
  }

  const std::string& file_;
  Profile profile_;
  Device device_;
  double first_us_ = -1;  // when the first event of the file begins on the device
  std::vector<ProductCall> calls_;
  std::vector<Kernel> kernels_;  // that compute
  std::unordered_map<std::int64_t, Launch> launches_;
  std::unordered_map<std::int64_t, std::size_t> call_of_external_;
};

}  // namespace

void Times::add(Duration time) {
  each.push_back(time);
  sum += time;
}

Duration Times::quantile(double share) const {
  const auto count = static_cast<double>(each.size());
  const auto rank = static_cast<std::int64_t>(std::ceil(share * count));
  return each[static_cast<std::size_t>(
      std::clamp<std::int64_t>(rank - 1, 0, static_cast<std::int64_t>(each.size()) - 1))];
}

Profile read_profile(const std::string& file, std::istream& text) {
  return ProfileReader(file).read(text);
}

}  // namespace orrery::kineto
