// A page of sections, as HTML that is XML too.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/html/figure.h"

namespace orrery {

inline constexpr const char* page_beginning = "<!DOCTYPE html>\n<!-- report of Orrery -->\n";

// A page that is larger can hardly be mailed, and browsers begin to stop.
inline constexpr std::size_t most_page_bytes = 8'000'000;

// With a list of the questions. `title` is a text. Tables are cut where the page would be too large
// with them, and the page says so.
std::string html_page(const std::string& title, std::vector<Section> sections);

}  // namespace orrery
