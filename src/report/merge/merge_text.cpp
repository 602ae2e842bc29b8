#include <cmath>

#include <fmt/format.h>

#include "base/csv.h"
#include "base/visible.h"
#include "report/merge/merge_report.h"

namespace ringside::report {

namespace {

using merge::Doing;

std::string milliseconds(std::uint64_t ns) {
    return fmt::format("{:.1f}", static_cast<double>(ns) / 1e6);
}

std::string time_of(const merge::MergeReport& report, const merge::VcpuReport& vcpu, Doing doing) {
    if (!is_seen(report, doing)) return "-";
    return milliseconds(vcpu.host_ns[static_cast<std::size_t>(doing)]);
}

std::string clock_text(const merge::GuestReport& guest) {
    const char* source = guest.source == merge::ClockSource::counter ? "by the CPU's counter"
                         : guest.source == merge::ClockSource::runs  ? "by the vCPUs' runs"
                                                                     : "as given";
    std::string text = fmt::format("  clock {}: host - guest = {:.6f} s", source,
                                   static_cast<double>(guest.offset_ns) / 1e9);
    if (guest.source != merge::ClockSource::given)
        text += fmt::format(" +- {:.1f} us, drift {:+.1f} ppm", guest.uncertainty_ns / 1e3,
                            guest.drift_ppm);
    return text + "\n";
}

std::string samples_text(const merge::GuestReport& guest) {
    const auto& found = guest.agreement;
    return fmt::format(
        "  {} samples: {} where their vCPU ran, {} contradict that, {} beyond the host's "
        "recording\n",
        found.inside + found.outside + found.beyond, found.inside, found.outside, found.beyond);
}

std::string vcpu_row(const merge::MergeReport& report, const merge::VcpuReport& vcpu) {
    const auto at = [&](Doing doing) { return time_of(report, vcpu, doing); };
    return fmt::format(
        "  {:>4} {:>4} {:>8} {:>8} {:>6} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
        vcpu.guest_cpu, vcpu.vcpu ? std::to_string(*vcpu.vcpu) : "?", vcpu.tid,
        vcpu.agreement.inside + vcpu.agreement.outside + vcpu.agreement.beyond,
        vcpu.agreement.outside, vcpu.exits, at(Doing::running), at(Doing::kernel), at(Doing::vmm),
        at(Doing::sleeping), at(Doing::waiting),
        vcpu.guest_stolen_ns ? milliseconds(*vcpu.guest_stolen_ns) : "-");
}

std::string guest_text(const merge::MergeReport& report, const merge::GuestReport& guest) {
    std::string text =
        fmt::format("{} ({}): the machine of process {}, {:.3f} s\n", base::visible(guest.name),
                    base::visible(guest.file), guest.pid,
                    static_cast<double>(guest.host_time.to_ns - guest.host_time.from_ns) / 1e9);
    text += clock_text(guest) + samples_text(guest);
    if (guest.vcpus_matched) text += "  which CPU is which vCPU was found by their runs\n";
    text += fmt::format("\n  {:>42}   {:<49}  {}\n", "", "host: ms it", "guest:");
    text +=
        fmt::format("  {:>4} {:>4} {:>8} {:>8} {:>6} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
                    "CPU", "vCPU", "thread", "samples", "contra", "exits", "ran", "kernel", "VMM",
                    "slept", "waited", "stolen");
    for (const auto& vcpu : guest.vcpus) text += vcpu_row(report, vcpu);
    return text;
}

std::string remarks(const merge::MergeReport& report) {
    std::string text;
    if (!report.sees_steal)
        text += "steal as the host sees it is not known: record sched:sched_switch as well\n";
    else if (!report.sees_wakeups)
        text +=
            "waiting after a wakeup counts as sleep: record sched:sched_wakeup to have it apart\n";
    if (!report.sees_vmm)
        text += "the VMM's time is part of the kernel's: record kvm:kvm_userspace_exit as well\n";
    return text;
}

}  // namespace

bool is_seen(const merge::MergeReport& report, Doing doing) {
    if (doing == Doing::waiting || doing == Doing::sleeping) return report.sees_steal;
    return doing != Doing::vmm || report.sees_vmm;
}

std::string merge_text(const merge::MergeReport& report) {
    std::string text =
        fmt::format("{}: {:.3f} s of the host\n", report.host_file,
                    static_cast<double>(report.host_last_ns - report.host_first_ns) / 1e9);
    for (const auto& guest : report.guests) text += "\n" + guest_text(report, guest);
    const std::string more = remarks(report);
    if (!more.empty()) text += "\n" + more;
    if (report.output.empty()) return text;
    text += fmt::format("\n{}: {} samples of the host and {} of guests", report.output,
                        report.host_samples, report.guest_samples);
    if (report.replaced_samples > 0)
        text += fmt::format("; {} that the host took inside them are left out",
                            report.replaced_samples);
    return text + "\n";
}

std::string merge_csv(const merge::MergeReport& report) {
    std::string text =
        "guest,vmm_pid,clock,offset_ns,uncertainty_ns,drift_ppm,guest_cpu,vcpu,tid,inside,"
        "contradicting,beyond_host,exits";
    for (std::size_t i = 0; i < merge::doing_count; ++i)
        text += fmt::format(",host_{}_ns", to_string(static_cast<Doing>(i)));
    text += ",guest_stolen_ns\n";
    for (const auto& guest : report.guests) {
        for (const auto& vcpu : guest.vcpus) {
            text += fmt::format("{},{},{},{},{:.0f},{:.3f},{},{},{},{},{},{},{}",
                                base::csv_field(guest.name), guest.pid, to_string(guest.source),
                                guest.offset_ns, guest.uncertainty_ns, guest.drift_ppm,
                                vcpu.guest_cpu, vcpu.vcpu ? std::to_string(*vcpu.vcpu) : "",
                                vcpu.tid, vcpu.agreement.inside, vcpu.agreement.outside,
                                vcpu.agreement.beyond, vcpu.exits);
            for (std::size_t i = 0; i < merge::doing_count; ++i)
                text += is_seen(report, static_cast<Doing>(i)) ? fmt::format(",{}", vcpu.host_ns[i])
                                                               : std::string(",");
            text +=
                fmt::format(",{}\n", vcpu.guest_stolen_ns ? std::to_string(*vcpu.guest_stolen_ns)
                                                          : std::string());
        }
    }
    return text;
}

}  // namespace ringside::report
