# Writes OUTPUT, a source file with the commit of the tree SOURCE, and touches it only when that has
# changed: cmake -DSOURCE=DIR -DOUTPUT=FILE -P write_commit.cmake. Runs at each build.
#
#   933819f2a1b0              as it was committed
#   933819f2a1b0+1f0c9d2e     with changes: a hash of them
#   unknown                   not in a git checkout
cmake_minimum_required(VERSION 3.25)

set(commit unknown)
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel
                OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(REAL_PATH ${SOURCE} source)
if(top STREQUAL source)
  execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE changed ERROR_QUIET)
  if(changed)
    execute_process(COMMAND git -C ${SOURCE} diff --binary HEAD
                    COMMAND git hash-object --stdin
                    OUTPUT_VARIABLE changes ERROR_QUIET)
    string(SUBSTRING "${changes}" 0 8 changes)
    string(APPEND commit "+${changes}")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
     "#include \"frontends/cli/commit.h\"\n\nconst char* const orrery::cli::commit = \"@commit@\";\n")
