# Writes OUTPUT, a source file that holds the files PATTERNS below SOURCE:
#   cmake -DSOURCE=DIR -DPATTERNS=platforms/*.yaml -DOUTPUT=FILE -P embed_files.cmake
# What it defines is declared in formats/input/embedded_files.h.
cmake_minimum_required(VERSION 3.25)

set(text "#include \"formats/input/embedded_files.h\"\n\nnamespace orrery {\nnamespace {\n\n")
string(APPEND text "constexpr EmbeddedFile files[] = {\n")
list(TRANSFORM PATTERNS PREPEND ${SOURCE}/)
file(GLOB paths RELATIVE ${SOURCE} ${PATTERNS})
foreach(path IN LISTS paths)
  file(READ ${SOURCE}/${path} contents)
  string(APPEND text "    {\"${path}\", R\"orrery(${contents})orrery\"},\n")
endforeach()
string(APPEND text "};\n\n}  // namespace\n\n")
string(APPEND text "std::span<const EmbeddedFile> embedded_files() { return files; }\n\n")
string(APPEND text "}  // namespace orrery\n")
file(WRITE ${OUTPUT} "${text}")
