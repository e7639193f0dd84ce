#include "formats/import/import_nccl_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "core/base/suggestion.h"
#include "core/units/unit_text.h"
#include "formats/import/nccl_system.h"
#include "network/topology/builders/server_presets.h"
#include "system/npu_presets.h"

namespace orrery {

namespace {

// NVIDIA's data sheets: an NVLink carries 25 GB/s in one direction from V100 to H200, 50 from B200.
struct Device {
  std::string_view npu;
  std::int32_t sm;
  std::array<std::string_view, 3> pci;  // device numbers
  std::int64_t link;                    // GB/s of an NVLink
};
constexpr Device devices[] = {{"v100", 70, {"0x1db1", "0x1db5", "0x1db8"}, 25},
                              {"a100", 80, {"0x20b0", "0x20b2", "0x20b5"}, 25},
                              {"h200", 90, {"0x2335", "", ""}, 25},
                              {"h100", 90, {"0x2330", "0x2331", ""}, 25},
                              {"b200", 100, {"0x2901", "", ""}, 50}};

class Platform {
 public:
  Platform(const std::string& file, NcclSystem system, const NcclTopologyOptions& options,
           Imported& notes)
      : file_(file), system_(std::move(system)), options_(options), notes_(notes) {}

  std::string yaml() {
    if (!options_.nodes)
      missing("--nodes", "how many nodes there are", "a file describes one: --nodes 16");
    find_npu();
    find_inside();
    if (options_.nodes.value_or(2) > 1) find_nics();
    if (!missing_.empty()) throw ConfigError(std::move(missing_));
    return text();
  }

 private:
  void missing(const std::string& option, const std::string& what, const std::string& remedy) {
    missing_.push_back({.file = file_,
                        .path = option,
                        .what = fmt::format("the file does not say {}", what),
                        .remedy = remedy});
  }

  void assume(const std::string& sentence) { notes_.assumed.push_back(sentence); }

  void find_npu() {
    const NcclGpu& gpu = system_.gpus.front();
    npu_ = options_.npu;
    for (const Device& device : devices) {
      if (!npu_.empty()) break;
      if (!gpu.device.empty() && std::ranges::find(device.pci, gpu.device) != device.pci.end())
        npu_ = device.npu;
    }
    for (const Device& device : devices) {
      if (!npu_.empty() || gpu.sm != device.sm) continue;
      if (device.sm == 90) continue;  // h100 and h200
      npu_ = device.npu;
      assume(fmt::format("npu: {}, of compute capability {}", npu_, device.sm));
    }
    std::vector<std::string_view> known;
    for (const NpuPreset& preset : npu_presets()) known.push_back(preset.name);
    if (npu_.empty()) return missing("--npu", "which GPUs these are", "--npu h100");
    if (std::ranges::find(known, npu_) == known.end())
      throw ConfigError({.path = "--npu",
                         .what = in_quotes(npu_) + " is not known",
                         .remedy = suggestion(npu_, known)});
  }

  const NodeSpec* server() const {
    const auto presets = server_presets();
    const auto found = std::ranges::find(presets, std::string_view(npu_), &ServerPreset::npu);
    return found == presets.end() ? nullptr : &found->server;
  }

  std::int64_t link_rate() const {
    const auto* found = std::ranges::find(devices, std::string_view(npu_), &Device::npu);
    return found == std::end(devices) ? 0 : found->link;
  }

  // How GPUs reach each other inside of a node.
  void find_inside() {
    if (system_.gpus.size() == 1) return;
    const NcclGpu& first = system_.gpus.front();
    if (options_.nvlink) {
      inside_ = NodeInside::switched;
      inside_rate_ = *options_.nvlink;
      return assume("NVLinks of --nvlink lead to a switch that joins all GPUs");
    }
    const auto is_like_first = [&](const NcclGpu& gpu) {
      return gpu.links_to_switches == first.links_to_switches;
    };
    if (first.links_to_switches > 0 && std::ranges::all_of(system_.gpus, is_like_first)) {
      inside_ = NodeInside::switched;
      return links(first.links_to_switches);
    }
    if (const std::int32_t each = links_to_each(); each > 0) {
      inside_ = NodeInside::fully_connected;
      return links(each);
    }
    const auto has_links = [](const NcclGpu& gpu) {
      return gpu.links_to_switches > 0 ||
             std::ranges::any_of(gpu.links_to_gpus, [](std::int32_t count) { return count > 0; });
    };
    if (std::ranges::any_of(system_.gpus, has_links))
      throw ConfigError({.file = file_,
                         .line = first.line,
                         .what = "NVLinks join the GPUs neither by switches nor all alike, which "
                                 "no `node:` can say",
                         .remedy = "write the wires as platform.topology.graph, or --nvlink "
                                   "RATE for GPUs on a switch"});
    without_links();
  }

  // To every other GPU equally many; else 0.
  std::int32_t links_to_each() const {
    const std::int32_t each = system_.gpus[0].links_to_gpus[1];
    for (std::size_t i = 0; i < system_.gpus.size(); ++i)
      for (std::size_t j = 0; j < system_.gpus.size(); ++j)
        if (i != j && system_.gpus[i].links_to_gpus[j] != each) return 0;
    return each;
  }

  void links(std::int32_t count) {
    const std::int64_t rate = link_rate();
    if (rate == 0 && !npu_.empty())
      return missing("--nvlink", "what an NVLink of it carries", "--nvlink \"450 GB/s\"");
    inside_rate_ = gigabytes_per_second(count * rate);
  }

  // The file shows no NVLink: hints of PCI devices never do.
  void without_links() {
    const bool is_complete = system_.gpus.front().sm.has_value();
    if (is_complete && system_.gpus.front().bus > Bandwidth{}) {
      inside_ = NodeInside::switched;
      inside_rate_ = system_.gpus.front().bus;
      return assume("GPUs without NVLink reach each other through PCI as through one switch");
    }
    const NodeSpec* known = server();
    if (known == nullptr || is_complete) {
      if (!npu_.empty())
        missing("--nvlink", "what joins the GPUs", "the rate of a GPU: --nvlink \"450 GB/s\"");
      return;
    }
    inside_ = known->inside;
    inside_rate_ = known->link.bandwidth;
    assume(fmt::format("inside: {} at {}, of the data sheet of servers with {}", name_of(inside_),
                       to_text(inside_rate_), npu_));
  }

  void find_nics() {
    if (system_.nics.empty())
      return missing("--nodes", "which NICs a node has", "without any, --nodes 1");
    Bandwidth fastest;
    for (const NcclNic& nic : system_.nics) fastest = std::max(fastest, nic.speed);
    nic_rate_ = options_.nic.value_or(fastest);
    if (nic_rate_ == Bandwidth{}) missing("--nic", "how fast a NIC is", "--nic \"400 Gb/s\"");
    for (const NcclNic& nic : system_.nics)
      if (!options_.nic && nic.speed != fastest)
        throw ConfigError(
            {.file = file_,
             .line = nic.line,
             .path = "--nic",
             .what = fmt::format("NICs differ: {} and {}", to_text(nic.speed), to_text(fastest)),
             .remedy = "nodes have NICs of one rate: give it with --nic, or take "
                       "the others out of the file"});
    bus_ = options_.bus.value_or(system_.gpus.front().bus);
    const NodeSpec* known = server();
    if (bus_ == Bandwidth{} && known != nullptr) {
      bus_ = known->bus.bandwidth;
      assume(fmt::format("bus_bandwidth: {}, of the data sheet of servers with {}", to_text(bus_),
                         npu_));
    }
    if (bus_ == Bandwidth{} && !npu_.empty())
      missing("--bus", "how fast PCI is", "--bus \"64 GB/s\"");
  }

  std::string text() const {
    std::string text = fmt::format(
        "# From {} by `orrery import nccl-topo`.\nplatform:\n  npu: "
        "{{preset: {}}}\n  topology:\n",
        printable(file_, 60), npu_);
    notes_.assumed.emplace_back("latencies are estimates: 0.5 us of a link, 0.4 us of PCI");
    if (*options_.nodes == 1) return text + levels();
    notes_.assumed.emplace_back("a leaf-spine network without oversubscription joins the NICs");
    text += fmt::format(
        "    leaf_spine:\n      leaves: 2  # assumed, without oversubscription\n"
        "      nodes: {}\n      bandwidth: {}\n      node:\n        npus: {}\n",
        *options_.nodes, exact_text(nic_rate_), system_.gpus.size());
    if (system_.gpus.size() > 1)
      text += fmt::format(
          "        inside: {}\n        bandwidth: {}\n        latency: 0.5 us  "
          "# an estimate\n",
          name_of(inside_), exact_text(inside_rate_));
    std::vector<std::int32_t> affinity;
    for (const NcclGpu& gpu : system_.gpus) affinity.push_back(gpu.nic);
    return text + fmt::format(
                      "        nics: {}\n        bus_bandwidth: {}\n        bus_latency: "
                      "0.4 us  # an estimate\n        affinity: [{}]\n",
                      system_.nics.size(), exact_text(bus_), fmt::join(affinity, ", "));
  }

  std::string levels() const {
    return fmt::format(
        "    levels:\n      - {{name: node, kind: {}, size: {}, bandwidth: {}, "
        "latency: 0.5 us, scope: local}}\n",
        name_of(inside_), system_.gpus.size(), exact_text(inside_rate_));
  }

  const std::string& file_;
  NcclSystem system_;
  const NcclTopologyOptions& options_;
  Imported& notes_;
  std::vector<Diagnostic> missing_;
  std::string npu_;
  NodeInside inside_ = NodeInside::switched;
  Bandwidth inside_rate_, nic_rate_, bus_;
};

}  // namespace

Imported import_nccl_topology(const std::string& file, const std::string& text,
                              const NcclTopologyOptions& options) {
  Imported imported;
  NcclSystem system = read_nccl_system(file, text, imported);
  imported.yaml = Platform(file, std::move(system), options, imported).yaml();
  return imported;
}

}  // namespace orrery
