// The folder in which another machine's files land. That machine may have run anything: its names
// and numbers are checked here, and files and folders are all it can make.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <ringside/result.h>

#include "base/fd.h"
#include "incoming/entry.h"

namespace ringside::incoming {

struct Limits {
    std::uint64_t bytes = std::uint64_t{1} << 30;  // of all files together
    std::uint64_t entries = 100'000;
    std::size_t depth = 32;
    std::size_t name_bytes = 4096;
};

class Landing {
  public:
    // Below `folder`, which exists, and to which we got by our own or the user's words. `sender` is
    // how errors call the machine: "the guest".
    static Result<Landing> in(const std::filesystem::path& folder, std::string sender,
                              const Limits& limits = {});

    // Makes a file (mode 0644), whole or not at all, or a folder (0755, as far as the umask lets);
    // a file of that name is replaced, not written into. An error names the entry; what landed
    // before it stays.
    Result<void> take(const Entry& entry);

  private:
    Landing(base::Fd folder, std::string sender, const Limits& limits)
        : folder_(std::move(folder)), sender_(std::move(sender)), limits_(limits) {}

    Error refused(const Entry& entry, std::string_view why) const;
    Error failed(const Entry& entry, std::string_view what, int error) const;
    std::string fault_in(const std::string& name) const;
    Result<base::Fd> parent_of(const Entry& entry) const;
    Result<void> make_folder(const Entry& entry, int parent) const;
    Result<void> make_file(const Entry& entry, base::Fd parent) const;

    base::Fd folder_;
    std::string sender_;
    Limits limits_;
    std::uint64_t bytes_ = 0;
    std::uint64_t entries_ = 0;
};

}  // namespace ringside::incoming
