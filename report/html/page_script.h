// What a report can do where scripts are allowed: report/html/page_script.js, which the build
// embeds. Nothing in it is needed to read the page.
#pragma once

namespace orrery {

extern const char* const page_script;

}  // namespace orrery
