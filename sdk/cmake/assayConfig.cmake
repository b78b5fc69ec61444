# find_package(assay): the target assay::sdk and the functions of AssayPlugin.cmake.
include(${CMAKE_CURRENT_LIST_DIR}/assayTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/AssayPlugin.cmake)
