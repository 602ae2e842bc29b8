// The file of abi/soft_counts.h, from its writer's side: made and mapped when QEMU starts, and made
// anew, at the same addresses, in every child that a program forks.
#pragma once

#include <cstdint>
#include <string>

#include "abi/soft_counts.h"
#include "abi/vpmu_page.h"

namespace ringside::softpmu {

struct StoreOptions {
    std::string folder;
    std::uint32_t machine = 0;        // as ELF numbers them
    std::uint64_t counters = 0;       // those that count, by page index
    std::uint64_t period = 0;         // 0: no samples
    std::uint64_t hot_capacity = 0;   // 0: no histogram
    std::uint64_t profile_bytes = 0;  // 0: no profile
};

class Store {
  public:
    // 0, or the errno; one in a process.
    int open(const StoreOptions& options);
    // In a child, right after the fork: counts begin at 0, addresses stay. 0, or the errno.
    int reopen_after_fork();

    vpmu_page_vcpu& vcpu(std::uint32_t index) const { return vcpus_[index]; }
    soft_extension& extension() const { return *extension_; }
    // Where the profile goes, at extension().profile_offset of the file.
    void* profile() const { return base_ + extension_->profile_offset; }

    // The page now shows at least `count` vCPUs; likewise a thread that runs on `vcpu`, which is a
    // new one. Not from two threads at once.
    void show_vcpus(std::uint32_t count);
    std::uint32_t vcpu_count() const { return header_->vcpu_count; }
    void begin_thread(std::uint32_t vcpu, std::uint32_t id);
    void end_thread(std::uint32_t vcpu);

    // A program that this one started or became, and that nobody counts.
    void add_uncounted(const std::string& program);

    // Null if there is no room.
    soft_hot_block* new_hot_block();
    void add_sample(std::uint32_t counter, std::uint64_t ip, std::uint32_t thread);

    // Appends what /proc/self/maps says now to the file's list of mappings.
    void write_maps() const;

  private:
    std::string file_name(const char* suffix) const;
    int create_file();
    int open_own_file();
    void format(char* base);
    void adopt(char* base);

    StoreOptions options_;
    std::uint32_t pid_ = 0;
    std::uint32_t generation_ = 0;  // the N of the file's name
    std::uint64_t bytes_ = 0;
    char* base_ = nullptr;
    vpmu_page_header* header_ = nullptr;
    vpmu_page_vcpu* vcpus_ = nullptr;
    vpmu_page_thread* threads_ = nullptr;
    soft_extension* extension_ = nullptr;
};

}  // namespace ringside::softpmu
