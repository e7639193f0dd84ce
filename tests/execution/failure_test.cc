#include "execution/failure.h"

#include <catch2/catch.hpp>
#include <new>
#include <vector>

#include "core/base/check.h"
#include "core/base/config_error.h"
#include "core/base/io_error.h"
#include "core/units/range_error.h"
#include "simulation/simulate.h"
#include "system/job.h"

using namespace orrery;

TEST_CASE("every kind of error has its exit code", "[execution]") {
  const auto code_of = [](auto error) {
    return describe_failure(std::make_exception_ptr(error)).exit_code;
  };
  CHECK(code_of(StuckError("rank 0 waits", {})) == 1);
  CHECK(code_of(JobError("another size")) == 1);
  CHECK(code_of(RangeError("beyond 106 days")) == 1);
  CHECK(code_of(std::bad_alloc()) == 1);
  CHECK(code_of(ConfigError(std::vector<Diagnostic>{})) == 2);
  CHECK(code_of(IoError("cannot read")) == 3);
  CHECK(code_of(CheckFailure("broken")) == 70);
  CHECK(code_of(std::out_of_range("vector")) == 70);
  CHECK(code_of(42) == 70);
}

TEST_CASE("a bug is not blamed on the user", "[execution]") {
  const Failure failure = describe_failure(std::make_exception_ptr(CheckFailure("broken")));
  CHECK_THAT(failure.text, Catch::Contains("bug in Orrery: broken") && Catch::Contains("report"));
}
