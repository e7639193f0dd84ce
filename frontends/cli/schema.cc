#include "frontends/cli/commands.h"
#include "frontends/yaml/key_reference.h"
#include "frontends/yaml/schemas.h"
#include "report/result_page.h"
#include "report/result_schema.h"

namespace orrery::cli {

std::string schema_text(const std::string& kind) {
  if (kind == "experiment") return experiment_schema();
  if (kind == "sweep") return sweep_schema();
  if (kind == "efficiency") return efficiency_schema();
  if (kind == "result") return result_schema();
  if (kind == "comparison") return comparison_schema();
  if (kind == "coll") return collective_schema();
  if (kind == "traffic") return traffic_schema();
  return part_schema(kind);
}

std::vector<std::string> schema_kinds() {
  return {"experiment", "platform", "system",     "network", "workload", "sweep",
          "efficiency", "result",   "comparison", "coll",    "traffic"};
}

ExitCode schema(const SchemaOptions& options, const Terminal& terminal) {
  if (options.format == "json") {
    terminal.out << schema_text(options.kind);
  } else if (options.kind == "experiment") {
    terminal.out << key_reference_page();
  } else if (options.kind == "result") {
    terminal.out << result_page();
  } else {
    terminal.error << "error: only the schemas of experiment and result can be a page: "
                      "orrery schema result --format markdown\n";
    return wrong_configuration;
  }
  return ok;
}

}  // namespace orrery::cli
