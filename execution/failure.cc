#include "execution/failure.h"

#include <fmt/format.h>

#include <new>

#include "core/base/config_error.h"
#include "core/base/io_error.h"
#include "core/base/memory_limit.h"
#include "core/units/range_error.h"
#include "core/units/unit_text.h"
#include "network/network_error.h"
#include "simulation/simulate.h"
#include "system/job.h"

namespace orrery {

namespace {

Failure bug(const char* what) {
  return {internal_bug, fmt::format("this is a bug in Orrery: {}\n"
                                    "please report it, with the experiment file and this message",
                                    what)};
}

}  // namespace

Failure describe_failure(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const ConfigError& wrong) {
    return {wrong_configuration, wrong.what()};
  } catch (const IoError& wrong) {
    return {wrong_files, fmt::format("error: {}", wrong.what())};
  } catch (const StuckError& stuck) {
    return {simulation_failed, fmt::format("error: {}", stuck.what())};
  } catch (const JobError& contradiction) {
    return {simulation_failed, fmt::format("error: {}", contradiction.what())};
  } catch (const NetworkError& failed) {
    return {simulation_failed, fmt::format("error: {}", failed.what())};
  } catch (const RangeError& limit) {
    return {simulation_failed, fmt::format("error: {}", limit.what())};
  } catch (const std::bad_alloc&) {
    return {simulation_failed,
            fmt::format("error: out of memory, of which this process may use {}: make the job or "
                        "its platform smaller, or run it on a machine with more",
                        to_text(Bytes{memory_limit()}))};
  } catch (const std::exception& unexpected) {  // CheckFailure, and what nobody thought of
    return bug(unexpected.what());
  } catch (...) {
    return bug("an exception of an unknown type");
  }
}

}  // namespace orrery
