# Cross build for the arm64 boxes: Debian's cross compiler, and arm64 libraries unpacked by
# `ringside guest sysroot` below the cache, so that dpkg never hears of another architecture.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# Asked anew every time: at once when it is there, and right again when the cache was removed.
set(native ${CMAKE_CURRENT_LIST_DIR}/../build/release/ringside)
if(NOT EXISTS ${native})
    message(FATAL_ERROR "the arm64 build needs the release build first: "
        "cmake --preset release && cmake --build build/release")
endif()
execute_process(
    COMMAND ${native} guest sysroot arm64 --
        libc6-dev linux-libc-dev libfmt-dev libpfm4-dev libbpf-dev libelf-dev zlib1g-dev libzstd-dev libcairo2-dev libncurses-dev
        libgtest-dev libgmock-dev nlohmann-json3-dev libtomlplusplus-dev
    OUTPUT_VARIABLE CMAKE_SYSROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
