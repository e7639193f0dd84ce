// What the process returns: a contract with scripts, printed by `orrery --help`.
#pragma once

namespace orrery {

enum ExitCode : int {
  ok = 0,
  simulation_failed = 1,    // the job is stuck, or contradicts itself
  wrong_configuration = 2,  // the command line or an experiment file is wrong
  wrong_files = 3,          // a file cannot be read or written
  internal_bug = 70,        // EX_SOFTWARE of sysexits.h
  interrupted = 130,        // by Ctrl-C, as shells count it: 128 + SIGINT; also SIGTERM, SIGHUP
};

}  // namespace orrery
