// What a text of users becomes: a value, or why it is none.
#pragma once

#include <string>
#include <variant>

namespace orrery {

// Why a text is not a T; `what` includes the text.
struct WrongText {
  std::string what, remedy;
  bool out_of_range = false;  // of T; where the key has limits, these are the remedy
};
template <class T>
using FromText = std::variant<T, WrongText>;

}  // namespace orrery
