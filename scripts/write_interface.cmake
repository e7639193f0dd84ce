# Writes OUTPUT, a source with a number of all headers that a program and its module share, and of
# HOW they are compiled: network/ns3/stack_loaded.cc compares that of the two.
file(GLOB_RECURSE headers ${SOURCE}/core/*.h ${SOURCE}/network/*.h)
list(SORT headers)
set(all "${HOW}")
foreach(header IN LISTS headers)
  file(SHA256 ${header} hash)
  string(APPEND all ${hash})
endforeach()
string(SHA256 all "${all}")
string(SUBSTRING ${all} 0 16 all)
# A function: of two variables of one name the sanitizer says that there may be one.
file(WRITE ${OUTPUT} "extern \"C\" const char* orrery_interface() { return \"${all}\"; }\n")
