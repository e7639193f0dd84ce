// A platform as it is bought: so many servers.
#pragma once

#include <string>

#include "formats/yaml/problems.h"
#include "formats/yaml/yaml_node.h"

namespace orrery::yaml {

// `platform: {nodes: 16, server: hgx-h100}` means
//     platform: {topology: {rail: {nodes: 16, node: hgx-h100}}}
// and with `oversubscription` a leaf_spine, because rails have none; `nic` is the bandwidth of a
// NIC, `2x400 Gb/s` also how many a server has. `npu: h100` in place of `server` is the server that
// has this device. Beside a network of servers, such as `leaf_spine: {spines: 4}`, they become its
// keys: `nodes` in place of its own, the others where it has none. `root` is an experiment or a
// platform file. A server that is sold without NICs has those of 400 Gb/s, which the text that is
// returned says. Returns which network that is, for the head of a report; "" if the file names its
// network. `problems` of that network name the keys of the file.
std::string add_network_of_servers(YamlNode& root, Problems& problems);

// Before files are read: one server, `{server: hgx-h100}` or `{nodes: 1, server: hgx-h100}`, is the
// bundled platform of its name, and several of a bundled platform that is a server are servers.
// `{npu: h100, ranks: 512}` are so many servers, if they are whole ones.
void name_servers(YamlNode& root, Problems& problems);

// The server `hgx-h100` as {preset: hgx-h100}, beside which keys may stand.
void name_server(YamlNode& server);

}  // namespace orrery::yaml
