// What reports call the kinds of traffic that backends count.
#pragma once

#include <cstddef>
#include <string>

namespace orrery {

// By Message::label: "all_reduce", ..., "point_to_point".
std::string name_of_traffic(std::size_t label);

}  // namespace orrery
