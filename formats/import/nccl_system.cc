#include "formats/import/nccl_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/base/quoted.h"
#include "formats/msccl/xml_document.h"

namespace orrery {

namespace {

constexpr std::string_view gpu_class = "0x0302";       // 3D controller
constexpr std::string_view nic_class = "0x02";         // Ethernet, InfiniBand, ...
constexpr std::string_view switch_class = "0x068000";  // NVSwitch, as a bridge

constexpr Bandwidth mega_bits{125'000};  // a second

using Path = std::vector<pugi::xml_node>;  // from <system> to an element

// "16.0 GT/s PCIe" and 16 lanes: 32 GB/s, as data sheets count. 0 if one of them is not there.
Bandwidth bus_of(pugi::xml_node pci) {
  const double transfers = std::strtod(pci.attribute("link_speed").value(), nullptr);
  const int lanes = pci.attribute("link_width").as_int();
  constexpr double most = 1'000;
  constexpr int most_lanes = 64;
  if (!(transfers > 0 && transfers < most) || lanes < 1 || lanes > most_lanes) return {};
  return mega_bits * (static_cast<std::int64_t>(std::llround(transfers * 1e3)) * lanes);
}

class SystemReader {
 public:
  SystemReader(const msccl::XmlDocument& xml, Imported& notes) : xml_(xml), notes_(notes) {}

  NcclSystem read() {
    Path path{xml_.root()};
    visit(path, 0);
    order_gpus();
    for (std::size_t i = 0; i < system_.gpus.size(); ++i) join(i);
    choose_nics();
    return std::move(system_);
  }

 private:
  void visit(Path& path, int depth) {
    constexpr int deepest = 64;
    if (depth > deepest) xml_.refuse(path.back(), "the elements are nested too deep", "");
    for (const pugi::xml_node child : path.back().children()) {
      if (child.type() != pugi::node_element) continue;
      path.push_back(child);
      const std::string_view name = child.name();
      if (name == "pci") {
        pci(path);
      } else if (name == "net") {
        net(path);
      }
      if (name == "cpu" || name == "pci" || name == "nic") visit(path, depth + 1);
      path.pop_back();
    }
  }

  void pci(const Path& path) {
    const pugi::xml_node device = path.back();
    const std::string_view kind = device.attribute("class").value();
    ++notes_.read;
    if (kind.starts_with(gpu_class) || device.child("gpu")) {
      NcclGpu gpu;
      gpu.busid = device.attribute("busid").value();
      gpu.line = xml_.line_of(device);
      gpu.device = device.attribute("device").value();
      gpu.bus = bus_of(device);
      if (const pugi::xml_node said = device.child("gpu")) {
        if (said.attribute("sm")) gpu.sm = xml_.number(said, "sm", 0, 1'000);
        numbers_.push_back(said.attribute("dev").as_int(static_cast<int>(numbers_.size())));
      } else {
        numbers_.push_back(static_cast<int>(numbers_.size()));
      }
      elements_.push_back(device);
      gpu_paths_.push_back(path);
      system_.gpus.push_back(std::move(gpu));
    } else if (kind.starts_with(nic_class) && !device.child("nic").child("net")) {
      system_.nics.push_back({xml_.line_of(device), {}});
      nic_paths_.push_back(path);
    }
  }

  // Mb/s. A port that NCCL counts as a network of its own is a NIC of its own.
  void net(const Path& path) {
    const pugi::xml_node element = path.back();
    ++notes_.read;
    const std::int32_t speed =
        element.attribute("speed") ? xml_.number(element, "speed", 0, 100'000'000) : 0;
    system_.nics.push_back({xml_.line_of(element), mega_bits * speed});
    nic_paths_.push_back(path);
  }

  void order_gpus() {
    std::vector<std::size_t> order(system_.gpus.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return numbers_[i]; });
    const auto arrange = [&](auto& things) {
      std::remove_cvref_t<decltype(things)> sorted;
      for (const std::size_t i : order) sorted.push_back(things[i]);
      things = std::move(sorted);
    };
    arrange(system_.gpus);
    arrange(elements_);
    arrange(gpu_paths_);
  }

  // Its NVLinks.
  void join(std::size_t index) {
    NcclGpu& gpu = system_.gpus[index];
    gpu.links_to_gpus.assign(system_.gpus.size(), 0);
    for (const pugi::xml_node link : elements_[index].child("gpu").children("nvlink")) {
      ++notes_.read;
      const std::int32_t count = xml_.number(link, "count", 0, 1'000);
      const std::string_view kind = xml_.word(link, "tclass");
      const std::string_view target = link.attribute("target").value();
      if (kind.starts_with(switch_class)) {
        gpu.links_to_switches += count;
        continue;
      }
      const auto other = std::ranges::find(system_.gpus, target, &NcclGpu::busid);
      const bool is_there = other != system_.gpus.end(), is_own = is_there && &*other == &gpu;
      const bool leads_on = is_there && !is_own;
      if (leads_on) {
        gpu.links_to_gpus[static_cast<std::size_t>(other - system_.gpus.begin())] += count;
      } else {
        notes_.ignored.push_back(fmt::format("{} NVLinks of GPU {} that end at {}", count, index,
                                             is_own ? "itself" : "no GPU of the file"));
      }
    }
  }

  // Of each GPU the NIC that shares most of the way through PCI; of equals the one with fewest
  // GPUs.
  void choose_nics() {
    std::vector<std::int32_t> taken(system_.nics.size(), 0);
    for (std::size_t g = 0; g < system_.gpus.size(); ++g) {
      std::pair<std::ptrdiff_t, std::int32_t> best{-1, 0};
      for (std::size_t n = 0; n < system_.nics.size(); ++n) {
        const Path &ours = gpu_paths_[g], &its = nic_paths_[n];
        const auto shared = std::ranges::mismatch(ours, its).in1 - ours.begin();
        const std::pair<std::ptrdiff_t, std::int32_t> fit{shared, -taken[n]};
        if (system_.gpus[g].nic >= 0 && fit <= best) continue;
        best = fit;
        system_.gpus[g].nic = static_cast<std::int32_t>(n);
      }
      if (system_.gpus[g].nic >= 0) ++taken[static_cast<std::size_t>(system_.gpus[g].nic)];
    }
  }

  const msccl::XmlDocument& xml_;
  Imported& notes_;
  NcclSystem system_;
  std::vector<int> numbers_;  // `dev` of each GPU
  std::vector<pugi::xml_node> elements_;
  std::vector<Path> gpu_paths_, nic_paths_;
};

void check_kind(const msccl::XmlDocument& xml) {
  const pugi::xml_node root = xml.root();
  const std::string_view name = root.name();
  const char* remedy = "let NCCL write it: NCCL_TOPO_DUMP_FILE=topo.xml";
  if (name == "topology") xml.refuse(root, "this is a topology of hwloc, not of NCCL", remedy);
  if (name == "graphs")
    xml.refuse(root,
               "this is a graph file of NCCL (NCCL_GRAPH_DUMP_FILE), which has its rings and "
               "trees, not its topology",
               remedy);
  if (name != "system") xml.refuse(root, fmt::format("<{}> is no topology of NCCL", name), remedy);
  const std::string version = root.attribute("version").value();
  if (version != "1")
    xml.refuse(root, fmt::format("version {} of NCCL's topology is not known", in_quotes(version)),
               "version 1 is read");
}

}  // namespace

NcclSystem read_nccl_system(const std::string& file, std::string text, Imported& notes) {
  const msccl::XmlDocument xml(file, std::move(text),
                               "name a topology that NCCL wrote: NCCL_TOPO_DUMP_FILE=topo.xml");
  check_kind(xml);
  NcclSystem system = SystemReader(xml, notes).read();
  if (system.gpus.empty())
    xml.refuse(xml.root(), "the file has no GPU: no <gpu>, and no PCI device of class 0x0302",
               "let NCCL write it on a node with GPUs");
  return system;
}

}  // namespace orrery
