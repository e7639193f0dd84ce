// A page of sections, as HTML that is XML too.
#pragma once

#include <string>
#include <vector>

#include "report/html/figure.h"

namespace orrery {

inline constexpr const char* page_beginning = "<!DOCTYPE html>\n<!-- report of Orrery -->\n";

// With a list of the questions. `title` is a text.
std::string html_page(const std::string& title, const std::vector<Section>& sections);

}  // namespace orrery
