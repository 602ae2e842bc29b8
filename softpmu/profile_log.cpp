#include "softpmu/profile_log.h"

#include <atomic>
#include <cstring>

#include "soft/profile_buckets.h"

namespace ringside::softpmu {

namespace {

constexpr std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + 63) & ~std::uint64_t{63};
}
constexpr std::uint64_t maps_at = aligned(sizeof(soft_profile));
constexpr std::uint64_t exits_at = maps_at + aligned(SOFT_PROFILE_MAPS * sizeof(soft_map));
constexpr std::uint64_t samples_at = exits_at + aligned(SOFT_PROFILE_EXITS * sizeof(soft_exit));

bool is_kernel_address(std::uint64_t ip) {
    return ip >> 63 != 0;
}

}  // namespace

std::uint64_t ProfileLog::bytes() {
    return samples_at + SOFT_PROFILE_SAMPLES * sizeof(soft_guest_sample);
}

void ProfileLog::open(void* memory, std::uint64_t offset, std::uint64_t device_period_ns) {
    auto* base = static_cast<char*>(memory);
    profile_ = reinterpret_cast<soft_profile*>(base);
    maps_ = reinterpret_cast<soft_map*>(base + maps_at);
    exits_ = reinterpret_cast<soft_exit*>(base + exits_at);
    samples_ = reinterpret_cast<soft_guest_sample*>(base + samples_at);
    profile_->device_period_ns = device_period_ns;
    profile_->task_state = SOFT_TASKS_NO_KERNEL;
    profile_->map_offset = offset + maps_at;
    profile_->exit_offset = offset + exits_at;
    profile_->sample_offset = offset + samples_at;
}

void ProfileLog::look_for_tasks(const GuestMemory& memory) {
    const soft_kernel kernel = profile_->kernel;
    tasks_ = TaskFinder(kernel, memory);
    running_.fill(0);  // switches were not seen meanwhile
    if (kernel.known != 1) {
        profile_->task_state = SOFT_TASKS_NO_KERNEL;
    } else if (memory.empty()) {
        profile_->task_state = SOFT_TASKS_NO_MEMORY;
    } else {
        profile_->task_state = tasks_.is_right() ? SOFT_TASKS_KNOWN : SOFT_TASKS_OTHER_KERNEL;
        switch_load_ = tasks_.switch_load();
    }
}

// A pair is loaded by two accesses; tasks are aligned.
void ProfileLog::switch_task(std::uint32_t vcpu, std::uint64_t address) {
    const std::uint64_t task = address - profile_->kernel.task_context;
    if (vcpu < running_.size() && task % 16 == 0) running_[vcpu] = task;
}

std::optional<Task> ProfileLog::task_of(std::uint32_t vcpu) const {
    if (profile_->task_state != SOFT_TASKS_KNOWN) return std::nullopt;
    if (profile_->kernel.switch_code == 0) return tasks_.current(vcpu);
    const bool known = vcpu < running_.size() && running_[vcpu] != 0;
    return known ? tasks_.at(running_[vcpu]) : std::nullopt;
}

bool ProfileLog::is_stopped() const {
    return std::atomic_ref(profile_->stopped).load(std::memory_order_relaxed) != 0;
}

void ProfileLog::add_sample(soft_sample_kind kind, std::uint64_t ip, std::uint64_t amount,
                            std::uint32_t vcpu, std::uint64_t now_ns) {
    if (is_stopped()) return;
    const std::uint64_t index =
        std::atomic_ref(profile_->sample_count).fetch_add(1, std::memory_order_relaxed);
    if (index >= SOFT_PROFILE_SAMPLES) return;
    soft_guest_sample sample{ip,
                             now_ns,
                             amount,
                             static_cast<std::uint32_t>(kind),
                             vcpu,
                             SOFT_NO_PROCESS,
                             SOFT_NO_PROCESS,
                             SOFT_NO_MAP,
                             0,
                             {}};
    if (const auto task = task_of(vcpu)) {
        sample.pid = task->pid;
        sample.tid = task->tid;
        std::memcpy(sample.comm, task->comm, sizeof sample.comm);
        if (!is_kernel_address(ip)) {
            if (const auto map = tasks_.mapping(task->mm, ip)) sample.map = index_of(*map);
        }
    }
    samples_[index] = sample;
}

std::uint32_t ProfileLog::index_of(const soft_map& map) {
    const std::lock_guard lock(mutex_);
    const std::tuple key(map.start, map.end, std::string(map.path));
    if (const auto found = known_maps_.find(key); found != known_maps_.end()) return found->second;
    const std::uint64_t index = profile_->map_count;
    if (index == SOFT_PROFILE_MAPS) {
        ++profile_->maps_left_out;
        return SOFT_NO_MAP;
    }
    maps_[index] = map;
    std::atomic_ref(profile_->map_count).store(index + 1, std::memory_order_release);
    known_maps_.emplace(key, static_cast<std::uint32_t>(index));
    return static_cast<std::uint32_t>(index);
}

// With the mutex held.
soft_exit& ProfileLog::exit_of(const DeviceAccess& access) {
    const std::tuple key(access.ip, access.device, access.is_write);
    if (const auto found = known_exits_.find(key); found != known_exits_.end()) {
        return *found->second;
    }
    const std::uint64_t index = profile_->exit_count;
    if (index == SOFT_PROFILE_EXITS) return exits_[SOFT_PROFILE_EXITS - 1];
    soft_exit& exit = exits_[index];
    if (index < SOFT_PROFILE_EXITS - 1) {
        exit.ip = access.ip;
        exit.device = access.device;
        exit.is_write = access.is_write ? 1 : 0;
        known_exits_.emplace(key, &exit);
    } else {
        exit.device = SOFT_EXIT_OTHERS;
    }
    std::atomic_ref(profile_->exit_count).store(index + 1, std::memory_order_release);
    return exit;
}

void ProfileLog::add_access(const DeviceAccess& access) {
    if (is_stopped()) return;
    const std::lock_guard lock(mutex_);
    soft_exit& exit = exit_of(access);
    ++exit.count;
    if (access.off_cpu) ++exit.off_cpu;
    if (!access.cost_ns || access.off_cpu) return;
    ++exit.timed;
    exit.total_ns += *access.cost_ns;
    ++exit.histogram[soft::exit_bucket(*access.cost_ns)];
}

}  // namespace ringside::softpmu
