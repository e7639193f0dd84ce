// A file that cannot be read or written: exit code 3.
#pragma once

#include <stdexcept>

namespace orrery {

class IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;  // "cannot read hier.yaml: No such file or directory"
};

}  // namespace orrery
