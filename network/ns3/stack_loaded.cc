// Of programs that load ns-3 when an experiment first needs it: from orrery-ns3.so, which lies
// beside the program or where the package has it, at ORRERY_MODULES from there. The module calls
// functions of the program, which exports them.
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "core/base/program_file.h"
#include "network/network_error.h"
#include "network/ns3/tcp_stack.h"
#include "network/packet/transports.h"

extern "C" const char* orrery_interface();  // scripts/write_interface.cmake

namespace orrery {
namespace {

using MakeTcp = PacketTransport* (*)(const TransportParts& parts);

// Never unloaded: ns-3 leaves functions to be called when the process ends.
MakeTcp load_stack() {
  const std::filesystem::path folder = program_file().parent_path();
  std::filesystem::path file = folder / "orrery-ns3.so";
  if (!std::filesystem::exists(file)) file = folder / ORRERY_MODULES / "orrery-ns3.so";
  void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = module == nullptr ? nullptr : dlsym(module, "orrery_make_tcp");
  if (found == nullptr)
    throw NetworkError(fmt::format(
        "TCP is simulated by ns-3, which this program loads from a file of its own, and "
        "that failed: {}; put orrery-ns3.so, as it was built with this program, into {}",
        dlerror(), folder.string()));
  const auto theirs =
      reinterpret_cast<decltype(&orrery_interface)>(dlsym(module, "orrery_interface"));
  if (theirs == nullptr || std::string_view(theirs()) != orrery_interface())
    throw NetworkError(fmt::format(
        "TCP is simulated by ns-3, and {} was built from other sources than this program: put "
        "orrery-ns3.so, as it was built with this program, into {}",
        file.string(), folder.string()));
  return reinterpret_cast<MakeTcp>(found);
}

}  // namespace

std::unique_ptr<PacketTransport> make_tcp_transport(const TransportParts& parts) {
  static const MakeTcp make = load_stack();
  return std::unique_ptr<PacketTransport>(make(parts));
}

}  // namespace orrery
