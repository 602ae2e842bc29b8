// The identity of a binary: the note that the linker leaves in it. Reads a few hundred bytes of a
// file, for whoever needs nothing else of it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ringside::symbols {

// Hexadecimal; empty if there is none. `path` may be a link of /proc/PID/map_files.
std::string read_build_id(const std::string& path);

// The same from ELF notes of this machine's byte order, as /sys/kernel/notes holds them.
std::string build_id_in_notes(std::span<const std::byte> notes);

}  // namespace ringside::symbols
