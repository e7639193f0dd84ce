#include "network/folded_links.h"

namespace orrery {

std::vector<LinkIndex> representative_links(const Topology& topology, const Fold& fold) {
  std::vector<LinkIndex> like(topology.links().size());
  for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level) {
    const bool switched = topology.levels()[level].kind == LevelKind::switched;
    for (std::int32_t npu = 0; npu < topology.npu_count(); ++npu) {
      const NodeId here{npu}, there{fold.representative(npu)};
      for (std::int32_t port = 0; port < topology.ports(level); ++port)
        if (topology.has_link(level, here, port))
          like[topology.egress_link(level, here, port)] =
              static_cast<LinkIndex>(topology.egress_link(level, there, port));
      if (switched)
        like[topology.switch_to_npu_link(level, here)] =
            static_cast<LinkIndex>(topology.switch_to_npu_link(level, there));
    }
  }
  return like;
}

}  // namespace orrery
