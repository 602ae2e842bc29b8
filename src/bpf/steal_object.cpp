#include "bpf/steal_object.h"

asm(".pushsection .rodata\n"
    ".balign 8\n"
    ".hidden ringside_steal_object\n"
    ".hidden ringside_steal_object_end\n"
    ".global ringside_steal_object\n"
    ".global ringside_steal_object_end\n"
    "ringside_steal_object: .incbin \"" RINGSIDE_STEAL_OBJECT
    "\"\n"
    "ringside_steal_object_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const std::byte ringside_steal_object[];
extern const std::byte ringside_steal_object_end[];
}

namespace ringside::bpf {

std::span<const std::byte> steal_object() {
    return {ringside_steal_object, ringside_steal_object_end};
}

}  // namespace ringside::bpf
