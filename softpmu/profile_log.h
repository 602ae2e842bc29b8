// What a profile of a machine keeps (abi/soft_profile.h), from its writer's side. Any thread may
// call any of it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "abi/soft_profile.h"
#include "softpmu/tasks.h"

namespace ringside::softpmu {

struct DeviceAccess {
    std::uint64_t ip = 0;
    std::uint32_t device = 0;
    bool is_write = false;
    std::optional<std::uint64_t> cost_ns;
    bool off_cpu = false;  // then it has no cost
};

class ProfileLog {
  public:
    static std::uint64_t bytes();
    // `memory` is zeroed, and lies at `offset` of the file.
    void open(void* memory, std::uint64_t offset, std::uint64_t device_period_ns);
    bool is_open() const { return profile_ != nullptr; }
    soft_profile& shown() { return *profile_; }

    // While no vCPU runs: the kernel that the reader described, if it is the one in `memory`.
    void look_for_tasks(const GuestMemory& memory);
    // As TaskFinder's. Its access was to `address`; called by the vCPU's own thread, as for
    // samples.
    std::uint64_t switch_load() const { return switch_load_; }
    void switch_task(std::uint32_t vcpu, std::uint64_t address);

    void add_sample(soft_sample_kind kind, std::uint64_t ip, std::uint64_t amount,
                    std::uint32_t vcpu, std::uint64_t now_ns);
    void add_access(const DeviceAccess& access);

  private:
    bool is_stopped() const;
    std::optional<Task> task_of(std::uint32_t vcpu) const;
    std::uint32_t index_of(const soft_map& map);
    soft_exit& exit_of(const DeviceAccess& access);

    soft_profile* profile_ = nullptr;
    soft_guest_sample* samples_ = nullptr;
    soft_map* maps_ = nullptr;
    soft_exit* exits_ = nullptr;
    TaskFinder tasks_;
    std::uint64_t switch_load_ = 0;
    std::array<std::uint64_t, SOFT_PROFILE_CPUS> running_{};  // tasks, by vCPU; 0: not known yet
    std::mutex mutex_;  // for what follows, and what it stands for
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::string>, std::uint32_t> known_maps_;
    std::map<std::tuple<std::uint64_t, std::uint32_t, bool>, soft_exit*> known_exits_;
};

}  // namespace ringside::softpmu
