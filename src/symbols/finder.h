// Finds the symbols of a mapped file: in the file itself if it is still the one that ran, else in
// what debug packages and perf's cache keep under its build-id.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/sys_root.h"
#include "symbols/elf_file.h"
#include "symbols/kallsyms.h"

namespace ringside::symbols {

struct Wanted {
    std::string path;
    std::string build_id;  // hexadecimal; empty: not recorded
};

struct Found {
    ElfFile elf;
    std::string from;    // the file that was read
    std::string reason;  // why there are no symbols, when there are none
};

class Finder {
  public:
    Finder() = default;
    // `root` holds the binaries of another machine.
    explicit Finder(base::SysRoot root) : root_(std::move(root)) {}

    Found find(const Wanted& wanted) const;
    // The kernel that runs here, or the copy at `path`.
    KernelSymbols kernel(const std::string& path = "/proc/kallsyms") const;

  private:
    std::vector<std::string> candidates(const Wanted& wanted, const ElfFile* main) const;

    base::SysRoot root_;
};

// The functions of /tmp/perf-PID.map: "start size name" in hexadecimal, as JIT compilers write it.
SymbolTable parse_perf_map(std::string_view text);

}  // namespace ringside::symbols
