#include "network/topology/builders/server_presets.h"

#include <vector>

namespace orrery {

namespace {

constexpr Wire pcie_4{gigabytes_per_second(32), nanoseconds(400)};  // x16, in one direction
constexpr Wire pcie_5{gigabytes_per_second(64), nanoseconds(400)};
constexpr Wire pcie_6{gigabytes_per_second(128), nanoseconds(400)};

// With a NIC for each NPU. `link`: inside, in one direction.
NodeSpec server(std::int32_t npus, NodeInside inside, Bandwidth link, Wire bus) {
  const bool switched = inside == NodeInside::switched;
  return {.npus = npus,
          .inside = inside,
          .link = {link, nanoseconds(switched ? 200 : 500)},
          .nics = npus,
          .bus = bus,
          .affinity = {}};
}

// `gigabytes` a second of a link.
NodeSpec server(std::int32_t npus, NodeInside inside, std::int64_t gigabytes, Wire bus) {
  return server(npus, inside, gigabytes_per_second(gigabytes), bus);
}

// Eight, each joined to the seven others by three of its 24 Ethernet ports each, and to the network
// by the last three, without a bus of the host. `ports`: the bandwidth of three.
NodeSpec gaudi(Bandwidth ports) {
  return server(8, NodeInside::fully_connected, ports, {ports, Duration{}});
}

// Eight A100 with four NICs.
NodeSpec p4d() {
  NodeSpec node = server(8, NodeInside::switched, 300, pcie_4);
  node.nics = 4;
  return node;
}

constexpr Bandwidth efa = gigabits_per_second(100), hdr = gigabits_per_second(200),
                    ndr = gigabits_per_second(400), xdr = gigabits_per_second(800),
                    three_of_100 = gigabits_per_second(300),
                    three_of_200 = gigabits_per_second(600);

}  // namespace

std::span<const ServerPreset> server_presets() {
  static const std::vector<ServerPreset> presets = {
      // NVIDIA DGX A100 data sheet: 600 GB/s of NVLink a GPU counting both directions, eight
      // single-port ConnectX-6 of 200 Gb/s; PCIe 4.0.
      {"hgx-a100", "a100", server(8, NodeInside::switched, 300, pcie_4), hdr},
      {"hgx-a100-80gb", "a100-80gb", server(8, NodeInside::switched, 300, pcie_4), hdr},
      // The A100 for China: its NVLink is cut to 400 GB/s; NICs as in a DGX A100.
      {"hgx-a800", "a800", server(8, NodeInside::switched, 200, pcie_4), hdr},
      // Amazon EC2 P4d and P4de: the boards of a DGX A100 with 40 and 80 GB, and 400 Gb/s of EFA
      // for all eight, which are four cards.
      {"p4d", "a100-40gb", p4d(), efa},
      {"p4de", "a100-80gb", p4d(), efa},
      // NVIDIA DGX H100 and H200 data sheets: 900 GB/s of NVLink a GPU counting both directions,
      // eight single-port ConnectX-7 of 400 Gb/s; PCIe 5.0.
      {"hgx-h100", "h100", server(8, NodeInside::switched, 450, pcie_5), ndr},
      {"hgx-h200", "h200", server(8, NodeInside::switched, 450, pcie_5), ndr},
      // The H100 for China: the H800's NVLink is cut to 400 GB/s, the H20 keeps 900; NICs as in a
      // DGX H100, which are those of the machine that trained DeepSeek-V3 (arXiv 2412.19437, 3.1).
      {"hgx-h800", "h800", server(8, NodeInside::switched, 200, pcie_5), ndr},
      {"hgx-h20", "h20", server(8, NodeInside::switched, 450, pcie_5), ndr},
      // NVIDIA DGX B200 data sheet: 14.4 TB/s of NVLink among eight GPUs counting both directions,
      // eight single-port ConnectX-7 of 400 Gb/s; PCIe 5.0.
      {"hgx-b200", "b200", server(8, NodeInside::switched, 900, pcie_5), ndr},
      // NVIDIA GB200 NVL72 data sheet: 72 GPUs on NVLink, 1.8 TB/s each counting both directions;
      // a ConnectX-7 of 400 Gb/s for each GPU.
      {"gb200-nvl72", "gb200", server(72, NodeInside::switched, 900, pcie_5), ndr},
      // NVIDIA DGX B300 and GB300 NVL72 data sheets: the NVLink of the generation before, a
      // ConnectX-8 of 800 Gb/s for each GPU; PCIe 6.0.
      {"hgx-b300", "b300", server(8, NodeInside::switched, 900, pcie_6), xdr},
      {"gb300-nvl72", "gb300", server(72, NodeInside::switched, 900, pcie_6), xdr},
      // AMD Instinct MI300X, MI325X and MI355X platform data sheets: eight, each joined to the
      // seven others by a link of 128 GB/s, of the MI355X 153.6, counting both directions; PCIe
      // 5.0. The sheets name no NICs.
      {"mi300x-platform", "mi300x", server(8, NodeInside::fully_connected, 64, pcie_5)},
      {"mi325x-platform", "mi325x", server(8, NodeInside::fully_connected, 64, pcie_5)},
      {"mi355x-platform", "mi355x",
       server(8, NodeInside::fully_connected, Bandwidth{76'800'000'000}, pcie_5)},
      // Intel Gaudi documentation, Network Configuration: HLS-2 and HLS-3.
      {"hls-2", "gaudi2", gaudi(three_of_100), three_of_100},
      {"hls-3", "gaudi3", gaudi(three_of_200), three_of_200},
  };
  return presets;
}

std::span<const ServerAlias> server_aliases() {
  // A DGX is NVIDIA's own server around the board; instances of clouds by their data sheets.
  static constexpr ServerAlias aliases[] = {
      // A server named by its device is NVIDIA's, of every A100; p4d is one of a cloud.
      {"a100-40gb", "hgx-a100"},
      {"hgx-a100-40gb", "hgx-a100"},
      {"dgx-a100-80gb", "hgx-a100-80gb"},
      {"dgx-a100", "hgx-a100"},
      {"dgx-h100", "hgx-h100"},
      {"dgx-h200", "hgx-h200"},
      {"dgx-b200", "hgx-b200"},
      {"dgx-b300", "hgx-b300"},
      {"nvl72", "gb200-nvl72"},
      {"p5.48xlarge", "hgx-h100"},
      {"p5en.48xlarge", "hgx-h200"},
      {"p5e.48xlarge", "hgx-h200"},
      {"p4d.24xlarge", "p4d"},
      {"p4de.24xlarge", "p4de"},
      {"p6-b200.48xlarge", "hgx-b200"},
  };
  return aliases;
}

}  // namespace orrery
