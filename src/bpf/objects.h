// The compiled BPF programs, carried inside the library.
#pragma once

#include <cstddef>
#include <span>

namespace ringside::bpf {

std::span<const std::byte> steal_object();
std::span<const std::byte> io_object();

}  // namespace ringside::bpf
