// The compiled steal.bpf.c, carried inside the library.
#pragma once

#include <cstddef>
#include <span>

namespace ringside::bpf {

std::span<const std::byte> steal_object();

}  // namespace ringside::bpf
