# Every plugin of the build, also those added after this directory: called at the end of the top directory.
get_property(plugins GLOBAL PROPERTY ASSAY_PLUGIN_TARGETS)
list(TRANSFORM plugins REPLACE "(.+)" "$<TARGET_FILE:\\1>")
add_test(NAME sdk.exports COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/dev/check_exports.py ${plugins})
set_tests_properties(sdk.exports PROPERTIES LABELS "unit")
