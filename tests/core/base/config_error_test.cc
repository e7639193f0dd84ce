#include "core/base/config_error.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

Diagnostic bandwidth() {
  Diagnostic diagnostic;
  diagnostic.file = "cluster.yaml";
  diagnostic.line = 14;
  diagnostic.column = 18;
  diagnostic.path = "links[3].bandwidth";
  diagnostic.what = "\"400\" has no unit";
  diagnostic.remedy = "write for example 400 Gb/s";
  return diagnostic;
}

TEST_CASE("a diagnostic names the place, the problem and the remedy") {
  CHECK(format_diagnostic(bandwidth()) ==
        "cluster.yaml:14:18: error: links[3].bandwidth: \"400\" has no unit: "
        "write for example 400 Gb/s");
}

TEST_CASE("the source line is shown with a caret under the column") {
  Diagnostic diagnostic = bandwidth();
  diagnostic.source_line = "     bandwidth:  400";
  diagnostic.column = 18;  // of the 4
  CHECK(format_diagnostic(diagnostic) ==
        "cluster.yaml:14:18: error: links[3].bandwidth: \"400\" has no unit: "
        "write for example 400 Gb/s\n"
        "         bandwidth:  400\n"
        "                     ^");
}

TEST_CASE("tabs stay tabs under the line, so the caret is right at any tab width") {
  Diagnostic diagnostic = bandwidth();
  diagnostic.source_line = "\tbandwidth:\t400";
  diagnostic.column = 13;  // tab, "bandwidth:" (10), tab, then the 4
  CHECK_THAT(format_diagnostic(diagnostic),
             Catch::EndsWith("\n    \tbandwidth:\t400\n    \t          \t^"));
}

TEST_CASE("a column beyond the line still has its caret") {
  Diagnostic diagnostic = bandwidth();
  diagnostic.source_line = "a:";
  diagnostic.column = 4;
  CHECK_THAT(format_diagnostic(diagnostic), Catch::EndsWith("\n    a:\n       ^"));
}

TEST_CASE("unknown parts are left out") {
  Diagnostic diagnostic = bandwidth();
  diagnostic.column = 0;
  CHECK_THAT(format_diagnostic(diagnostic), Catch::StartsWith("cluster.yaml:14: error: links"));
  diagnostic.source_line = "bandwidth: 400";
  CHECK_THAT(format_diagnostic(diagnostic), Catch::EndsWith("Gb/s\n    bandwidth: 400"));
  diagnostic.source_line.clear();
  diagnostic.line = 0;
  CHECK_THAT(format_diagnostic(diagnostic), Catch::StartsWith("cluster.yaml: error: links"));
  diagnostic.file.clear();
  diagnostic.path.clear();
  diagnostic.remedy.clear();
  CHECK(format_diagnostic(diagnostic) == "error: \"400\" has no unit");
}

TEST_CASE("a ConfigError says everything at once") {
  Diagnostic second;
  second.what = "no workload";
  const ConfigError error({bandwidth(), second});
  CHECK(error.diagnostics().size() == 2);
  CHECK(std::string(error.what()) ==
        format_diagnostic(bandwidth()) + "\n" + format_diagnostic(second));
  CHECK(std::string(ConfigError(second).what()) == "error: no workload");
}

}  // namespace
}  // namespace orrery
