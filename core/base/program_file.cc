#include "core/base/program_file.h"

#include <sys/auxv.h>

#include <system_error>

namespace orrery {

std::filesystem::path program_file() {
  std::error_code error;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) return program;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives addresses as numbers
  return std::filesystem::absolute(reinterpret_cast<const char*>(getauxval(AT_EXECFN)), error);
}

}  // namespace orrery
