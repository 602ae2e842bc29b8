#include "components/kvm/host.h"

#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "components/kvm/exits.h"
#include "components/kvm/machines.h"

namespace ringside::components::kvm {

namespace {

// The sum of one statistic over some statistics files.
class StatsSource final : public Source {
  public:
    StatsSource(std::vector<StatsFile> files, std::string_view name, unsigned item)
        : files_(std::move(files)), item_(item) {
        for (const auto& file : files_) stats_.push_back(*file.layout().find(name));
    }

    std::optional<std::int64_t> read() override {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < files_.size(); ++i) {
            const auto value = files_[i].read(stats_[i], item_);
            if (!value) return std::nullopt;
            sum += static_cast<std::int64_t>(*value);
        }
        return sum;
    }

  private:
    std::vector<StatsFile> files_;
    std::vector<StatFacts> stats_;
    unsigned item_;
};

Result<StatsFile> open_stats(int pid, int fd) {
    auto copy = copy_descriptor(pid, fd);
    if (!copy) return copy.error();
    return StatsFile::open(std::move(*copy));
}

// The statistics files of `vmm` that have the statistic; all of its kind or none.
Result<std::vector<StatsFile>> open_stats_with(const Vmm& vmm, const HostEventName& event) {
    std::vector<int> descriptors;
    for (const auto& [cpu, fd] : vmm.vcpu_stats) {
        if (!event.vcpu || event.vcpu == cpu) descriptors.push_back(fd);
    }
    const bool all_vcpus = vmm.vcpu_stats.size() == vmm.vcpus.size();
    std::vector<StatsFile> files;
    const auto add_those_of = [&](const std::vector<int>& from) -> Result<void> {
        for (const int fd : from) {
            auto file = open_stats(vmm.pid, fd);
            if (!file) return file.error();
            const StatFacts* stat = file->layout().find(event.name);
            if (stat != nullptr && event.item < stat->items) files.push_back(std::move(*file));
        }
        return {};
    };
    if (!event.vcpu) {
        if (auto added = add_those_of(vmm.vm_stats); !added) return added.error();
    }
    if (files.empty() && (event.vcpu || all_vcpus)) {
        if (auto added = add_those_of(descriptors); !added) return added.error();
    }
    return files;
}

Error unreachable(const Vmm& vmm, const HostEventName& event) {
    if (event.vcpu) {
        return base::fail(
            ErrorCode::unsupported,
            fmt::format("process {} ({}) keeps no statistics file of its vCPU {} with {} open",
                        vmm.pid, vmm.name, *event.vcpu, event.name),
            "QEMU from 8.0 on does; only the process itself can open one");
    }
    return base::fail(
        ErrorCode::unsupported,
        fmt::format("{} of process {} ({}) cannot be read: there is no {}, and the process keeps "
                    "no statistics files open",
                    event.name, vmm.pid, vmm.name, debug_folder),
        "mount -t debugfs none /sys/kernel/debug, as root");
}

std::vector<NumberFile> debug_files(const base::SysRoot& root, const Vmm& vmm,
                                    std::string_view name) {
    std::vector<NumberFile> files;
    for (const auto& folder : vmm.debug) {
        NumberFile file(root, fmt::format("{}/{}", folder, name));
        if (file.read()) files.push_back(std::move(file));
    }
    return files;
}

// debugfs sums over the vCPUs of a VM, whoever its VMM is.
Result<SourcePtr> open_vm_stat(const base::SysRoot& root, const HostEventName& event,
                               const std::string& name) {
    const auto vmm = find_vmm(root, event.pid);
    if (!vmm) return vmm.error();
    if (!event.vcpu) {
        auto files = debug_files(root, *vmm, name);
        if (!files.empty()) return SourcePtr(std::make_unique<FilesSource>(std::move(files)));
    }
    auto files = open_stats_with(*vmm, event);
    if (!files) return files.error();
    if (files->empty()) return unreachable(*vmm, event);
    return SourcePtr(std::make_unique<StatsSource>(std::move(*files), name, event.item));
}

Result<SourcePtr> open_host_stat(const base::SysRoot& root, const std::string& name) {
    NumberFile file(root, fmt::format("{}/{}", debug_folder, name));
    if (!file.read()) {
        return base::fail(ErrorCode::not_found, fmt::format("no {}/{} here", debug_folder, name),
                          "load KVM, and mount -t debugfs none /sys/kernel/debug, as root");
    }
    std::vector<NumberFile> files;
    files.push_back(std::move(file));
    return SourcePtr(std::make_unique<FilesSource>(std::move(files)));
}

Result<SourcePtr> open_source(const base::SysRoot& root, const std::string& whole_name) {
    const auto event = parse_host_event(whole_name);
    if (event->tracepoint) return open_tracepoint(root, event->pid, event->name);
    if (event->pid == 0) return open_host_stat(root, std::string(event->name));
    return open_vm_stat(root, *event, std::string(event->name));
}

Offer make_offer(const base::SysRoot& root, const StatsCatalogue* catalogue,
                 const std::string& whole_name, const HostEventName& event) {
    Offer offer;
    const StatFacts* stat = catalogue != nullptr ? catalogue->find(event.name) : nullptr;
    const auto whose = event.pid == 0 ? "all machines" : fmt::format("process {}", event.pid);
    offer.event = {whole_name,
                   fmt::format("{} of {}{}", event.tracepoint ? "tracepoint" : "KVM's statistics",
                               event.vcpu ? fmt::format("vCPU {} of ", *event.vcpu) : "", whose),
                   stat != nullptr ? stat->unit : "", stat != nullptr && stat->level, 0};
    offer.open = [root, whole_name] { return open_source(root, whole_name); };
    return offer;
}

void add_offers(const base::SysRoot& root, const StatsCatalogue* catalogue, int pid,
                const std::set<std::string>& names, std::vector<Offer>& all) {
    const auto prefix = pid == 0 ? std::string("host") : std::to_string(pid);
    for (const auto& name : names) {
        const auto whole_name = prefix + ":" + name;
        all.push_back(make_offer(root, catalogue, whole_name, *parse_host_event(whole_name)));
    }
}

// Of a histogram such a file shows one bucket, which is not what its name says.
std::set<std::string> names_in_folder(const base::SysRoot& root, const StatsCatalogue* catalogue,
                                      const std::string& folder) {
    std::set<std::string> names;
    for (const auto& name : root.list(folder).value_or({})) {
        const StatFacts* stat = catalogue != nullptr ? catalogue->find(name) : nullptr;
        if (stat != nullptr && stat->items > 1) continue;
        if (NumberFile(root, folder + "/" + name).read()) names.insert(name);
    }
    return names;
}

std::set<std::string> names_of_vmm(const base::SysRoot& root, const StatsCatalogue* catalogue,
                                   const Vmm& vmm) {
    std::set<std::string> names;
    for (const auto& folder : vmm.debug) names.merge(names_in_folder(root, catalogue, folder));
    std::vector<int> descriptors = vmm.vm_stats;
    if (vmm.vcpu_stats.size() == vmm.vcpus.size()) {
        for (const auto& [cpu, fd] : vmm.vcpu_stats) descriptors.push_back(fd);
    }
    for (const int fd : descriptors) {
        const auto file = open_stats(vmm.pid, fd);
        if (!file) continue;
        for (const auto& stat : file->layout().stats) {
            if (stat.items == 1) names.insert(stat.name);
        }
    }
    return names;
}

// The number in brackets, taken off the end of `name`.
std::optional<unsigned> take_item(std::string_view& name) {
    const auto bracket = name.find('[');
    if (bracket == std::string_view::npos) return std::nullopt;
    const auto item = base::parse_u64(name.substr(bracket + 1, name.size() - bracket - 2));
    if (!item || *item > 65535) return std::nullopt;
    name = name.substr(0, bracket);
    return static_cast<unsigned>(*item);
}

}  // namespace

std::optional<HostEventName> parse_host_event(std::string_view name) {
    HostEventName event;
    auto parts = base::split(name, ':');
    if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
    if (parts[0] != "host") {
        const auto pid = base::parse_u64(parts[0]);
        if (!pid || *pid == 0 || *pid > 1u << 30) return std::nullopt;
        event.pid = static_cast<int>(*pid);
    }
    if (parts.size() == 3) {
        event.tracepoint = parts[1] == "tracepoint";
        if (!event.tracepoint) {
            const auto cpu =
                parts[1].starts_with("vcpu") ? base::parse_u64(parts[1].substr(4)) : std::nullopt;
            if (!cpu || *cpu > 1u << 20 || event.pid == 0) return std::nullopt;
            event.vcpu = static_cast<int>(*cpu);
        }
    }
    event.name = parts.back();
    if (event.name.ends_with(']') && event.pid != 0 && !event.tracepoint) {
        const auto item = take_item(event.name);
        if (!item) return std::nullopt;
        event.item = *item;
    }
    // A name becomes a part of a path.
    if (event.name.empty() || event.name.find('/') != std::string_view::npos) return std::nullopt;
    return event;
}

std::vector<Offer> list_host_events(const base::SysRoot& root, const StatsCatalogue* catalogue) {
    std::vector<Offer> all;
    add_offers(root, catalogue, 0, names_in_folder(root, catalogue, debug_folder), all);
    for (const auto& vmm : find_vmms(root)) {
        add_offers(root, catalogue, vmm.pid, names_of_vmm(root, catalogue, vmm), all);
    }
    return all;
}

Result<Offer> find_host_event(const base::SysRoot& root, const StatsCatalogue* catalogue,
                              std::string_view name) {
    const auto event = parse_host_event(name);
    if (!event) {
        return base::fail(ErrorCode::not_found, fmt::format("no event kvm:::{} here", name),
                          "ringside list kvm shows those there are");
    }
    Offer offer = make_offer(root, catalogue, std::string(name), *event);
    if (auto source = offer.open(); !source) return source.error();
    return offer;
}

}  // namespace ringside::components::kvm
