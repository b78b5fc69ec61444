# assay_add_plugin(NAME SOURCES a.cpp ... [LINK target ...])
# A plugin NAME.so that exports its entry function and nothing else, built into ${CMAKE_BINARY_DIR}/plugins (or
# OUTPUT_DIRECTORY). Hidden visibility and a version script: template code of the standard library stays private too.
#
# assay_install_plugin(NAME)
# Installs it where an assay with the same prefix looks for plugins.
set(ASSAY_PLUGIN_EXPORTS ${CMAKE_CURRENT_LIST_DIR}/plugin.map)

function(assay_add_plugin name)
  cmake_parse_arguments(plugin "" "OUTPUT_DIRECTORY" "SOURCES;LINK" ${ARGN})
  if(NOT plugin_OUTPUT_DIRECTORY)
    set(plugin_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)
  endif()
  add_library(plugin_${name} MODULE ${plugin_SOURCES})
  set_target_properties(plugin_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${plugin_OUTPUT_DIRECTORY}
    CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${ASSAY_PLUGIN_EXPORTS})
  target_compile_features(plugin_${name} PRIVATE cxx_std_20)
  target_link_options(plugin_${name} PRIVATE
    -Wl,--version-script=${ASSAY_PLUGIN_EXPORTS} -Wl,--build-id=sha1 -Wl,-z,defs)
  target_link_libraries(plugin_${name} PRIVATE assay::sdk ${plugin_LINK})
  set_property(GLOBAL APPEND PROPERTY ASSAY_PLUGIN_TARGETS plugin_${name})
endfunction()

function(assay_install_plugin name)
  include(GNUInstallDirs)
  # The number is the ABI's major version: plugins of different ones lie side by side.
  install(TARGETS plugin_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/assay/0 COMPONENT plugins)
endfunction()
