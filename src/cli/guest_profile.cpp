#include "cli/guest_profile.h"

#include <filesystem>

#include <fmt/format.h>

#include <ringside/clocks.h>

#include "base/error.h"
#include "base/file_io.h"
#include "base/sys_root.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "soft/kernel_facts.h"
#include "soft/run.h"
#include "soft/switch.h"
#include "symbols/kallsyms.h"

#ifdef __x86_64__
#include <x86intrin.h>
#endif

namespace ringside::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t usual_period = 100'003;  // a prime: no loop keeps step with it
constexpr std::size_t most_kernel_bytes = std::size_t{128} << 20;

// Of a clock that goes as fast as the processor was made for.
std::uint64_t clock_ticks() {
#ifdef __x86_64__
    return __rdtsc();
#else
    return real_ns();
#endif
}

Result<std::uint64_t> parse_period(const std::string& text) {
    if (text.empty()) return usual_period;
    const auto period = base::parse_u64(text);
    constexpr std::uint64_t least = 1000;
    if (period && *period >= least) return *period;
    return base::fail(ErrorCode::bad_input,
                      "--profile-period requires a number from 1000 on, not " + text);
}

// The only machine that counts into the folder.
Result<std::string> counts_in(const std::string& folder) {
    const auto files = soft::files_of_run(folder);
    if (!files) return files.error();
    if (files->size() == 1) return files->front();
    return base::fail(ErrorCode::not_found, "QEMU made no file of counts");
}

// Where the guest's file lies here: at the same path if it has our files, else where it was put in.
// The guest chose the path.
std::string find_here(const std::string& path, bool share_root,
                      const std::vector<guest::Transfer>& put) {
    std::error_code error;
    if (fs::path(path).lexically_normal() != path) return "";
    if (share_root) return fs::exists(path, error) ? path : std::string();
    for (const auto& transfer : put) {
        const fs::path to = fs::path(transfer.to).lexically_normal();
        const fs::path name = to.has_filename() ? to : to / fs::path(transfer.from).filename();
        if (path == name) return fs::absolute(transfer.from, error).string();
        if (path.starts_with(name.string() + "/")) {
            return fs::absolute(transfer.from + path.substr(name.string().size()), error).string();
        }
    }
    return "";
}

}  // namespace

GuestProfiling::GuestProfiling(GuestProfileChoice choice, std::uint64_t period,
                               base::ScratchDir folder)
    : choice_(std::move(choice)), period_(period) {
    folder_.emplace(std::move(folder));
}

Result<GuestProfiling> GuestProfiling::make(const GuestProfileChoice& choice) {
    const auto period = parse_period(choice.period);
    if (!period) return period.error();
    auto folder = base::ScratchDir::make_in_memory("ringside-profile");
    if (!folder) return folder.error();
    GuestProfiling profiling(choice, *period, std::move(*folder));
    std::error_code error;
    fs::create_directory(profiling.counts_folder(), error);
    if (error) return base::fail(ErrorCode::io, "cannot make a folder: " + error.message());
    return profiling;
}

void GuestProfiling::attach(guest::BoxRequest& request) {
    share_root_ = request.share_root;
    put_ = request.put;
    if (const auto* kind = guest::KindTable::built_in().find(request.kind)) arch_ = kind->arch;
    request.ended = [this] { ends(); };
    request.soft_pmu.profile =
        guest::ProfileWish{counts_folder(), period_, kernel_folder(),
                           [this](const std::string& why_not) { begins(why_not); }};
}

Result<void> GuestProfiling::switch_on() {
    const auto counts = counts_in(counts_folder());
    if (!counts) return counts.error();
    const base::SysRoot guest(kernel_folder());
    const auto kallsyms = guest.read("/proc/kallsyms", most_kernel_bytes);
    auto types = guest.read("/sys/kernel/btf/vmlinux", most_kernel_bytes);
    const auto facts = kallsyms && types
                           ? soft::read_kernel_facts(*kallsyms, std::move(*types),
                                                     guest.read("/proc/iomem").value_or(""))
                           : Result<soft_kernel>(kallsyms ? types.error() : kallsyms.error());
    if (facts) {
        const auto file = soft::CountFile::read(*counts);
        if (!file) return file.error();
        if (auto told = file->introduce(*facts); !told) return told;
    } else {
        notes_.push_back("no processes: " + facts.error().what);
    }
    const auto on = soft::switch_machine(*counts, false);
    if (!on) return on.error();
    return {};
}

void GuestProfiling::begins(const std::string& why_not) {
    if (!why_not.empty()) notes_.push_back("what the guest sent of its kernel: " + why_not);
    began_ns_ = real_ns();
    began_ticks_ = clock_ticks();
    if (auto on = switch_on(); !on) failure_ = on.error();
}

report::GuestProfileSummary GuestProfiling::summarize(const soft::CountFile& file,
                                                      const soft::GuestProfile& profile) {
    const double clock_ghz = static_cast<double>(clock_ticks() - began_ticks_) /
                             static_cast<double>(real_ns() - began_ns_);
    const base::SysRoot guest(kernel_folder());
    const auto kallsyms = guest.read("/proc/kallsyms", most_kernel_bytes);
    const auto symbols = symbols::parse_kallsyms(kallsyms ? *kallsyms : "").functions;
    const auto name_of = [&](std::uint64_t address) {
        const auto* symbol = symbols.find(address);
        return symbol != nullptr ? std::string(symbols.name(*symbol))
                                 : fmt::format("{:#x}", address);
    };
    if (const auto why = soft::why_no_tasks(profile.head); !why.empty() && notes_.empty()) {
        notes_.push_back("no processes: " + why);
    }
    if (profile.head.maps_left_out > 0) {
        notes_.push_back(
            fmt::format("{} samples in mappings that had no room", profile.head.maps_left_out));
    }
    report::GuestProfileSummary summary;
    summary.file = choice_.file;
    summary.period = period_;
    summary.rate = soft::host_rate(profile.head, clock_ghz);
    summary.instructions = instructions_.value_or(file.total(SOFT_INSTRUCTIONS));
    auto devices = file.devices();
    const auto iomem = guest.read("/proc/iomem");
    for (auto& device : devices) device.name = soft::device_name(device.name, iomem.value_or(""));
    summary.devices = soft::device_costs(profile, devices);
    summary.functions = soft::device_costs(profile, devices, name_of);
    summary.notes = notes_;
    return summary;
}

record::GuestRecording GuestProfiling::recording(const soft::HostRate& rate) const {
    record::GuestRecording recording;
    recording.file = choice_.file;
    recording.architecture = arch_ == "arm64" ? "aarch64" : "x86_64";
    recording.period = period_;
    recording.instructions_per_ns = rate.per_ns;
    recording.domain_unit = report::domain_unit(rate);
    recording.notes = notes_;
    recording.command_line = own_command_line(base::SysRoot());
    recording.version = fmt::format("ringside {}", version);
    recording.file_here = [this](const std::string& path) {
        return find_here(path, share_root_, put_);
    };
    return recording;
}

// What the box does after its command is not the command's.
void GuestProfiling::ends() {
    const auto counts = counts_in(counts_folder());
    if (!counts) return;
    if (const auto file = soft::CountFile::read(*counts)) {
        [[maybe_unused]] const auto stopped = file->stop_profile();
        instructions_ = file->total(SOFT_INSTRUCTIONS);
    }
}

Result<void> GuestProfiling::finish() {
    if (failure_) return *failure_;
    if (began_ns_ == 0) {
        return base::fail(ErrorCode::io, "no profile: the command in the box never began");
    }
    const auto counts = counts_in(counts_folder());
    if (!counts) return counts.error();
    const auto file = soft::CountFile::read(*counts);
    if (!file) return file.error();
    auto profile = file->profile();
    if (!profile) return profile.error();
    report::GuestProfileSummary summary = summarize(*file, *profile);
    auto recorded = record::write_guest_recording(base::SysRoot(kernel_folder()),
                                                  recording(summary.rate), std::move(*profile));
    if (!recorded) return recorded.error();
    summary.recorded = std::move(*recorded);
    print_text(stderr, fmt::format("ringside guest: {}", report::guest_profile_text(summary)));
    if (choice_.summary.empty()) return {};
    return base::replace_file(choice_.summary, report::guest_profile_json(summary));
}

}  // namespace ringside::cli
