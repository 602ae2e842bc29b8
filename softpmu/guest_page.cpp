#include "softpmu/guest_page.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "abi/soft_counts.h"
#include "base/clock.h"
#include "vpmu/page_index.h"
#include "vpmu/page_reader.h"

namespace ringside::softpmu {

namespace {

constexpr std::uint32_t ring_entries = 1024;

// Of a page as the guest sees it; alarms lie behind all else.
std::size_t alarms_at(std::uint32_t vcpus) {
    return vpmu::page_bytes(vcpus, 0, ring_entries);
}

// One message of the ivshmem protocol (QEMU, docs/specs/ivshmem-spec): a number, with a file
// descriptor or none.
bool send(int socket, std::int64_t value, int fd) {
    iovec bytes{&value, sizeof value};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    if (fd >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof fd);
        std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
    }
    return ::sendmsg(socket, &message, MSG_NOSIGNAL) == sizeof value;
}

constexpr std::int64_t protocol_version = 0;
constexpr std::int64_t peer = 0;  // there is one device, and it only listens
constexpr std::int64_t memory_follows = -1;

}  // namespace

// The size of a PCI BAR.
std::size_t GuestPage::bytes_for(std::uint32_t vcpus) {
    const std::size_t page = alarms_at(vcpus);
    if (page == 0) return 0;
    return std::bit_ceil(std::max<std::size_t>(page + vcpus * sizeof(vpmu_page_alarms), 4096));
}

bool GuestPage::format(std::span<std::byte> memory, const Layout& layout) {
    const std::size_t behind = alarms_at(layout.vcpus);
    if (behind == 0 || memory.size() < bytes_for(layout.vcpus)) return false;
    std::byte* base = memory.data();
    vpmu::format_page(base, memory.size(), layout.vcpus, 0, ring_entries);
    auto& header = *reinterpret_cast<vpmu_page_header*>(base);
    header.flags = VPMU_PAGE_RAW_IS_LIVE;
    header.alarm_offset = static_cast<std::uint32_t>(behind);
    header.bytes = static_cast<std::uint32_t>(behind + layout.vcpus * sizeof(vpmu_page_alarms));
    vpmu::describe_page(
        base, vpmu::Policy::paravirtual,
        layout.guest == Guest::arm64 ? vpmu::Architecture::arm64 : vpmu::Architecture::intel);
    ring_ = reinterpret_cast<vpmu_page_sample*>(base + header.ring_offset);
    alarms_ = reinterpret_cast<vpmu_page_alarms*>(base + behind);
    for (std::uint32_t i = 0; i < layout.vcpus; ++i) {
        vpmu_page_vcpu& vcpu = vpmu::vcpu_of(base, i);
        vcpu.active = layout.counters | std::uint64_t{1} << SOFT_USER_INSTRUCTIONS;
        for (std::uint32_t counter = 0; counter < SOFT_GUEST_COUNTERS; ++counter) {
            vcpu.counter[counter].event = SOFT_EVENT + counter;
            vcpu.counter[counter].width_bits = 64;
        }
        for (auto& alarm : alarms_[i].counter) alarm.limit = VPMU_PAGE_NEVER;
    }
    for (auto& alarm : unseen_alarms_.counter) alarm.limit = VPMU_PAGE_NEVER;
    vcpus_ = &vpmu::vcpu_of(base, 0);
    count_ = layout.vcpus;
    heads_.assign(layout.vcpus, 0);
    in_a_hurry_until_ns_.assign(layout.vcpus, 0);
    return true;
}

int GuestPage::open(int socket, const Layout& layout) {
    const std::size_t bytes = bytes_for(layout.vcpus);
    if (bytes == 0) return EINVAL;
    const int file = ::memfd_create("ringside-soft-guest", MFD_CLOEXEC);
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) != 0) return errno;
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return errno;
    if (!format({static_cast<std::byte*>(memory), bytes}, layout)) return EINVAL;
    bool sent = send(socket, protocol_version, -1) && send(socket, peer, -1) &&
                send(socket, memory_follows, file);
    for (std::uint32_t i = 0; sent && i < layout.vcpus; ++i) {
        const int doorbell = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        if (doorbell < 0) return errno;
        doorbells_.push_back(doorbell);
        sent = send(socket, peer, doorbell);
    }
    const int error = sent ? 0 : errno;
    ::close(file);
    return error;
}

void GuestPage::set_starved(bool starved) {
    const auto now = static_cast<std::int64_t>(base::now_ns());
    for (std::uint32_t i = 0; i < count_; ++i) {
        vpmu_page_vcpu& vcpu = vcpus_[i];
        const vpmu::PageUpdate update(vcpu.sequence);
        if (starved_since_ns_ != 0) {
            vcpu.starved_ns += static_cast<std::uint64_t>(now - starved_since_ns_);
        }
        vcpu.starved = starved ? vcpu.active : 0;
    }
    starved_since_ns_ = starved ? now : 0;
}

void GuestPage::add_sample(std::uint32_t index, unsigned counter, std::uint64_t ip) {
    if (index >= count_) return;
    std::uint64_t& head = heads_[index];
    vpmu_page_sample& place = ring_[std::size_t{index} * ring_entries + head % ring_entries];
    place = {ip, 0, counter, VPMU_PAGE_NO_THREAD, 0};
    std::atomic_ref(vcpus_[index].ring_head).store(++head, std::memory_order_release);
}

// The vCPU waits until QEMU has heard the bell, so that the interrupt comes soon after; but not for
// long, since QEMU itself may wait for it, and not more than half of its time, whatever the guest
// asks for.
void GuestPage::ring(std::uint32_t index) {
    if (index >= doorbells_.size()) return;
    const std::uint64_t once = 1;
    if (::write(doorbells_[index], &once, sizeof once) != sizeof once) return;
    const auto begin = static_cast<std::int64_t>(base::now_ns());
    if (begin < in_a_hurry_until_ns_[index]) return;
    constexpr std::int64_t patience_ns = 2'000'000;
    std::int64_t now = begin;
    pollfd unheard{doorbells_[index], POLLIN, 0};
    while (::poll(&unheard, 1, 0) == 1 && now < begin + patience_ns) {
        ::sched_yield();
        now = static_cast<std::int64_t>(base::now_ns());
    }
    in_a_hurry_until_ns_[index] = now + (now - begin);
}

}  // namespace ringside::softpmu
