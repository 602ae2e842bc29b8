# A module is a folder of src/ and one target, ringside_<module>. Its links are those of src/layers.txt.
include(${CMAKE_CURRENT_LIST_DIR}/layers.cmake)

set(RINGSIDE_SANITIZE "" CACHE STRING "Value for -fsanitize=, for instance address,undefined")
option(RINGSIDE_TIDY "Run clang-tidy on each module's files as they are compiled" OFF)
# Most of what compiling costs, and clang-tidy, is headers. All builds but dev take several files at a
# time; then two of them cannot have helpers of the same name, which may well be the same helper. dev
# takes each by itself: it sees what a file lacks. clang-tidy looks at all headers again for each of its
# hundred checks, so that with it more files go together.
set(RINGSIDE_TOGETHER 0 CACHE STRING "How many files of a module to compile at a time, at most; 0 for each by itself")

# Which files go together follows from their names alone, so that a new one changes nothing for others:
# those of a module, or of a folder elsewhere, or of a share of it where there are many. Shares are by the
# hash of a name, as many as a power of two, so that their number hardly ever changes.
function(ringside_compiled_together target)
    if(NOT RINGSIDE_TOGETHER)
        return()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    get_target_property(sources ${target} SOURCES)
    set(folders "")
    foreach(source IN LISTS sources)
        get_filename_component(folder ${source} ABSOLUTE)
        file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
        get_filename_component(folder ${folder} DIRECTORY)
        string(REGEX REPLACE "^(src/[^/]+)/.*" "\\1" folder ${folder})
        string(MAKE_C_IDENTIFIER "in_${folder}" folder)
        list(APPEND folders ${folder})
        list(APPEND files_${folder} ${source})
    endforeach()
    list(REMOVE_DUPLICATES folders)
    foreach(folder IN LISTS folders)
        list(LENGTH files_${folder} count)
        set(shares 1)
        while(count GREATER RINGSIDE_TOGETHER)
            math(EXPR shares "2 * ${shares}")
            math(EXPR count "${count} / 2")
        endwhile()
        foreach(source IN LISTS files_${folder})
            get_filename_component(name ${source} NAME)
            string(MD5 hash ${name})
            string(SUBSTRING ${hash} 0 4 hash)
            math(EXPR share "0x${hash} % ${shares}")
            set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${share})
        endforeach()
    endforeach()
endfunction()

# What the fuzz targets reach is instrumented for them, and optimized: it runs millions of times. All
# else of that build runs once, and compiles in half the time.
set(RINGSIDE_FUZZED base model proc platform events symbols perf clocks accounting vpmu soft trust components profile
    run compare incoming guest lab)

add_library(ringside_options INTERFACE)
target_compile_features(ringside_options INTERFACE cxx_std_20)
target_compile_options(ringside_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
    -Wimplicit-fallthrough -Werror -fvisibility=hidden -fvisibility-inlines-hidden
    # GCC 12 takes string concatenation for overlapping copies at -O3 (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(RINGSIDE_TOGETHER)
    target_compile_options(ringside_options INTERFACE -Wno-shadow)
endif()
if(RINGSIDE_SANITIZE)
    target_compile_options(ringside_options INTERFACE
        -fsanitize=${RINGSIDE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
        # GCC 12 sees uninitialized members in instrumented std::regex.
        $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
        # ThreadSanitizer does not see fences; the shared page's words are atomic all the same.
        $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
    target_link_options(ringside_options INTERFACE -fsanitize=${RINGSIDE_SANITIZE})
endif()

# All that a user can call, which is what is installed and the workloads to try it on.
add_custom_target(product)
function(ringside_install target)
    install(TARGETS ${target} ${ARGN})
    add_dependencies(product ${target})
endfunction()

# What differs between architectures is a folder of its module.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
    set(RINGSIDE_ARCH x86)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
    set(RINGSIDE_ARCH arm64)
else()
    message(FATAL_ERROR "Ringside runs on x86-64 and arm64")
endif()

# ringside_module(NAME SOURCES a.cpp ... [LIBS library ...]); a module's arch/x86/*.cpp or arch/arm64/*.cpp
# belong to it too.
function(ringside_module name)
    cmake_parse_arguments(MODULE "" "" "SOURCES;LIBS" ${ARGN})
    file(GLOB arch_sources CONFIGURE_DEPENDS arch/${RINGSIDE_ARCH}/*.cpp)
    add_library(ringside_${name} STATIC ${MODULE_SOURCES} ${arch_sources})
    target_include_directories(ringside_${name} PUBLIC
        ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    ringside_link_layers(ringside_${name} ${name})
    target_link_libraries(ringside_${name} PRIVATE ringside_options ${MODULE_LIBS})
    ringside_compiled_together(ringside_${name})
    if(RINGSIDE_FUZZ AND name IN_LIST RINGSIDE_FUZZED)
        target_compile_options(ringside_${name} PRIVATE -O1 -fsanitize=fuzzer-no-link)
    endif()
    if(RINGSIDE_TIDY)
        set_target_properties(ringside_${name} PROPERTIES CXX_CLANG_TIDY "clang-tidy-14;--quiet")
    endif()
endfunction()
