#include "trust/shared_page.h"

#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mmap.h"
#include "vpmu/page_reader.h"
#include "vpmu/policy.h"

namespace ringside::trust {

namespace {

constexpr std::size_t most_bytes = 64u << 20;

std::string policy_name(std::uint32_t policy) {
    const auto* traits = vpmu::find_traits(policy);
    return traits != nullptr ? traits->name : "unknown";
}

void read_vcpu(const vpmu::PageReader& reader, unsigned index, PageReport& report) {
    using vpmu::page_detail::load;
    std::uint64_t starved = 0;
    if (!reader.read_starved(index, starved)) {
        ++report.unreadable_vcpus;
        return;
    }
    const vpmu_page_vcpu& vcpu = *reader.vcpu(index);
    report.starved_ns += load(vcpu.starved_ns);
    for (unsigned i = 0; i < VPMU_PAGE_COUNTERS; ++i) {
        if ((starved >> i & 1) == 0) continue;
        report.starved.push_back({index, i, load(vcpu.counter[i].event)});
    }
}

PageReport found_in(const std::string& place, PageReport report) {
    if (report.source) {
        report.source = place;
    } else {
        report.reason = place + ": " + report.reason;
    }
    return report;
}

// A copy: the file may shrink while it is read, and a mapping would then raise SIGBUS.
PageReport read_file(const std::string& file) {
    PageReport report;
    std::error_code failed;
    if (!std::filesystem::is_regular_file(file, failed)) {
        report.reason = file + " is no regular file";
        return report;
    }
    const auto text = base::SysRoot().read(file, most_bytes);
    if (!text) {
        report.reason = text.error().what;
        return report;
    }
    const std::string_view bytes(*text);
    std::vector<std::uint64_t> words(bytes.size() / 8 + 1);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return found_in(file, read_page(std::as_bytes(std::span(words)).first(bytes.size())));
}

// A device's memory cannot shrink; it can only be mapped. The driver's file has no size: there a
// page of memory holds the numbers of as many vCPUs as our hypervisor has.
PageReport read_device(const base::SysRoot& root, const std::string& path) {
    PageReport report;
    const base::Fd fd(::open(root.locate(path).c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status = {};
    if (!fd || ::fstat(fd.get(), &status) != 0) {
        report.reason = fmt::format("cannot open {}: {}", path, std::strerror(errno));
        return report;
    }
    const auto bytes = S_ISCHR(status.st_mode)
                           ? static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))
                           : std::min<std::size_t>(std::size_t(status.st_size), most_bytes);
    void* mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd.get(), 0);
    if (mapped == MAP_FAILED) {
        report.reason = fmt::format("cannot map {}: {}", path, std::strerror(errno));
        return report;
    }
    const base::Mmap memory(mapped, bytes);
    return found_in(path, read_page({memory.data(), bytes}));
}

}  // namespace

PageReport read_page(std::span<const std::byte> bytes) {
    PageReport report;
    const vpmu::PageReader reader(bytes.data(), bytes.size());
    if (!reader.is_open()) {
        report.reason = "holds no such page, or a damaged one";
        return report;
    }
    report.source = "";
    report.policy = policy_name(reader.header().policy);
    report.vcpus = reader.header().vcpu_count;
    for (unsigned i = 0; i < report.vcpus; ++i) read_vcpu(reader, i, report);
    return report;
}

PageReport examine_page(const base::SysRoot& root, const std::string& file) {
    PageReport report;
    if (!file.empty()) {
        report = read_file(file);
        report.asked_for = true;
        return report;
    }
    report.reason =
        "RINGSIDE_PAGE is not set, there is no /dev/ringside_vpmu, and there is no ivshmem device";
    const std::string by_driver = "/dev/ringside_vpmu";
    if (root.exists(by_driver)) return read_device(root, by_driver);
    const std::string devices = "/sys/bus/pci/devices";
    for (const auto& name : root.list(devices).value_or(std::vector<std::string>())) {
        const std::string device = devices + "/" + name;
        const bool ivshmem = root.read_trimmed(device + "/vendor").value_or("") == "0x1af4" &&
                             root.read_trimmed(device + "/device").value_or("") == "0x1110";
        if (!ivshmem) continue;
        report = read_device(root, device + "/resource2");
        if (report.source) return report;
    }
    return report;
}

}  // namespace ringside::trust
