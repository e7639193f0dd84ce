// Man pages of the option tables, in the macros of man(7).
#pragma once

#include <string>

#include "frontends/cli/option_tables.h"

namespace orrery::cli {

// orrery(1), or orrery-COMMAND(1). `version`: for the footer.
std::string man_page(const CommandEntry& program, const CommandEntry& command,
                     const std::string& version);

// "orrery-run.1"
std::string man_page_file(const CommandEntry& command);

}  // namespace orrery::cli
