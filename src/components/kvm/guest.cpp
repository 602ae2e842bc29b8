#include "components/kvm/guest.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/kept_file.h"
#include "base/text.h"
#include "clocks/cpu_steal.h"
#include "clocks/host_time.h"

namespace ringside::components::kvm {

namespace {

constexpr const char* interrupts_path = "/proc/interrupts";
constexpr const char* cpus_path = "/sys/devices/system/cpu";
// KVM tells a guest that a page it waited for has come by this interrupt (linux/kvm_para.h,
// KVM_FEATURE_ASYNC_PF_INT); in a guest of KVM nothing else uses it.
constexpr std::string_view async_row = "HYP";

class InterruptSource final : public Source {
  public:
    explicit InterruptSource(const base::SysRoot& root) : file_(root, interrupts_path) {}

    std::optional<std::int64_t> read() override {
        const auto text = file_.read();
        const auto sum = text ? sum_interrupts(*text, async_row) : std::nullopt;
        if (!sum) return std::nullopt;
        return static_cast<std::int64_t>(*sum);
    }

  private:
    base::KeptFile file_;
};

class StealSource final : public Source {
  public:
    explicit StealSource(clocks::CpuStealMeterPtr meter) : meter_(std::move(meter)) {}

    std::optional<std::int64_t> read() override {
        const auto cpus = meter_->read();
        if (!cpus) return std::nullopt;
        std::int64_t sum = 0;
        for (const auto& cpu : *cpus) sum += static_cast<std::int64_t>(cpu.steal.ns.value_or(0));
        return sum;
    }

  private:
    clocks::CpuStealMeterPtr meter_;
};

class HostClockSource final : public Source {
  public:
    explicit HostClockSource(std::string device) : device_(std::move(device)) {}

    std::optional<std::int64_t> read() override {
        const auto time = clocks::read_host_time(device_);
        if (!time) return std::nullopt;
        return time->guest_ahead_ns;
    }

  private:
    std::string device_;
};

// The file `name` of each CPU's state in which it polls instead of halting.
std::vector<std::string> polling_files(const base::SysRoot& root, const std::string& name) {
    std::vector<std::string> files;
    for (const auto& cpu : root.list(cpus_path).value_or({})) {
        const auto idle = fmt::format("{}/{}/cpuidle", cpus_path, cpu);
        for (const auto& state : root.list(idle).value_or({})) {
            const auto folder = idle + "/" + state;
            if (root.read_trimmed(folder + "/name").value_or("") != "POLL") continue;
            if (root.exists(folder + "/" + name)) files.push_back(folder + "/" + name);
        }
    }
    return files;
}

Offer files_offer(const base::SysRoot& root, session::ComponentEvent event,
                  const std::vector<std::string>& paths, std::int64_t scale = 1) {
    return {std::move(event), [root, paths, scale]() -> Result<SourcePtr> {
                std::vector<NumberFile> files;
                files.reserve(paths.size());
                for (const auto& path : paths) files.emplace_back(root, path);
                return SourcePtr(std::make_unique<FilesSource>(std::move(files), scale));
            }};
}

// Debian's and most clouds' guests poll before they halt only with the haltpoll governor.
void add_halt_polling(const base::SysRoot& root, std::vector<Offer>& all) {
    const auto governor =
        root.read_trimmed(std::string(cpus_path) + "/cpuidle/current_governor").value_or("");
    const auto times = polling_files(root, "time");
    if (governor != "haltpoll" || times.empty()) return;
    all.push_back(files_offer(
        root, {"guest:halt_poll_time", "time CPUs polled before halting", "ns", false, 0}, times,
        1000));
    all.push_back(
        files_offer(root, {"guest:halt_polls", "times CPUs polled before halting", "", false, 0},
                    polling_files(root, "usage")));
    const std::string limit = "/sys/module/haltpoll/parameters/guest_halt_poll_ns";
    if (root.exists(limit)) {
        all.push_back(files_offer(
            root,
            {"guest:halt_poll_limit", "the longest a CPU polls before halting", "ns", true, 0},
            {limit}));
    }
}

void add_steal(const base::SysRoot& root, std::vector<Offer>& all) {
    const auto open = [root]() -> Result<SourcePtr> {
        auto meter = clocks::make_proc_stat_meter(root);
        if (!meter) return meter.error();
        return SourcePtr(std::make_unique<StealSource>(std::move(*meter)));
    };
    all.push_back(
        {{"guest:steal", "time stolen from all CPUs, in steps of 10 ms; see the steal component",
          "ns", false, 0},
         open});
}

}  // namespace

std::vector<Offer> list_guest_events(const base::SysRoot& root, const platform::Machine& machine) {
    std::vector<Offer> all;
    if (machine.hypervisor.name != "kvm") return all;
    if (machine.clock.steal_reported.value != false) add_steal(root, all);
    if (sum_interrupts(root.read(interrupts_path).value_or(""), async_row)) {
        all.push_back({{"guest:async_page_faults",
                        "pages the host fetched while the guest did other work", "", false, 0},
                       [root]() -> Result<SourcePtr> {
                           return SourcePtr(std::make_unique<InterruptSource>(root));
                       }});
    }
    add_halt_polling(root, all);
    for (const auto& clock : machine.clock.ptp) {
        if (!clock.of_host || !root.is_live()) continue;
        all.push_back({{"guest:clock_ahead", "the guest's clock minus the host's", "ns", true, 0},
                       [device = "/dev/" + clock.device]() -> Result<SourcePtr> {
                           return SourcePtr(std::make_unique<HostClockSource>(device));
                       }});
        break;
    }
    return all;
}

std::string describe_guest(const platform::Machine& machine) {
    const auto& clock = machine.clock;
    std::string text = "clock source " + clock.current.value.value_or("unknown");
    const bool offered = std::find(clock.available.begin(), clock.available.end(), "kvm-clock") !=
                         clock.available.end();
    if (offered && clock.current.value != "kvm-clock") text += ", kvm-clock offered";
    if (clock.steal_reported.value) {
        text += *clock.steal_reported.value ? ", steal reported" : ", steal not reported";
    }
    return text;
}

std::optional<std::uint64_t> sum_interrupts(std::string_view text, std::string_view name) {
    while (!text.empty()) {
        const auto whole_line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(whole_line.size() + 1, text.size()));
        auto line = base::trim(whole_line);
        if (!line.starts_with(name) || !line.substr(name.size()).starts_with(':')) continue;
        line.remove_prefix(name.size() + 1);
        std::uint64_t sum = 0;
        for (;;) {
            line = base::trim(line);
            const auto word = line.substr(0, line.find(' '));
            const auto count = base::parse_u64(word);
            if (!count) return sum;
            sum += *count;
            line.remove_prefix(word.size());
        }
    }
    return std::nullopt;
}

}  // namespace ringside::components::kvm
