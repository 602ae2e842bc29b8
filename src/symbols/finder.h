// Finds the symbols of a mapped file: in the file itself if it is still the one that ran, else in
// what debug packages and perf's cache keep under its build-id.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/sys_root.h"
#include "symbols/elf_file.h"
#include "symbols/kallsyms.h"
#include "symbols/mapped_file.h"

namespace ringside::symbols {

struct Wanted {
    std::string path;
    std::string build_id;   // hexadecimal; empty: not recorded
    std::uint32_t pid = 0;  // a process that mapped it, perhaps in a container of its own
};

struct Found {
    ElfFile elf;
    std::string from;        // the file that was read
    std::string debug_file;  // where its DWARF sections lie on this machine, or empty
    std::string reason;      // why there are no symbols, when there are none
};

class Finder {
  public:
    Finder() = default;
    // `root` holds the binaries of another machine.
    explicit Finder(base::SysRoot root) : root_(std::move(root)) {}

    Found find(const Wanted& wanted) const;
    // The file itself, not what stands for its symbols; nullopt if it is gone or another one now.
    std::optional<MappedFile> open(const Wanted& wanted) const;
    // Where that file lies on this machine; empty if open() gives nothing.
    std::string locate(const Wanted& wanted) const;
    // The kernel that runs here, or the copy at `path`.
    KernelSymbols kernel(const std::string& path = "/proc/kallsyms") const;
    // The build-id of the kernel that runs here, or empty.
    std::string kernel_build_id() const;
    // What a JIT compiler in process `pid` wrote to /tmp/perf-PID.map, as it sees its pid and /tmp.
    // Anybody can write there: it is believed if it is root's, ours or the process's own.
    Result<SymbolTable> generated(std::uint32_t pid) const;

  private:
    std::optional<std::string> container_path(const Wanted& wanted) const;
    // The path, in its container if it has one, under which the recorded file still lies.
    std::optional<std::string> path_of(const Wanted& wanted) const;
    std::optional<MappedFile> open_at(const std::string& path) const;
    Found find_at(const Wanted& wanted) const;
    std::vector<std::string> candidates(const Wanted& wanted, const ElfFile* main) const;

    base::SysRoot root_;
};

// The functions of /tmp/perf-PID.map: "start size name" in hexadecimal, as JIT compilers write it.
SymbolTable parse_perf_map(std::string_view text);

}  // namespace ringside::symbols
