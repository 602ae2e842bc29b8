// ringside guest run, shell: test VMs for people and for tests.
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/guest_profile.h"
#include "cli/guest_progress.h"
#include "cli/measure_options.h"
#include "cli/verbs.h"
#include "guest/box.h"
#include "measure/soft_counters.h"
#include "measure/waiting.h"
#include "places/embedded_guest.h"

namespace ringside::cli {

namespace {

Result<std::vector<guest::Transfer>> parse_transfers(const std::vector<std::string>& texts) {
    std::vector<guest::Transfer> transfers;
    for (const auto& text : texts) {
        auto transfer = guest::parse_transfer(text);
        if (!transfer) return transfer.error();
        transfers.push_back(std::move(*transfer));
    }
    return transfers;
}

// A whole number from `least` to `most` into `target`; an empty text leaves it as it is.
Result<void> parse_count(std::string_view name, const std::string& text, unsigned least,
                         unsigned most, std::optional<int>& target) {
    if (text.empty()) return {};
    const auto number = base::parse_u64(text);
    if (!number || *number < least || *number > most) {
        return base::fail(
            ErrorCode::bad_input,
            fmt::format("{} requires a number from {} to {}, not {}", name, least, most, text));
    }
    target = static_cast<int>(*number);
    return {};
}

// "8080:80"
Result<void> parse_forward(const std::string& text, std::optional<guest::Forward>& target) {
    if (text.empty()) return {};
    std::vector<int> ports;
    for (const auto word : base::split(text, ':')) {
        const auto port = base::parse_u64(word);
        if (port && *port >= 1 && *port <= 65535) ports.push_back(static_cast<int>(*port));
    }
    if (ports.size() != 2) {
        return base::fail(ErrorCode::bad_input, "--forward requires PORT:PORT, not " + text);
    }
    target = guest::Forward{ports[0], ports[1]};
    return {};
}

Outcome boot_and_run(guest::BoxRequest box, GuestProfiling* profiling = nullptr) {
    // Downloading can be interrupted like any program; only a running box needs care.
    if (auto ready = guest::prepare_box(box.kind, box.progress); !ready) return ready.error();
    const measure::StopSignals signals;
    box.cancel_fd = signals.fd();
    if (profiling != nullptr) profiling->attach(box);
    const auto outcome = guest::run_box(box);
    if (profiling != nullptr) {
        // Of a box that failed, its own error says more.
        if (auto done = profiling->finish(); !done && outcome) return done.error();
    }
    if (!outcome && outcome.error().code == ErrorCode::interrupted) {
        return Outcome(128 + signals.taken(), outcome.error());
    }
    if (!outcome) return outcome.error();
    for (const auto& path : outcome->missing)
        print_guest_progress("not brought back, it is not there: " + path);
    if (!outcome->has_ringside && outcome->exit_code == exit_not_found) {
        print_guest_progress(fmt::format(
            "this box has no ringside in it: there is no build for its architecture; {}",
            guest::how_to_build_for_boxes));
    }
    if (outcome->beside_exit_code.value_or(0) != 0) {
        print_guest_progress(
            fmt::format("the program beside ended with {}", *outcome->beside_exit_code));
    }
    if (!outcome->missing.empty() && outcome->exit_code == 0) {
        return base::fail(ErrorCode::not_found, "a file to bring back does not exist in the box");
    }
    return outcome->exit_code;
}

class GuestRun : public Verb {
  public:
    std::string name() const override { return "guest run"; }
    std::string summary() const override {
        return "boot a test VM, run a command in it as root, and take its exit code";
    }
    std::string examples() const override {
        return "  ringside guest run -- uname -a\n"
               "      # in a guest with the files and the environment of this machine, but for\n"
               "      # secrets; what it writes is gone with it\n"
               "  ringside guest run --share ~/data -- ./count ~/data/words\n"
               "  ringside guest run x86-guest -- uname -a\n"
               "      # in a test VM, which has busybox and perf\n"
               "  ringside guest run arm64-pmu -- perf stat -e instructions:u true\n"
               "      # counts are exact and the same in every run\n"
               "  ringside guest run x86-guest --put ./test:/usr/bin/test --get /tmp/log:log -- "
               "test\n"
               "  ringside guest run x86-guest --share-root -- python3 $PWD/a.py\n"
               "      # with all the files of this machine, none of which it can change\n"
               "  ringside guest run arm64-kvm --inner -- perf stat -e cycles true\n"
               "      # in the guest inside the box\n"
               "  ringside guest run arm64-kvm --inner --beside ./pin-counters -- perf stat true\n"
               "      # ./pin-counters runs on the box meanwhile, from before the guest boots\n"
               "  ringside guest run arm64-hyp --policy legacy --host-events \"0x08 pinned\" -- "
               "perf stat true\n"
               "      # on our own hypervisor, whose own events compete for the counters\n"
               "  ringside guest run x86-soft -- perf stat -e ringside_soft/instructions/u true\n"
               "      # with a PMU made of software: docs/softpmu.md\n"
               "  ringside guest run x86-soft --profile guest.data -- gzip -k file\n"
               "  ringside report guest.data\n"
               "      # what the whole guest executed, and what its devices cost it\n";
    }
    void declare(Options& options) override;
    Outcome run() override;

  private:
    Result<guest::BoxRequest> request() const;

    guest::BoxRequest request_;
    places::GuestOptions guest_options_;
    std::string cpu_;
    std::string beside_;
    std::string policy_;
    std::string soft_count_;
    std::string host_events_;
    std::string device_work_;
    std::string forward_;
    GuestProfileChoice profile_;
    std::optional<std::string> icount_;
    std::string smp_;
    std::string memory_;
    std::string nic_;
    std::string inner_smp_;
    std::vector<std::string> put_;
    std::vector<std::string> get_;
    std::string get_limit_;
    std::vector<std::string> host_put_;
    std::vector<std::string> host_get_;
    double timeout_s_ = 300;
};

void GuestRun::declare(Options& options) {
    options.operand("KIND", request_.kind, "`ringside guest list` has them [the embedded guest]",
                    false);
    options.text("--cpu", "MODEL", cpu_, "QEMU's CPU model instead of the kind's");
    options.optional_text("--icount", "SHIFT", icount_,
                          "virtual time by instructions, 2^SHIFT ns each (0), or off");
    options.text("--smp", "N", smp_, "number of CPUs");
    options.text("--memory", "MB", memory_, "its memory");
    options.flag("--share-root", request_.share_root,
                 "the command sees this machine's files; what it writes is gone with the box");
    declare_sharing(options, guest_options_);
    options.text("--nic", "MODEL", nic_,
                 "add a network interface (virtio-net-pci, e1000, ...) with zeros to receive "
                 "from 10.0.2.100:9");
    options.flag("--network", request_.network, "with the network of this machine; else none");
    options.texts("--put", "SRC:DST", put_, "copy a file or directory into the box");
    options.texts("--get", "SRC:DST", get_, "bring one back, also when the command failed");
    options.text("--get-limit", "MB", get_limit_,
                 "kill the box when it sends more than MB of files (1024)");
    options.texts("--env", "NAME=VALUE", request_.environment, "set a variable for the command");
    options.number("--timeout", "S", timeout_s_,
                   "kill the box after S seconds in which it could run (300)");
    options.flag("--inner", request_.inner, "run the command in the guest inside the box");
    options.text("--inner-smp", "N", inner_smp_, "number of CPUs of the inner guest");
    options.flag("--inner-pin", request_.inner_pin, "all CPUs of the inner guest share one");
    options.text("--beside", "FILE", beside_,
                 "run FILE on the box while the command runs in the inner guest");
    options.texts("--host-put", "SRC:DST", host_put_, "with --inner: copy to the box around it");
    options.texts("--host-get", "SRC:DST", host_get_, "with --inner: bring back from the box");
    options.texts("--with-build", "DIR", request_.builds,
                  "put DIR/ringside into the box if it is for its architecture");
    options.text("--console", "FILE", request_.console_file, "keep the kernel's console in FILE");
    options.text("--policy", "NAME", policy_,
                 "arm64-hyp: how the hypervisor shares the PMU (`mediated`; docs/vpmu.md)");
    options.flag("--direct", request_.hypervisor.direct,
                 "arm64-hyp: the guest has the PMU's registers in its own hands");
    options.text("--host-events", "LIST", host_events_,
                 "arm64-hyp: what the hypervisor counts meanwhile: \"0x08 pinned,0x11\"");
    options.texts("--neighbour", "NAME", request_.hypervisor.neighbours,
                  "arm64-hyp: a bare-metal guest of hyp/tests runs beside Linux");
    options.flag("--trap-devices", request_.hypervisor.traps_devices,
                 "arm64-hyp: the hypervisor makes every access to a PCI device for the guest");
    options.text("--device-work", "N", device_work_,
                 "arm64-hyp: and spends N instructions on each, as a device model might");
    options.text("--soft-count", "LIST", soft_count_,
                 "x86-soft, arm64-soft: count besides: memory, predictor, caches");
    options.text("--soft-file", "FILE", request_.soft_pmu.counts,
                 "x86-soft, arm64-soft: keep what was counted, seen from outside, in FILE");
    options.text(
        "--profile", "FILE", profile_.file,
        "x86-soft, arm64-soft: profile all that the guest executes into FILE, from outside");
    options.text("--profile-period", "N", profile_.period,
                 "a sample every N instructions (100003)");
    options.text("--profile-json", "FILE", profile_.summary,
                 "what devices cost, and what the numbers are, as JSON");
    options.text("--forward", "PORT:PORT", forward_,
                 "with --nic or --network: a port of 127.0.0.1 here, and the guest's it leads to");
    options.texts("--module", "NAME", request_.modules, "load a module of the kernel's, too");
    options.command(request_.command);
}

Result<guest::BoxRequest> GuestRun::request() const {
    guest::BoxRequest request = request_;
    request.shared = guest_options_.shared;
    if (!request.kind.empty() && !guest_options_.shared_variables.empty()) {
        return base::fail(ErrorCode::bad_input, "this box has an environment of its own",
                          "set a variable in it with --env NAME=VALUE");
    }
    if (request.kind.empty()) {
        auto embedded = places::embedded_guest(guest_options_, print_guest_progress);
        if (!embedded) return embedded.error();
        request.kind = embedded->kind;
        request.share_root = true;
        request.directory = embedded->directory;
        request.environment.insert(request.environment.begin(), embedded->environment.begin(),
                                   embedded->environment.end());
    }
    const auto transfers = [](const std::vector<std::string>& texts,
                              std::vector<guest::Transfer>& target) -> Result<void> {
        auto parsed = parse_transfers(texts);
        if (!parsed) return parsed.error();
        target = std::move(*parsed);
        return {};
    };
    if (auto done = transfers(put_, request.put); !done) return done.error();
    if (auto done = transfers(get_, request.get); !done) return done.error();
    if (auto done = transfers(host_put_, request.host_put); !done) return done.error();
    if (auto done = transfers(host_get_, request.host_get); !done) return done.error();
    request.no_icount = icount_ == "off";
    if (icount_ && !request.no_icount) {
        request.icount = 0;
        auto done = parse_count("--icount", *icount_, 0, 10, request.icount);
        if (!done) return done.error();
    }
    if (auto done = parse_count("--smp", smp_, 1, 64, request.smp); !done) return done.error();
    if (auto done = parse_count("--inner-smp", inner_smp_, 1, 64, request.inner_smp); !done) {
        return done.error();
    }
    if (auto done = parse_count("--memory", memory_, 128, 1 << 20, request.memory_mb); !done) {
        return done.error();
    }
    std::optional<int> get_limit_mb;
    if (auto done = parse_count("--get-limit", get_limit_, 1, 1 << 20, get_limit_mb); !done) {
        return done.error();
    }
    if (get_limit_mb) request.most_file_bytes = static_cast<std::uint64_t>(*get_limit_mb) << 20;
    std::optional<int> device_work;
    if (auto done = parse_count("--device-work", device_work_, 0, 1'000'000, device_work); !done) {
        return done.error();
    }
    request.hypervisor.device_work = static_cast<std::uint64_t>(device_work.value_or(0));
    if (!cpu_.empty()) request.cpu = cpu_;
    if (const auto plugin = measure::find_soft_plugin()) request.soft_pmu.plugin = *plugin;
    for (const auto what : base::split(soft_count_, ',')) {
        if (what.empty()) continue;
        if (what != "memory" && what != "predictor" && what != "caches") {
            return base::fail(
                ErrorCode::bad_input,
                fmt::format("--soft-count knows memory, predictor, caches, not {}", what));
        }
        request.soft_pmu.options.push_back(fmt::format("{}=on", what));
    }
    if (auto done = parse_forward(forward_, request.forward); !done) return done.error();
    request.hypervisor.policy = policy_;
    for (const auto event : base::split(host_events_, ',')) {
        if (!event.empty()) request.hypervisor.host_events.emplace_back(event);
    }
    if (!nic_.empty()) request.nic = nic_;
    if (!beside_.empty()) {
        request.host_put.push_back({beside_, "/ringside/beside-program"});
        request.beside = {"/ringside/beside-program"};
    }
    if (!(timeout_s_ >= 1 && timeout_s_ <= 86400)) {
        return base::fail(ErrorCode::bad_input, "--timeout requires 1 to 86400 seconds");
    }
    request.timeout = std::chrono::seconds(static_cast<long>(timeout_s_));
    request.progress = print_guest_progress;
    return request;
}

Outcome GuestRun::run() {
    auto box = request();
    if (!box) return box.error();
    if (profile_.file.empty()) return boot_and_run(std::move(*box));
    auto profiling = GuestProfiling::make(profile_);
    if (!profiling) return profiling.error();
    return boot_and_run(std::move(*box), &*profiling);
}

class GuestShell : public Verb {
  public:
    std::string name() const override { return "guest shell"; }
    std::string summary() const override { return "boot a machine and work in it; exit ends it"; }
    std::string examples() const override {
        return "  ringside guest shell             a guest with the files of this machine\n"
               "  ringside guest shell arm64-pmu   a test VM, with busybox and perf\n";
    }
    void declare(Options& options) override {
        options.operand("KIND", kind_, "`ringside guest list` has them [the embedded guest]",
                        false);
        options.number("--memory", "MB", guest_options_.memory_mb, "of the embedded guest [2048]");
        options.number("--cpus", "N", guest_options_.cpus,
                       "of the embedded guest [as many as here]");
        options.flag("--network", network_, "with the network of this machine");
        declare_sharing(options, guest_options_);
        options.texts("--with-build", "DIR", guest_options_.builds,
                      "put DIR/ringside into the box if it is for its architecture");
    }
    Outcome run() override;

  private:
    std::string kind_;
    bool network_ = false;
    places::GuestOptions guest_options_;
};

Outcome GuestShell::run() {
    auto box = kind_.empty() ? places::embedded_guest(guest_options_, print_guest_progress)
                             : Result<guest::BoxRequest>(guest::BoxRequest());
    if (!box) return box.error();
    if (!kind_.empty()) {
        box->kind = kind_;
        box->shared = guest_options_.shared;
    }
    const char* shell = std::getenv("SHELL");
    box->command = {box->share_root && shell != nullptr ? shell : "/bin/sh"};
    box->terminal = true;
    box->network = network_;
    box->builds = guest_options_.builds;
    box->timeout = std::chrono::hours(24 * 365);
    box->progress = print_guest_progress;
    return boot_and_run(std::move(*box));
}

}  // namespace

void add_guest_verbs(Verbs& verbs) {
    verbs.push_back(std::make_unique<GuestRun>());
    verbs.push_back(std::make_unique<GuestShell>());
}

}  // namespace ringside::cli
