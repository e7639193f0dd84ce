# What `cmake --install` copies, in three components, which CPack makes Debian packages of:
#   orrery   the program, its examples, schemas, man pages and completion
#   python   the Python package
#   dev      headers and libraries of the rooms below frontends/, for find_package(orrery)
include(GNUInstallDirs)

# Written by the program itself, from its option tables.
set(pages ${PROJECT_BINARY_DIR}/pages)
add_custom_command(
  OUTPUT ${pages}/written
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
  COMMAND orrery pages ${pages}
  COMMAND sh -c "gzip -9n ${pages}/man/*.1 && touch ${pages}/written"
  DEPENDS orrery
  VERBATIM)
add_custom_target(orrery_pages ALL DEPENDS ${pages}/written)

set(changelogs ${PROJECT_BINARY_DIR}/packaging)
file(MAKE_DIRECTORY ${changelogs})
add_custom_command(
  OUTPUT ${changelogs}/changelog.gz
  COMMAND sh -c "gzip -9nc ${PROJECT_SOURCE_DIR}/packaging/changelog > ${changelogs}/changelog.gz"
  DEPENDS ${PROJECT_SOURCE_DIR}/packaging/changelog
  VERBATIM)
add_custom_target(orrery_changelog ALL DEPENDS ${changelogs}/changelog.gz)

if(Ns3_FOUND)
  set(ORRERY_PROGRAM_LICENCE "GPL-2.0-only")
  set(ORRERY_PROGRAM_COMMENT
      "The sources are under the MIT licence. This program links ns-3, which is under the GNU\n General Public License, version 2 only: the program may be distributed under that licence.")
else()
  set(ORRERY_PROGRAM_LICENCE "Expat")
  set(ORRERY_PROGRAM_COMMENT "This program was built without ns-3 and holds no code under the GPL.")
endif()
configure_file(${PROJECT_SOURCE_DIR}/packaging/copyright.in ${PROJECT_BINARY_DIR}/packaging/copyright @ONLY)

# Of every package: policy wants these two in each.
function(orrery_package_documents component folder)
  install(FILES ${PROJECT_BINARY_DIR}/packaging/copyright ${changelogs}/changelog.gz
          DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${folder} COMPONENT ${component})
endfunction()

install(TARGETS orrery DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT orrery)
if(Ns3_FOUND)
  set(modules ${CMAKE_INSTALL_LIBDIR}/orrery)
  install(TARGETS orrery_ns3_module DESTINATION ${modules} COMPONENT orrery)
  file(RELATIVE_PATH modules_from_program /${CMAKE_INSTALL_BINDIR} /${modules})
  target_compile_definitions(orrery PRIVATE ORRERY_MODULES="${modules_from_program}")
endif()
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/orrery COMPONENT orrery
        PATTERN "expected*" EXCLUDE PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${pages}/schema DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/orrery COMPONENT orrery)
# To read: the program has them.
install(DIRECTORY platforms DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/orrery COMPONENT orrery)
install(DIRECTORY ${pages}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT orrery)
install(FILES ${pages}/bash-completion/orrery
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions COMPONENT orrery)
install(FILES ${pages}/zsh/_orrery
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/vendor-completions COMPONENT orrery)
install(FILES README.md CHANGELOG.md CITATION.cff
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/orrery COMPONENT orrery)
orrery_package_documents(orrery orrery)

set(ORRERY_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where Python looks for packages")
install(DIRECTORY python/orrery DESTINATION ${ORRERY_PYTHON_DIR} COMPONENT python
        PATTERN "__pycache__" EXCLUDE)
orrery_package_documents(python python3-orrery)

set(config ${CMAKE_INSTALL_LIBDIR}/cmake/orrery)
foreach(room core network system workload simulation report)
  set_target_properties(orrery_${room} PROPERTIES EXPORT_NAME ${room})
  install(DIRECTORY ${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/orrery COMPONENT dev
          FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
  list(APPEND rooms orrery_${room})
endforeach()
if(Ns3_FOUND)
  set_target_properties(orrery_ns3 PROPERTIES EXPORT_NAME ns3)
  list(APPEND rooms orrery_ns3)
endif()
install(TARGETS ${rooms} Random123 EXPORT orrery
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(EXPORT orrery NAMESPACE orrery:: FILE orreryTargets.cmake DESTINATION ${config} COMPONENT dev)
include(CMakePackageConfigHelpers)
configure_package_config_file(packaging/orreryConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/packaging/orreryConfig.cmake
                              INSTALL_DESTINATION ${config})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/packaging/orreryConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/packaging/orreryConfig.cmake
              ${PROJECT_BINARY_DIR}/packaging/orreryConfigVersion.cmake third_party/FindNs3.cmake
        DESTINATION ${config} COMPONENT dev)
orrery_package_documents(dev liborrery-dev)
