#include <fmt/format.h>

#include <string>

#include "formats/input/unpacked_file.h"
#include "formats/kineto/kineto_profile.h"
#include "formats/kineto/profile_files.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/kineto_text.h"
#include "frontends/cli/log_options.h"

namespace orrery::cli {

ExitCode import_kineto(const ImportOptions& options, const Terminal& terminal) {
  const auto text = unpacked_file(options.file);
  const kineto::Profile profile = kineto::read_profile(options.file, *text);
  if (options.as == "products") {
    const kineto::ProfileFile made = kineto::product_times(profile, options.file);
    terminal.out << made.text;
    for (const std::string& sentence : made.left_out) say(sentence);
  } else if (options.as == "coll") {
    terminal.out << kineto::collective_times(profile, options.file);
  } else {
    terminal.out << text_of(profile, options.top);
  }
  say(fmt::format("import: {} events read, {} of them kernels", profile.events, profile.kernels));
  if (profile.without_size > 0)
    say(fmt::format("{} kernels of communication do not say what they move", profile.without_size));
  return ok;
}

}  // namespace orrery::cli
