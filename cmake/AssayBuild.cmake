# How this project's own targets are built: warnings, sanitizers, ccache, and one library a part.
find_program(ASSAY_CCACHE ccache)
if(ASSAY_CCACHE)
  # Paths relative to the tree: a second clone finds what the first one compiled.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=true ${ASSAY_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

add_library(assay_build INTERFACE)
target_compile_options(assay_build INTERFACE -Wall -Wextra -Wconversion -Werror -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees overlaps in std::string's operator+ that are not there (GCC PR 105651).
  target_compile_options(assay_build INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT ASSAY_SANITIZE STREQUAL "")
  # Instrumented code looks uninitialised to GCC where it is not, std::regex for one (GCC PR 105562).
  target_compile_options(assay_build INTERFACE -Wno-maybe-uninitialized)
endif()
if(ASSAY_SANITIZE STREQUAL "address")
  target_compile_options(assay_build INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all)
  target_link_options(assay_build INTERFACE -fsanitize=address,undefined)
elseif(ASSAY_SANITIZE STREQUAL "thread")
  target_compile_options(assay_build INTERFACE -fsanitize=thread)
  target_link_options(assay_build INTERFACE -fsanitize=thread)
elseif(NOT ASSAY_SANITIZE STREQUAL "")
  message(FATAL_ERROR "ASSAY_SANITIZE is '${ASSAY_SANITIZE}': use address, thread or nothing")
endif()

# assay_part(NAME SOURCES a.cpp ... [LINK target ...] [PRIVATE_LINK target ...])
# A static library assay_NAME of one part of the tree; includes are written from the repository's root.
function(assay_part name)
  cmake_parse_arguments(part "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(assay_${name} STATIC ${part_SOURCES})
  target_include_directories(assay_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(assay_${name} PUBLIC assay_sdk ${part_LINK} PRIVATE assay_build ${part_PRIVATE_LINK})
endfunction()

# assay_unit_test(NAME SOURCES a_test.cpp ... [LINK target ...] [LABELS label ...] [PROPERTIES name value ...])
# A GoogleTest program test_NAME whose cases CTest knows one by one.
function(assay_unit_test name)
  cmake_parse_arguments(unit "" "" "SOURCES;LINK;LABELS;PROPERTIES" ${ARGN})
  add_executable(test_${name} ${unit_SOURCES})
  target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(test_${name} PRIVATE assay_build assay_sdk ${unit_LINK} GTest::gtest GTest::gtest_main)
  set(labels unit ${unit_LABELS})
  gtest_discover_tests(test_${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${labels}" TIMEOUT 120 ${unit_PROPERTIES})
endfunction()
