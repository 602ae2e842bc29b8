#include "softpmu/store.h"

#include <atomic>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "softpmu/block.h"
#include "vpmu/page_index.h"
#include "vpmu/policy.h"

namespace ringside::softpmu {

namespace {

using vpmu::PageUpdate;

constexpr std::uint64_t sample_capacity = std::uint64_t{1} << 22;

constexpr std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + 63) & ~std::uint64_t{63};
}
constexpr std::uint64_t vcpus_at = aligned(sizeof(vpmu_page_header));
constexpr std::uint64_t threads_at = vcpus_at + aligned(SOFT_VCPUS * sizeof(vpmu_page_vcpu));
constexpr std::uint64_t page_end = threads_at + aligned(SOFT_THREADS * sizeof(vpmu_page_thread));
constexpr std::uint64_t hot_at = page_end + aligned(sizeof(soft_extension));

std::uint64_t samples_at(const StoreOptions& options) {
    return hot_at + aligned(options.hot_capacity * sizeof(soft_hot_block));
}
// A profile has its own samples.
std::uint64_t samples_of(const StoreOptions& options) {
    return options.period != 0 && options.profile_bytes == 0 ? sample_capacity : 0;
}
std::uint64_t profile_at(const StoreOptions& options) {
    return samples_at(options) + aligned(samples_of(options) * sizeof(vpmu_page_sample));
}

}  // namespace

std::string Store::file_name(const char* suffix) const {
    return options_.folder + "/" + std::to_string(pid_) + "-" + std::to_string(generation_) +
           suffix;
}

// The first name of ours that is free: the process may have executed other programs before.
int Store::create_file() {
    pid_ = static_cast<std::uint32_t>(::getpid());
    for (generation_ = 0;; ++generation_) {
        const int fd = ::open(file_name(SOFT_FILE_SUFFIX).c_str(),
                              O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0 && ::ftruncate(fd, static_cast<off_t>(bytes_)) == 0) return fd;
        const int error = errno;
        if (fd >= 0) ::close(fd);
        if (error != EEXIST) return -error;
    }
}

int Store::open(const StoreOptions& options) {
    options_ = options;
    bytes_ = profile_at(options_) + options_.profile_bytes;
    const int fd = create_file();
    if (fd < 0) return -fd;
    void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    const int error = errno;
    ::close(fd);
    if (memory == MAP_FAILED) return error;
    format(static_cast<char*>(memory));
    adopt(static_cast<char*>(memory));
    return 0;
}

int Store::reopen_after_fork() {
    const int error = open_own_file();
    if (error == 0) return 0;
    add_uncounted(extension_->program);  // in the parent's file, which is still here
    // What nobody will read must not be counted in the parent's name.
    void* memory = ::mmap(base_, bytes_, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (memory != MAP_FAILED) format(base_);
    return error;
}

int Store::open_own_file() {
    const int fd = create_file();
    if (fd < 0) return -fd;
    void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) return ::close(fd), ENOMEM;
    auto* fresh = static_cast<char*>(memory);
    format(fresh);
    auto& child = *reinterpret_cast<soft_extension*>(fresh + page_end);
    std::memcpy(child.program, extension_->program, sizeof child.program);
    child.guest_base = extension_->guest_base;
    // QEMU counts into the places of the blocks it translated for the parent.
    child.hot_count = extension_->hot_count;
    for (std::uint64_t i = 0; i < child.hot_count; ++i) {
        auto& block = reinterpret_cast<soft_hot_block*>(fresh + hot_at)[i];
        block = reinterpret_cast<soft_hot_block*>(base_ + hot_at)[i];
        block.executed = 0;
    }
    ::munmap(memory, bytes_);
    memory = ::mmap(base_, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
    ::close(fd);
    if (memory == MAP_FAILED) return ENOMEM;
    if (options_.period != 0) write_maps();
    return 0;
}

// The file is new: what is not written is 0, and takes no room.
void Store::format(char* base) {
    auto& header = *reinterpret_cast<vpmu_page_header*>(base);
    header.magic = VPMU_PAGE_MAGIC;
    header.version = VPMU_PAGE_VERSION;
    header.bytes = page_end;
    header.flags = VPMU_PAGE_RAW_IS_LIVE;
    header.policy = static_cast<std::uint32_t>(vpmu::Policy::paravirtual);
    constexpr std::uint32_t arm64 = 183;  // EM_AARCH64
    header.architecture = static_cast<std::uint32_t>(
        options_.machine == arm64 ? vpmu::Architecture::arm64 : vpmu::Architecture::intel);
    header.vcpu_offset = vcpus_at;
    header.thread_offset = threads_at;
    header.ring_offset = page_end;
    auto& extension = *reinterpret_cast<soft_extension*>(base + page_end);
    extension.magic = SOFT_MAGIC;
    extension.version = SOFT_VERSION;
    extension.pid = pid_;
    extension.machine = options_.machine;
    extension.period = options_.period;
    extension.began_ns = base::now_ns();
    extension.hot_offset = hot_at;
    extension.hot_capacity = options_.hot_capacity;
    extension.sample_offset = samples_at(options_);
    extension.sample_capacity = samples_of(options_);
    extension.profile_offset = options_.profile_bytes != 0 ? profile_at(options_) : 0;
}

void Store::adopt(char* base) {
    base_ = base;
    header_ = reinterpret_cast<vpmu_page_header*>(base);
    vcpus_ = reinterpret_cast<vpmu_page_vcpu*>(base + vcpus_at);
    threads_ = reinterpret_cast<vpmu_page_thread*>(base + threads_at);
    extension_ = reinterpret_cast<soft_extension*>(base + page_end);
}

void Store::show_vcpus(std::uint32_t count) {
    std::uint32_t shown = header_->vcpu_count;
    for (; shown < count; ++shown) {
        vpmu_page_vcpu& vcpu = vcpus_[shown];
        vcpu.thread = VPMU_PAGE_NO_THREAD;
        vcpu.active = options_.counters;
        for (std::uint32_t i = 0; i < SOFT_COUNTERS; ++i) {
            vcpu.counter[i].event = SOFT_EVENT + i;
            vcpu.counter[i].width_bits = 64;
        }
    }
    std::atomic_ref(header_->vcpu_count).store(shown, std::memory_order_release);
}

// A thread's place stays its own after its end, for as long as there are others.
void Store::begin_thread(std::uint32_t vcpu, std::uint32_t id) {
    std::uint32_t slot = header_->thread_count;
    if (slot == SOFT_THREADS) {
        for (slot = 0; slot < SOFT_THREADS && threads_[slot].vcpu != VPMU_PAGE_NO_THREAD;) ++slot;
        if (slot == SOFT_THREADS) return;
    }
    vpmu_page_thread& thread = threads_[slot];
    {
        const PageUpdate update(thread.sequence);
        thread.id = id;
        thread.vcpu = vcpu;
        for (std::uint32_t i = 0; i < SOFT_COUNTERS; ++i) {
            thread.counter[i] = {0, vcpus_[vcpu].counter[i].raw};
        }
    }
    vcpus_[vcpu].thread = slot;
    if (slot == header_->thread_count) {
        std::atomic_ref(header_->thread_count).store(slot + 1, std::memory_order_release);
    }
}

void Store::end_thread(std::uint32_t vcpu) {
    const std::uint32_t slot = vcpus_[vcpu].thread;
    if (slot >= header_->thread_count) return;
    vpmu_page_thread& thread = threads_[slot];
    const PageUpdate update(thread.sequence);
    for (std::uint32_t i = 0; i < SOFT_COUNTERS; ++i) {
        thread.counter[i].sum = vcpus_[vcpu].counter[i].raw - thread.counter[i].start;
    }
    thread.vcpu = VPMU_PAGE_NO_THREAD;
    vcpus_[vcpu].thread = VPMU_PAGE_NO_THREAD;
}

void Store::add_uncounted(const std::string& program) {
    const std::atomic_ref programs(extension_->uncounted_programs);
    if (programs.fetch_add(1, std::memory_order_relaxed) != 0) return;
    program.copy(extension_->first_uncounted, SOFT_NAME_BYTES - 1);
}

soft_hot_block* Store::new_hot_block() {
    if (extension_->hot_count == extension_->hot_capacity) {
        ++extension_->hot_left_out;
        return nullptr;
    }
    return reinterpret_cast<soft_hot_block*>(base_ + hot_at) + extension_->hot_count++;
}

void Store::add_sample(std::uint32_t counter, std::uint64_t ip, std::uint32_t thread) {
    const std::uint64_t index =
        std::atomic_ref(extension_->sample_count).fetch_add(1, std::memory_order_relaxed);
    if (index >= sample_capacity) return;
    auto* samples = reinterpret_cast<vpmu_page_sample*>(base_ + extension_->sample_offset);
    samples[index] = {ip, base::now_ns(), counter, thread, 0};
}

void Store::write_maps() const {
    const int from = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    const int to = ::open(file_name(SOFT_MAPS_SUFFIX).c_str(),
                          O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    char bytes[4096];
    for (ssize_t got = 0; from >= 0 && to >= 0 && (got = ::read(from, bytes, sizeof bytes)) > 0;) {
        if (::write(to, bytes, static_cast<std::size_t>(got)) != got) break;
    }
    if (from >= 0) ::close(from);
    if (to >= 0) ::close(to);
}

}  // namespace ringside::softpmu
