# Debian packages: `cpack --config build/release/CPackConfig.cmake` writes them into the working
# directory. docs/how-to/packages.md.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "Orrery authors <maintainers@users.noreply.a-seed-2372f5ba.example>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES TRUE)
set(CPACK_COMPONENTS_ALL orrery python dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_ORRERY_PACKAGE_NAME orrery)
set(CPACK_DEBIAN_ORRERY_PACKAGE_SECTION science)
set(CPACK_DEBIAN_ORRERY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_ORRERY_DESCRIPTION
    "simulates clusters that train machine-learning models
 Describe a platform and a workload in YAML; the program says what a training
 iteration costs, how much of the communication is exposed, and what changes
 if you change one thing.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-orrery)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9), orrery (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-pandas)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION
    "simulates training clusters from Python
 Runs the program orrery and gives its results as objects and tables.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME liborrery-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "libfmt-dev, libspdlog-dev, nlohmann-json3-dev, librandom123-dev")
if(Ns3_FOUND)
  string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", libns3-dev")
endif()
set(CPACK_DEBIAN_DEV_DESCRIPTION
    "simulates training clusters inside C++ programs
 Headers and libraries of Orrery without its command line, for
 find_package(orrery).")
include(CPack)
