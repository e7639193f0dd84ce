#include "execution/batch/line_reader.h"

#include <fmt/format.h>
#include <sys/poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/io_error.h"

namespace orrery {

// False when it shall stop.
bool LineReader::wait() const {
  constexpr int milliseconds = 200;
  while (!stop_()) {
    pollfd wanted{file_, POLLIN, 0};
    if (poll(&wanted, 1, milliseconds) > 0) return true;
  }
  return false;
}

// False at the end.
bool LineReader::fill() {
  constexpr std::size_t block = 1 << 16;
  std::array<char, block> bytes;
  while (!ended_ && wait()) {
    const ssize_t count = read(file_, bytes.data(), bytes.size());
    if (count > 0) kept_.append(bytes.data(), static_cast<std::size_t>(count));
    ended_ = count == 0;  // a terminal would wait again
    if (count >= 0) return !ended_;
    if (errno != EINTR && errno != EAGAIN)
      throw IoError(fmt::format("cannot read standard input: {}", std::strerror(errno)));
  }
  return false;
}

std::optional<std::string> LineReader::next() {
  std::size_t end = 0;
  while ((end = kept_.find('\n', searched_)) == std::string::npos) {
    searched_ = kept_.size();
    if (fill()) continue;
    if (stop_() || kept_.empty()) return std::nullopt;
    end = kept_.size();  // the last line has no end
    break;
  }
  std::string line = kept_.substr(0, end);
  kept_.erase(0, end + 1);
  searched_ = 0;
  return line;
}

}  // namespace orrery
