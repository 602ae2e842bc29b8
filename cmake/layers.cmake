# src/layers.txt says who may include whom; here it also says who is linked to whom.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/layers.txt)
file(STRINGS ${PROJECT_SOURCE_DIR}/src/layers.txt layers REGEX "^[a-z_]+:")
set(RINGSIDE_LAYERS "")  # lowest first
foreach(layer IN LISTS layers)
    string(REGEX MATCH "^([a-z_]+):(.*)$" layer "${layer}")
    set(module ${CMAKE_MATCH_1})
    separate_arguments(below UNIX_COMMAND "${CMAKE_MATCH_2}")
    list(APPEND RINGSIDE_LAYERS ${module})
    list(TRANSFORM below PREPEND ringside_ OUTPUT_VARIABLE RINGSIDE_LINKS_${module})
endforeach()

# The target is the module's; what stands below it is linked.
function(ringside_link_layers target module)
    if(NOT module IN_LIST RINGSIDE_LAYERS)
        message(FATAL_ERROR "src/layers.txt has no line for ${module}")
    endif()
    target_link_libraries(${target} PUBLIC ${RINGSIDE_LINKS_${module}})
endfunction()
