#include "components/soft/guest.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "abi/soft_counts.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/text.h"
#include "components/lookup.h"
#include "components/soft/begun_counts.h"
#include "perf/event_fd.h"
#include "soft/events.h"

namespace ringside::components::soft {

namespace {

using base::fail;
using session::ComponentEvent;

constexpr std::string_view pmu_folder = "/sys/bus/event_source/devices";

// What the hypervisor's counters count. The soft PMU's events are a table of their own.
struct HardwareEvent {
    const char* name;
    const char* file;
    const char* description;
};
constexpr std::array hardware_events{
    HardwareEvent{"INSTRUCTIONS", "instructions", "instructions, counted by the CPU"},
    HardwareEvent{"CYCLES", "cycles", "cycles of the CPU"},
};

// Of an event of perf, or without one of whole vCPUs.
struct MachineCount : BegunCount {
    std::optional<perf::EventFd> event;
    base::Mmap control;
};

class MachineCounters final : public BegunCounts<MachineCounters, MachineCount> {
  public:
    MachineCounters(std::shared_ptr<const MachinePage> page, std::vector<unsigned> vcpus)
        : page_(std::move(page)), vcpus_(std::move(vcpus)) {}

    // Of a vCPU's counter if there is no event.
    Result<void> add(unsigned counter, std::optional<perf::EventFd> event) {
        MachineCount cell;
        cell.counter = counter;
        cell.event = std::move(event);
        if (cell.event && page_ != nullptr) {
            const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
            void* memory = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, cell.event->fd(), 0);
            if (memory == MAP_FAILED) return base::fail_errno(errno, "cannot map an event's page");
            cell.control = base::Mmap(memory, bytes);
        }
        cells_.push_back(std::move(cell));
        return {};
    }

    bool now(const MachineCount& cell, std::uint64_t& value) const {
        if (!cell.event) return sum_of_vcpus(cell.counter, value);
        if (cell.control) {
            auto& control = *reinterpret_cast<perf::ControlPage*>(cell.control.data());
            if (page_->read_event(control, value)) return true;
        }
        const auto count = cell.event->read();
        if (!count || !*count) return false;
        value = (*count)->value;
        return true;
    }
    std::string explain(std::size_t index) const override {
        if (auto why = reason(index); !why.empty()) return why;
        const bool by_cpu = page_ != nullptr && !page_->is_live();
        return fmt::format("soft: counted by {}, read {}",
                           by_cpu ? "the CPU, which our hypervisor shares" : "this machine's QEMU",
                           page_ != nullptr ? "from its page" : "by system calls");
    }

  private:
    bool sum_of_vcpus(unsigned counter, std::uint64_t& value) const {
        value = 0;
        for (const unsigned vcpu : vcpus_) {
            std::uint64_t one = 0;
            if (!page_->read_vcpu(vcpu, counter, one)) return false;
            value += one;
        }
        return true;
    }

    std::shared_ptr<const MachinePage> page_;
    std::vector<unsigned> vcpus_;
};

class MachineComponent final : public session::Component {
  public:
    explicit MachineComponent(const base::SysRoot& root) : root_(root) {}

    std::string_view name() const override { return "soft"; }
    std::string_view description() const override {
        return "what threads and CPUs execute, counted by the QEMU that is this machine, or by "
               "the CPU under our hypervisor";
    }
    session::Availability availability() const override {
        if (machine_pmu(root_)) return {true, ""};
        return {false, "the driver ringside_pmu is not loaded"};
    }

    std::vector<ComponentEvent> events() const override {
        std::vector<ComponentEvent> events;
        const auto pmu = machine_pmu(root_);
        if (!pmu) return events;
        if (!pmu->is_soft()) {
            for (const auto& event : hardware_events) {
                const auto config = config_of(*pmu, event.file);
                if (config) events.push_back({event.name, event.description, "", false, *config});
            }
            return events;
        }
        for (const auto& event : ringside::soft::all_events()) {
            const auto file = event.stat_name.empty() ? "kernel-instructions" : event.stat_name;
            if (!config_of(*pmu, file)) continue;
            events.push_back({event.name, event.description, "", false, event.counter});
        }
        return events;
    }
    Result<ComponentEvent> find(std::string_view name) const override {
        return find_event(events(), "soft", name);
    }

    Result<session::CountersPtr> open(std::span<const ComponentEvent> events,
                                      const SetOptions& options) const override {
        const auto pmu = machine_pmu(root_);
        if (!pmu) return fail(ErrorCode::not_found, availability().reason);
        auto mapped = MachinePage::map("/dev/" + pmu->name);
        const Target& target = options.target;
        const bool whole = target.kind == Target::Kind::cpus || target.kind == Target::Kind::system;
        if (whole && !mapped) return mapped.error();
        if (whole && !mapped->is_live()) {
            return fail(ErrorCode::unsupported, "soft events are of threads here",
                        "ringside stat -a -e ringside_vpmu/instructions/ counts CPUs");
        }
        if (!whole && target.kind != Target::Kind::calling_thread &&
            target.kind != Target::Kind::thread) {
            return fail(
                ErrorCode::unsupported, "soft events are of threads and of CPUs here",
                fmt::format("ringside stat -e {}/instructions/ counts processes", pmu->name));
        }
        std::shared_ptr<const MachinePage> page;
        if (mapped) page = std::make_shared<MachinePage>(std::move(*mapped));
        auto counters = std::make_unique<MachineCounters>(page, vcpus_of(target, page));
        for (const auto& event : events) {
            std::optional<perf::EventFd> own;
            if (!whole) {
                auto opened = open_event(*pmu, event, options);
                if (!opened) return opened.error();
                own = std::move(*opened);
            }
            auto added = counters->add(static_cast<unsigned>(event.id), std::move(own));
            if (!added) return added.error();
        }
        return session::CountersPtr(std::move(counters));
    }

  private:
    // What "event=0x8" says, of an event that the PMU has.
    std::optional<std::uint64_t> config_of(const MachinePmu& pmu, std::string_view event) const {
        constexpr std::string_view prefix = "event=0x";
        const auto text =
            root_.read_trimmed(fmt::format("{}/{}/events/{}", pmu_folder, pmu.name, event));
        if (!text || !text->starts_with(prefix)) return std::nullopt;
        return base::parse_u64(text->substr(prefix.size()), 16);
    }

    static std::vector<unsigned> vcpus_of(const Target& target,
                                          const std::shared_ptr<const MachinePage>& page) {
        std::vector<unsigned> vcpus(target.cpus.begin(), target.cpus.end());
        if (target.kind != Target::Kind::system) return vcpus;
        for (unsigned i = 0; i < page->vcpu_count(); ++i) vcpus.push_back(i);
        return vcpus;
    }

    static Result<perf::EventFd> open_event(const MachinePmu& pmu, const ComponentEvent& event,
                                            const SetOptions& options) {
        perf_event_attr attributes{};
        attributes.size = sizeof attributes;
        attributes.type = pmu.type;
        attributes.config = event.id;
        attributes.exclude_user = !options.domains.user;
        attributes.exclude_kernel = !options.domains.kernel;
        attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        const bool self = options.target.kind == Target::Kind::calling_thread;
        return perf::EventFd::open(attributes, {self ? 0 : options.target.id, -1, -1}, event.name);
    }

    base::SysRoot root_;
};

}  // namespace

Result<MachinePage> MachinePage::over(base::Mmap memory) {
    MachinePage page(std::move(memory));
    if (page.reader_.is_open()) return page;
    return fail(ErrorCode::bad_input, "there are no counts of the soft PMU in it");
}

Result<MachinePage> MachinePage::map(const std::string& device) {
    const base::Fd fd(::open(device.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) return base::fail_errno(errno, "cannot open " + device);
    const auto first = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* memory = ::mmap(nullptr, first, PROT_READ, MAP_SHARED, fd.get(), 0);
    if (memory == MAP_FAILED) return base::fail_errno(errno, "cannot map " + device);
    // How large it is stands at its front.
    vpmu_page_header header{};
    __builtin_memcpy(&header, memory, sizeof header);
    ::munmap(memory, first);
    const std::size_t bytes = (std::size_t{header.bytes} + first - 1) / first * first;
    memory = ::mmap(nullptr, std::max(bytes, first), PROT_READ, MAP_SHARED, fd.get(), 0);
    if (memory == MAP_FAILED) return base::fail_errno(errno, "cannot map " + device);
    return over(base::Mmap(memory, std::max(bytes, first)));
}

std::optional<MachinePmu> machine_pmu(const base::SysRoot& root) {
    for (const std::string name : {"ringside_soft", "ringside_vpmu"}) {
        const auto text = root.read_trimmed(fmt::format("{}/{}/type", pmu_folder, name));
        const auto number = text ? base::parse_u64(*text) : std::nullopt;
        if (!number || *number > UINT32_MAX) continue;
        return MachinePmu{name, static_cast<std::uint32_t>(*number)};
    }
    return std::nullopt;
}

session::ComponentPtr make_in_machine(const base::SysRoot& root) {
    return std::make_unique<MachineComponent>(root);
}

}  // namespace ringside::components::soft
