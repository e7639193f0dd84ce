// Which file a path leads to, where several do.
#pragma once

#include <string>

namespace orrery {

// The same for all hard and symbolic links of a file; "" of a file without others, as far as its
// path tells, and of what is no file.
std::string identity_of_linked_file(const std::string& path);

}  // namespace orrery
