// A program that executes another one leaves QEMU: under qemu-user the kernel would run the new one
// itself. This puts QEMU, with the same plugin, in front of it.
#pragma once

#include <cstdint>
#include <string>

#include "softpmu/block.h"

namespace ringside::softpmu {

struct ExecuteCall {
    bool is_one = false;     // the system call executes a file
    bool by_path = false;    // the file is named by a path alone
    std::uint64_t path = 0;  // addresses in the guest
    std::uint64_t argv = 0;
    std::uint64_t envp = 0;
};
ExecuteCall execute_call(Guest guest, std::int64_t number, const std::uint64_t (&arguments)[5]);

struct SelfPlugin {
    std::string argument;  // of the -plugin option
    std::string file;
    std::string folder;  // where counts go
};

// Returns only if the program is not run by QEMU: with its name if that is because it cannot be
// followed (another architecture, another user's rights, no place to count), with nothing if it
// cannot be executed at all, which the caller will find out. `guest_base` is added to the guest's
// addresses, `own_file` is what the guest executes itself.
std::string execute_emulated(const ExecuteCall& call, std::uint64_t guest_base,
                             const std::string& own_file, const SelfPlugin& plugin);

}  // namespace ringside::softpmu
