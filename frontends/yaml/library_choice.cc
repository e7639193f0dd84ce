#include "frontends/yaml/library_choice.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "system/measured_devices.h"
#include "system/measured_protocols.h"

namespace orrery::yaml {

namespace {

std::string_view text_at(const YamlNode* node, std::string_view key) {
  const YamlNode* value = child_of(node, key);
  return value != nullptr && value->kind == NodeKind::scalar ? std::string_view(value->text) : "";
}

const DeviceLibrary* library_of(const YamlNode& root) {
  const YamlNode* npu = child_of(child_of(&root, "platform"), "npu");
  std::string_view device = text_at(npu, "preset");
  if (device.empty()) {
    device = text_at(child_of(npu, "efficiency"), "preset");
    device = device.substr(0, device.find('-'));
  }
  return find_device_library(device);
}

// What the file itself says of them; nothing if it leaves them open.
std::optional<ProtocolsInForce> written(const YamlNode* system) {
  if (const std::string_view library = text_at(system, "library"); !library.empty())
    return ProtocolsInForce{.name = std::string(library), .because = ""};
  if (child_of(system, "library") != nullptr || child_of(system, "protocols") != nullptr)
    return ProtocolsInForce{};
  if (text_at(system, "protocol") == "none") return ProtocolsInForce{.name = "none", .because = ""};
  if (child_of(system, "endpoint") != nullptr || child_of(system, "local_endpoint") != nullptr)
    return ProtocolsInForce{};
  return std::nullopt;
}

void add_library(YamlNode& root, std::string_view library, const Source& chosen) {
  const Place place{&chosen, 0, 0};
  YamlNode* system = root.find("system");
  if (system == nullptr) {
    root.children.push_back({NodeKind::map, "", place, "system", place, {}});
    system = &root.children.back();
  }
  if (system->kind == NodeKind::null) system->kind = NodeKind::map;
  if (system->kind != NodeKind::map) return;  // the reader complains
  system->children.push_back({NodeKind::scalar, std::string(library), place, "library", place, {}});
}

}  // namespace

ProtocolsInForce choose_library(YamlNode& root, const Source& chosen) {
  if (auto said = written(root.find("system"))) return *std::move(said);
  const DeviceLibrary* library = library_of(root);
  if (library == nullptr) return {};
  add_library(root, library->library, chosen);
  ProtocolsInForce in_force{.name = std::string(library->library), .because = ""};
  if (!library->because.empty()) {
    in_force.because = fmt::format("ASSUMED: {}", library->because);
    return in_force;
  }
  const MeasuredProtocols& measured = *find_measured_protocols(library->library);
  in_force.because = fmt::format("measured on {}", measured.machine);
  in_force.error = measured.error;
  in_force.sizes = measured.sizes;
  return in_force;
}

}  // namespace orrery::yaml
