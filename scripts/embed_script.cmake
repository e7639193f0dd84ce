# Writes OUTPUT, a source file that holds the script of pages, SOURCE:
#   cmake -DSOURCE=FILE.js -DOUTPUT=FILE.cc -P embed_script.cmake
# What it defines is declared in report/html/page_script.h.
cmake_minimum_required(VERSION 3.25)

file(READ ${SOURCE} contents)
file(WRITE ${OUTPUT} "#include \"report/html/page_script.h\"\n\nnamespace orrery {\n\n"
     "const char* const page_script = R\"orrery(${contents})orrery\";\n\n}  // namespace orrery\n")
