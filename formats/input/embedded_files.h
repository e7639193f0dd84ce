// The files of platforms/, which are part of the program: it finds them wherever it is copied to.
// scripts/embed_files.cmake writes them into a source file when the program is built.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orrery {

struct EmbeddedFile {
  std::string_view path, text;  // "platforms/dgx-h100.yaml"
};

// Sorted by path.
std::span<const EmbeddedFile> embedded_files();

// What stands before the path of such a file where a file of the disk could be meant:
// "orrery:platforms/dgx-h100.yaml".
inline constexpr std::string_view embedded_prefix = "orrery:";

}  // namespace orrery
