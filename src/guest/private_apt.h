// apt with a state and configuration of its own, for one architecture. It downloads; it never
// installs, and the system's apt and dpkg do not know of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "guest/apt_sources.h"
#include "guest/files.h"

namespace ringside::guest {

// Runs a program that must end with 0, and returns its standard output. The error carries the last
// lines of what it said.
Result<std::string> run_checked(const std::vector<std::string>& argv,
                                const std::vector<int>& kept_fds = {});

class PrivateApt {
  public:
    // All it keeps goes below `directory`. One process at a time may use it.
    static Result<PrivateApt> make(fs::path directory, std::string_view arch);

    // Takes over the system's Debian entries and fetches their package lists.
    Result<void> set_up() const;
    // Downloads `packages` and what they depend on; the names of the archives, sorted.
    Result<std::vector<std::string>> download(const std::vector<std::string>& packages) const;

    fs::path archives() const { return directory_ / "cache/archives"; }

  private:
    PrivateApt(fs::path directory, base::Fd open, std::string_view arch)
        : directory_(std::move(directory)), open_(std::move(open)), arch_(arch) {}
    // apt's name of `part`. Run by root, apt fetches as the user _apt, who may be kept from our
    // cache by a folder above it, but not from a folder that apt inherits open.
    fs::path name_of(const char* part) const;
    Result<void> configure(const char* part, std::string_view transport,
                           std::string_view specific) const;
    Result<std::string> apt_get(const char* part, const std::vector<std::string>& arguments) const;
    std::string settings() const;
    Result<std::vector<AptSource>> system_sources(std::string_view transport) const;

    fs::path directory_;
    base::Fd open_;
    std::string arch_;
};

}  // namespace ringside::guest
