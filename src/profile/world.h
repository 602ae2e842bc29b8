// Everything a profile says about machines, processes and threads besides its samples: who was who,
// and what was mapped where, at any time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "perf/sample.h"
#include "profile/address_space.h"

namespace ringside::profile {

// Code without a file is named after the list in which a JIT compiler says what it made.
constexpr std::string_view jit_map_prefix = "/tmp/perf-";

// A file, or what stands for one, that code was mapped from.
struct Module {
    enum class Kind { file, kernel, kernel_module, generated, guest_kernel };

    std::string path;  // as recorded: "/usr/bin/ls", "[vdso]", "//anon"
    std::string build_id;
    Kind kind = Kind::file;
    std::uint32_t machine = 0;  // the VMM's pid for a guest, 0 for the host
    std::uint32_t pid = 0;      // a process that mapped it

    // "ls", "[kernel.kallsyms]": how a report names it.
    std::string short_name() const;
};

// A process or thread. Guests number theirs as the host does: with the VMM's pid above it they stay
// apart; 0 is the host.
using TaskKey = std::uint64_t;
constexpr TaskKey in_machine(std::uint32_t machine, std::uint32_t id) {
    return TaskKey{machine} << 32 | id;
}

// A process between two execs.
using ImageId = std::uint32_t;
constexpr ImageId kernel_image = 0;
using CommId = std::uint32_t;

class World {
  public:
    World();

    // In the order of time.
    void map(TaskKey pid, std::uint64_t time_ns, const Mapping& where, Module module,
             perf::CpuMode mode);
    // What the file says elsewhere: counts for modules that are mapped from here on.
    void note_build_id(const std::string& path, std::string build_id) {
        build_ids_.emplace(path, std::move(build_id));
    }
    void fork(TaskKey pid, TaskKey parent_pid, TaskKey tid, TaskKey parent_tid,
              std::uint64_t time_ns);
    void name_thread(TaskKey pid, TaskKey tid, std::uint64_t time_ns, std::string_view comm,
                     bool exec);

    ImageId image_of(TaskKey pid, std::uint64_t time_ns) const;
    // What is mapped in the guest that VMM `pid` runs, at least its kernel; made on demand, so that
    // no sample is lost.
    ImageId guest_image(std::uint32_t pid);
    CommId comm_of(TaskKey tid, std::uint64_t time_ns) const;
    const std::string& comm(CommId id) const { return comms_[id]; }
    const AddressSpace& image(ImageId id) const { return *images_[id]; }
    const Mapping& mapping(MappingId id) const { return mappings_[id]; }
    std::size_t mapping_count() const { return mappings_.size(); }
    const Module& module(ModuleId id) const { return modules_[id]; }
    const std::vector<Module>& modules() const { return modules_; }

    void name_cgroup(std::uint64_t id, std::string_view path);
    // Its path, or its number where the file does not name it.
    std::string cgroup(std::uint64_t id) const;

    CommId intern_comm(std::string_view comm);

  private:
    template <typename T>
    struct Since {
        std::uint64_t time_ns = 0;
        T value{};
    };
    template <typename T>
    using History = std::vector<Since<T>>;

    template <typename T>
    static const T* at(const std::unordered_map<TaskKey, History<T>>& histories, TaskKey key,
                       std::uint64_t time_ns);

    void map_into(ImageId image, std::uint64_t time_ns, Mapping mapping, Module module);
    ImageId new_image(std::shared_ptr<AddressSpace> space);
    ImageId own_image(TaskKey pid, std::uint64_t time_ns);
    ModuleId intern_module(Module module);

    std::vector<std::shared_ptr<AddressSpace>> images_;
    std::vector<TaskKey> image_owner_;  // the process that may change it
    std::vector<Mapping> mappings_;
    std::unordered_map<std::uint64_t, std::string> cgroups_;
    std::unordered_map<std::string, std::string> build_ids_;  // by path
    std::vector<Module> modules_;
    std::unordered_map<std::string, ModuleId> module_by_key_;
    std::vector<std::string> comms_;
    std::unordered_map<std::string, CommId> comm_by_name_;
    std::unordered_map<TaskKey, History<ImageId>> process_images_;
    std::unordered_map<TaskKey, History<CommId>> thread_comms_;
    std::unordered_map<std::uint32_t, ImageId> guest_images_;
};

}  // namespace ringside::profile
