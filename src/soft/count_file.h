// One file of abi/soft_counts.h, read. It is input: whoever was measured could have written
// anything into it, so it is copied, not mapped, and every offset and number in it is checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "abi/soft_counts.h"
#include "abi/soft_profile.h"
#include "abi/vpmu_page.h"
#include "vpmu/page_reader.h"

namespace ringside::soft {

// Of a whole machine; no entry points beyond what is here.
struct GuestProfile {
    soft_profile head{};
    std::vector<soft_guest_sample> samples;
    std::uint64_t lost_samples = 0;
    std::vector<soft_map> maps;
    std::vector<soft_exit> exits;
};

class CountFile {
  public:
    // Fails if it is no such file, or none yet.
    static Result<CountFile> read(const std::string& path);

    const soft_extension& extension() const { return extension_; }
    // What the process executed; the text ends where the field does.
    std::string program() const { return text(extension_.program); }
    std::string first_uncounted() const { return text(extension_.first_uncounted); }

    // A machine's counting can be switched off, and on again; what was counted stays.
    bool is_machine() const { return extension_.program[0] == 0; }
    bool is_off() const { return extension_.is_off != 0; }
    // Asks the machine, which will do it soon if it runs.
    Result<void> ask_switch(bool off) const;
    // Tells a machine that is profiled what its kernel is like; before it is switched on.
    Result<void> introduce(const soft_kernel& kernel) const;
    // And has nothing more kept in its profile.
    Result<void> stop_profile() const;

    bool counts(unsigned counter) const;
    // Of each vCPU; over all of them.
    std::vector<std::uint64_t> of_vcpus(unsigned counter) const;
    std::uint64_t total(unsigned counter) const;

    struct Device {
        std::string name;
        std::uint64_t reads = 0;
        std::uint64_t writes = 0;
    };
    std::vector<Device> devices() const;

    // Those that are in the file; how many had no room.
    Result<std::vector<soft_hot_block>> hot_blocks() const;
    Result<std::vector<vpmu_page_sample>> samples() const;
    std::uint64_t lost_samples() const;

    bool has_profile() const { return extension_.profile_offset != 0; }
    Result<GuestProfile> profile() const;

  private:
    CountFile(std::string path, std::uint64_t file_bytes, std::vector<std::uint64_t> page,
              std::uint64_t extension_at, const soft_extension& extension)
        : path_(std::move(path)),
          file_bytes_(file_bytes),
          page_(std::move(page)),
          extension_at_(extension_at),
          extension_(extension) {}

    static std::string text(const char (&field)[SOFT_NAME_BYTES]);
    vpmu::PageReader page() const { return {page_.data(), page_.size() * sizeof page_[0]}; }
    Result<void> write_profile(std::size_t offset, const void* bytes, std::size_t count) const;
    Result<void> write_at(std::uint64_t offset, const void* bytes, std::size_t count) const;
    template <typename T>
    Result<std::vector<T>> read_table(std::uint64_t offset, std::uint64_t count) const;

    std::string path_;
    std::uint64_t file_bytes_;
    std::vector<std::uint64_t> page_;  // words, so that it is aligned
    std::uint64_t extension_at_;
    soft_extension extension_;
};

// The newest file of a process in the folder of a run.
Result<std::string> newest_file(const std::string& folder, int pid);

}  // namespace ringside::soft
