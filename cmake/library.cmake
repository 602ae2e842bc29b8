# libringside, shared and static, made of the modules below the command, and what others need to use
# it: headers, a pkg-config file and a CMake package.
set(library_modules base model proc platform events symbols perf bpf clocks analysis accounting vpmu soft trust session components)

set(library_objects "")
foreach(module IN LISTS library_modules)
    list(APPEND library_objects $<TARGET_OBJECTS:ringside_${module}>)
endforeach()

add_library(ringside_shared SHARED ${library_objects})
add_library(ringside_static STATIC ${library_objects})
foreach(kind shared static)
    add_library(ringside::${kind} ALIAS ringside_${kind})
    set_target_properties(ringside_${kind} PROPERTIES
        OUTPUT_NAME ringside EXPORT_NAME ${kind} LINKER_LANGUAGE CXX)
    target_compile_features(ringside_${kind} INTERFACE cxx_std_20)
    target_include_directories(ringside_${kind} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(ringside_${kind} PRIVATE
        $<BUILD_INTERFACE:ringside_options> fmt::fmt PkgConfig::libbpf PkgConfig::libzstd PkgConfig::zlib)
endforeach()
set_target_properties(ringside_shared PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

foreach(kind shared static)
    ringside_install(ringside_${kind} EXPORT ringside
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ringside DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ringside NAMESPACE ringside:: FILE ringside-targets.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ringside)

include(CMakePackageConfigHelpers)
configure_file(${PROJECT_SOURCE_DIR}/cmake/ringside-config.cmake.in ringside-config.cmake @ONLY)
write_basic_package_version_file(ringside-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ringside-config.cmake
    ${PROJECT_BINARY_DIR}/ringside-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ringside)
# Where the prefix lies, seen from the .pc file, so that the installed tree can be moved.
file(RELATIVE_PATH prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(${PROJECT_SOURCE_DIR}/cmake/ringside.pc.in ringside.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ringside.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
