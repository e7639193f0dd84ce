// Broken invariants: the programmer's mistakes, never the user's (those are ConfigError).
//
//   CHECK(condition, "format {}", values...)    in every build; says where, when and with what
//   DCHECK(...)                                 the same in debug builds only, for hot loops
//
// A failed check throws CheckFailure, caught once in main (exit 70, "please report"): partial
// results survive, and a test can provoke it. The simulated time is that of the innermost running
// EventQueue of this thread.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace orrery {

class CheckFailure : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace check_internal {
[[noreturn]] void fail(const char* file, int line, const char* condition, std::string details);
}  // namespace check_internal

}  // namespace orrery

#define ORRERY_CHECK(condition, ...)                                                              \
  do {                                                                                            \
    if (!(condition)) [[unlikely]]                                                                \
      ::orrery::check_internal::fail(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
  } while (false)

// Catch2 has a CHECK of its own, and in a test file that one is meant: headers use the other names.
#ifndef CHECK
#define CHECK(condition, ...) ORRERY_CHECK(condition, __VA_ARGS__)
#endif

#ifdef NDEBUG
#define DCHECK(condition, ...) \
  do {                         \
  } while (false)
#else
#define DCHECK(condition, ...) ORRERY_CHECK(condition, __VA_ARGS__)
#endif
