// The compiled BPF programs, carried inside the library.
#pragma once

#include <cstddef>
#include <span>

namespace ringside::bpf {

std::span<const std::byte> io_object();      // io.bpf.c
std::span<const std::byte> offcpu_object();  // offcpu.bpf.c
std::span<const std::byte> states_object();  // states.bpf.c
std::span<const std::byte> steal_object();   // steal.bpf.c

}  // namespace ringside::bpf
