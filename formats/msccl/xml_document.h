// An XML file whose elements know their lines; mistakes become ConfigErrors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "core/base/config_error.h"

namespace orrery::msccl {

class XmlDocument {
 public:
  // `name`: as messages call it. `remedy`: what to write if it is no XML.
  XmlDocument(std::string name, std::string text,
              const std::string& remedy = "write <algo ...> as the tools of MSCCL do");

  pugi::xml_node root() const { return document_.document_element(); }
  int line_of(pugi::xml_node node) const { return position(node.offset_debug()).line; }

  // What the attribute says; throws if it is missing or not a whole number in that range.
  std::int32_t number(pugi::xml_node node, const char* name, std::int32_t least,
                      std::int32_t most = std::numeric_limits<std::int32_t>::max()) const;
  std::string_view word(pugi::xml_node node, const char* name) const;

  // At the beginning of an element.
  [[noreturn]] void refuse(pugi::xml_node node, std::string what, std::string remedy) const;
  [[noreturn]] void refuse(int line, std::string what, std::string remedy) const;

 private:
  struct Position {
    int line, column;
  };
  Position position(std::ptrdiff_t offset) const;
  [[noreturn]] void refuse(const Position& where, std::string what, std::string remedy) const;

  std::string name_, text_;
  std::vector<std::size_t> line_starts_;
  pugi::xml_document document_;
};

}  // namespace orrery::msccl
