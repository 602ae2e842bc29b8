#include "bpf/objects.h"

// Defines the symbols ringside_<name>_object and ..._object_end around the file at `path`.
#define RINGSIDE_EMBED(name, path)                  \
    asm(".pushsection .rodata\n"                    \
        ".balign 8\n"                               \
        ".hidden ringside_" name                    \
        "_object\n"                                 \
        ".hidden ringside_" name                    \
        "_object_end\n"                             \
        ".global ringside_" name                    \
        "_object\n"                                 \
        ".global ringside_" name                    \
        "_object_end\n"                             \
        "ringside_" name "_object: .incbin \"" path \
        "\"\n"                                      \
        "ringside_" name                            \
        "_object_end:\n"                            \
        ".byte 0\n"                                 \
        ".popsection\n")

RINGSIDE_EMBED("steal", RINGSIDE_STEAL_OBJECT);
RINGSIDE_EMBED("io", RINGSIDE_IO_OBJECT);
RINGSIDE_EMBED("offcpu", RINGSIDE_OFFCPU_OBJECT);
RINGSIDE_EMBED("states", RINGSIDE_STATES_OBJECT);

extern "C" {
extern const std::byte ringside_steal_object[];
extern const std::byte ringside_steal_object_end[];
extern const std::byte ringside_io_object[];
extern const std::byte ringside_io_object_end[];
extern const std::byte ringside_offcpu_object[];
extern const std::byte ringside_offcpu_object_end[];
extern const std::byte ringside_states_object[];
extern const std::byte ringside_states_object_end[];
}

namespace ringside::bpf {

std::span<const std::byte> steal_object() {
    return {ringside_steal_object, ringside_steal_object_end};
}

std::span<const std::byte> io_object() {
    return {ringside_io_object, ringside_io_object_end};
}

std::span<const std::byte> offcpu_object() {
    return {ringside_offcpu_object, ringside_offcpu_object_end};
}

std::span<const std::byte> states_object() {
    return {ringside_states_object, ringside_states_object_end};
}

}  // namespace ringside::bpf
