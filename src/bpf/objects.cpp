#include "bpf/objects.h"

// Bytes of `file` under the symbols ringside_<name>_object and ..._end.
#define CARRY(name, file)                           \
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
        "ringside_" name "_object: .incbin \"" file \
        "\"\n"                                      \
        "ringside_" name                            \
        "_object_end:\n"                            \
        ".byte 0\n"                                 \
        ".popsection\n")

CARRY("steal", RINGSIDE_STEAL_OBJECT);
CARRY("states", RINGSIDE_STATES_OBJECT);

extern "C" {
extern const std::byte ringside_steal_object[];
extern const std::byte ringside_steal_object_end[];
extern const std::byte ringside_states_object[];
extern const std::byte ringside_states_object_end[];
}

namespace ringside::bpf {

std::span<const std::byte> steal_object() {
    return {ringside_steal_object, ringside_steal_object_end};
}

std::span<const std::byte> states_object() {
    return {ringside_states_object, ringside_states_object_end};
}

}  // namespace ringside::bpf
