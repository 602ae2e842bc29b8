#include "guest/box.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_io.h"
#include "base/scratch_dir.h"
#include "guest/accelerator.h"
#include "guest/boot.h"
#include "guest/bounded_log.h"
#include "guest/run_layer.h"
#include "guest/shared_files.h"
#include "incoming/archive.h"

namespace ringside::guest {

namespace {

Sink to_fd(int fd) {
    return [fd](std::string_view bytes) {
        // Nobody may be listening any more; the command in the box goes on all the same.
        [[maybe_unused]] const auto written = base::write_all(fd, bytes, "output");
    };
}

// What cannot be written, on a full disk, is missed when the archives are read.
Result<Sink> to_file(const fs::path& path) {
    const auto fd = std::make_shared<base::Fd>(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!*fd) return base::fail_errno(errno, "cannot create " + path.string());
    return Sink([fd](std::string_view bytes) {
        [[maybe_unused]] const auto written = base::write_all(fd->get(), bytes, "files");
    });
}

Result<Sink> to_log(const fs::path& path) {
    auto made = BoundedLog::make(path);
    if (!made) return made.error();
    const auto log = std::make_shared<BoundedLog>(std::move(*made));
    return Sink([log](std::string_view bytes) { log->write(bytes); });
}

Sink with_prefix(const std::string& prefix, const Sink& sink) {
    auto lines = std::make_shared<LineSplitter>(
        [prefix, sink](std::string_view line) { sink(fmt::format("{}{}\n", prefix, line)); });
    return [lines](std::string_view bytes) { (*lines)(bytes); };
}

// The size of our terminal, in the words of stty.
std::string terminal_settings() {
    winsize size{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
    return known ? fmt::format("rows {} cols {}", size.ws_row, size.ws_col) : "sane";
}

// Puts our terminal back as it was: a QEMU that was killed did not.
class TerminalKeeper {
  public:
    TerminalKeeper() : known_(::tcgetattr(STDIN_FILENO, &settings_) == 0) {}
    TerminalKeeper(const TerminalKeeper&) = delete;
    TerminalKeeper& operator=(const TerminalKeeper&) = delete;
    ~TerminalKeeper() {
        if (known_) ::tcsetattr(STDIN_FILENO, TCSANOW, &settings_);
    }

  private:
    termios settings_{};
    bool known_;
};

Result<Kind> find_kind(std::string_view name) {
    const auto& table = KindTable::built_in();
    if (const Kind* kind = table.find(name)) return *kind;
    std::string known;
    for (const Kind* kind : table.bootable()) known += " " + kind->name;
    return base::fail(ErrorCode::bad_input, fmt::format("no kind of machine is called '{}'", name),
                      "the kinds are:" + known);
}

Result<void> concatenate(const fs::path& base_layer, std::string_view more, const fs::path& to) {
    const base::Fd fd(::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!fd) return base::fail_errno(errno, "cannot create " + to.string());
    if (auto done = append_file(base_layer, fd); !done) return done;
    // For QEMU's user. Others do not reach it: the folder around it is ours alone.
    if (::fchmod(fd.get(), 0444) != 0) return base::fail_errno(errno, "cannot lend " + to.string());
    return base::write_all(fd.get(), more, to.string());
}

// One run of a box: what is decided on the way from request to outcome.
class BoxRun {
  public:
    BoxRun(const BoxRequest& request, fs::path cache, fs::path directory)
        : request_(request), cache_(std::move(cache)), directory_(std::move(directory)) {}

    Result<BoxOutcome> run();

  private:
    Result<void> check() const;
    Result<void> choose_kind();
    Result<void> plan_inner(RunContent& host_content);
    std::vector<std::string> inner_command(const Kind& kind) const;
    std::vector<std::string> promised() const;
    Result<void> write_initrd();
    Result<BootRequest> boot_request();
    Result<void> plan_rights(BootRequest& boot) const;
    Result<void> plan_hypervisor_of(MachineSpec& spec) const;
    Result<void> lend_files(BootRequest& boot) const;
    Result<std::vector<PortUse>> ports() const;
    Result<BoxOutcome> conclude(const BootEnd& end);
    Result<void> bring_back(const char* file, const std::vector<Transfer>& wanted);

    const BoxRequest& request_;
    fs::path cache_;
    fs::path directory_;
    Kind kind_;
    Image image_;
    Layer inner_files_;
    std::optional<SoftPmu> soft_pmu_;
    std::optional<KernelPort> kernel_port_;
    BoxOutcome outcome_;
};

Result<void> BoxRun::check() const {
    if (request_.command.empty()) return base::fail(ErrorCode::bad_input, "no command to run");
    if (request_.inner && kind_.inner.empty()) {
        return base::fail(ErrorCode::bad_input, kind_.name + " has no inner guest");
    }
    const HypervisorWish& wish = request_.hypervisor;
    const bool about_hypervisor = !wish.policy.empty() || wish.direct ||
                                  !wish.host_events.empty() || !wish.neighbours.empty() ||
                                  wish.traps_devices || wish.device_work != 0;
    if (about_hypervisor && !kind_.on_hypervisor) {
        return base::fail(ErrorCode::bad_input, kind_.name + " does not run on our hypervisor",
                          "arm64-hyp does");
    }
    if (wish.device_work != 0 && !wish.traps_devices) {
        return base::fail(ErrorCode::bad_input, "work on devices needs that they trap",
                          "add --trap-devices");
    }
    if ((request_.network || request_.terminal) && request_.inner) {
        return base::fail(ErrorCode::unsupported, "an inner guest has no network and no terminal");
    }
    if (request_.network && request_.nic) {
        return base::fail(ErrorCode::bad_input, "one network interface, closed or open");
    }
    const SoftPmuWish& soft = request_.soft_pmu;
    const bool about_soft = !soft.options.empty() || !soft.counts.empty() || soft.profile;
    if (about_soft && !kind_.soft_pmu) {
        return base::fail(ErrorCode::bad_input, kind_.name + " has no soft PMU",
                          "x86-soft and arm64-soft have one");
    }
    if (request_.share_root && (request_.inner || kind_.arch != native_arch())) {
        return base::fail(ErrorCode::unsupported,
                          kind_.name + " cannot run the programs of this machine",
                          "it is of another architecture, or a guest of a guest");
    }
    if (!request_.share_root && !request_.shared.empty()) {
        return base::fail(ErrorCode::bad_input, "this box sees no files of this machine",
                          "let it with --share-root");
    }
    if (request_.forward && (request_.inner || kind_.nic.empty())) {
        return base::fail(ErrorCode::bad_input,
                          "a port is forwarded through a network interface of the box",
                          "give it one with --nic or --network");
    }
    const bool about_host = !request_.beside.empty() || !request_.host_put.empty() ||
                            !request_.host_get.empty() || request_.inner_smp || request_.inner_pin;
    if (about_host && !request_.inner) {
        return base::fail(ErrorCode::bad_input, "options about host and inner guest need --inner");
    }
    return {};
}

Result<void> BoxRun::choose_kind() {
    auto kind = find_kind(request_.kind);
    if (!kind) return kind.error();
    kind_ = std::move(*kind);
    if (request_.cpu) kind_.cpu = *request_.cpu;
    if (request_.icount) kind_.icount = request_.icount;
    if (request_.no_icount) kind_.icount.reset();
    if (request_.smp) kind_.smp = *request_.smp;
    if (request_.memory_mb) kind_.memory_mb = *request_.memory_mb;
    if (request_.nic && !request_.inner) {
        if (auto added = add_nic(kind_, *request_.nic); !added) return added;
    }
    kind_.forward = request_.forward;
    kind_.modules.insert(kind_.modules.end(), request_.modules.begin(), request_.modules.end());
    // What a kernel says of its addresses must be true in the memory that is looked at.
    if (request_.soft_pmu.profile) kind_.append += " nokaslr";
    if (request_.network) {
        kind_.network = true;
        if (auto added = add_nic(kind_, "virtio-net-pci"); !added) return added;
    }
    return check();
}

std::vector<std::string> BoxRun::inner_command(const Kind& kind) const {
    MachineSpec spec;
    spec.kind = kind;
    if (request_.inner_smp) spec.kind.smp = *request_.inner_smp;
    spec.kernel = "/ringside/inner/kernel";
    spec.initrd = "/ringside/inner/initrd";
    spec.console = "/run/ringside/port/inner.console";
    for (const auto* name : {"out", "err", "files", "status"}) {
        spec.ports.push_back({name, fmt::format("/run/ringside/port/inner.{}", name), ""});
    }
    spec.ports.back().copy_path = "/run/ringside/inner.status";
    auto command = qemu_arguments(spec);
    if (request_.inner_pin) command.insert(command.begin(), {"taskset", "-c", "0"});
    return command;
}

// The box's own command becomes the QEMU that is the inner guest.
Result<void> BoxRun::plan_inner(RunContent& host_content) {
    Kind kind = *KindTable::built_in().find(kind_.inner);
    if (request_.nic) {
        if (auto added = add_nic(kind, *request_.nic); !added) return added;
    }
    auto image = provide_image(cache_, kind, request_.progress);
    if (!image) return image.error();
    RunContent content{request_.command, request_.environment, {},
                       request_.put,     request_.get,         request_.builds};
    auto run = make_run_layer(cache_, kind, content);
    if (!run) return run.error();
    outcome_.has_ringside = run->has_ringside;
    auto initrd = read_file(image->initrd);
    if (!initrd) return initrd.error();
    *initrd += run->layer.to_cpio();
    inner_files_.add_file("ringside/inner/initrd", std::move(*initrd));
    if (auto added = inner_files_.add_tree(image->kernel, "ringside/inner/kernel"); !added) {
        return added;
    }
    host_content.command = inner_command(kind);
    return {};
}

// What the command relies on, and a machine that boots may lack all the same.
std::vector<std::string> BoxRun::promised() const {
    std::vector<std::string> paths;
    if (kind_.soft_pmu && !request_.soft_pmu.profile) {
        paths = {"/dev/ringside_soft", "/sys/bus/event_source/devices/ringside_soft"};
    }
    if (!kind_.inner.empty()) paths.emplace_back("/dev/kvm");
    if (!kind_.nic.empty()) paths.emplace_back("/sys/class/net/eth0");
    return paths;
}

Result<void> BoxRun::write_initrd() {
    RunContent content{request_.command, request_.environment, request_.beside,
                       request_.put,     request_.get,         request_.builds};
    content.share_root = request_.share_root;
    content.directory = request_.directory;
    content.network = request_.network;
    content.promised = promised();
    content.profiled = request_.soft_pmu.profile.has_value();
    if (request_.terminal) content.terminal = terminal_settings();
    if (request_.inner) {
        content.environment.clear();
        content.put = request_.host_put;
        content.get = request_.host_get;
        if (auto planned = plan_inner(content); !planned) return planned;
    }
    auto run = make_run_layer(cache_, kind_, content);
    if (!run) return run.error();
    if (!request_.inner) outcome_.has_ringside = run->has_ringside;
    std::string layers = run->layer.to_cpio();
    if (request_.inner) layers += inner_files_.to_cpio();
    return concatenate(image_.initrd, layers, directory_ / "initrd");
}

Result<std::vector<PortUse>> BoxRun::ports() const {
    const Sink out = to_fd(request_.stdout_fd);
    const Sink err = to_fd(request_.stderr_fd);
    auto files = to_file(directory_ / "files");
    if (!files) return files.error();
    if (!request_.inner) {
        return std::vector<PortUse>{
            {"out", out}, {"err", err}, {"files", *files, request_.most_file_bytes}};
    }
    auto host_files = to_file(directory_ / "host.files");
    if (!host_files) return host_files.error();
    auto vmm = to_log(directory_ / "inner.qemu");
    if (!vmm) return vmm.error();
    auto console = to_log(directory_ / "inner.console");
    if (!console) return console.error();
    return std::vector<PortUse>{{"inner.out", out},
                                {"inner.err", err},
                                {"inner.files", *files, request_.most_file_bytes},
                                {"inner.console", *console},
                                {"out", *vmm},
                                {"err", *vmm},
                                {"beside.out", with_prefix("host: ", err)},
                                {"beside.err", with_prefix("host: ", err)},
                                {"files", *host_files, request_.most_file_bytes}};
}

Result<void> BoxRun::plan_hypervisor_of(MachineSpec& spec) const {
    if (!kind_.on_hypervisor) return {};
    const auto image = find_hypervisor(request_.builds);
    if (!image) {
        return base::fail(ErrorCode::not_found, "no hypervisor for " + kind_.name,
                          std::string(how_to_build_for_boxes));
    }
    auto plan =
        plan_hypervisor(kind_, *image, request_.hypervisor, image_.kernel, directory_ / "initrd");
    if (!plan) return plan.error();
    spec.manifest = (directory_ / "manifest").string();
    if (auto written = write_file(spec.manifest, plan->manifest + '\0'); !written) return written;
    spec.hypervisor = std::move(*plan);
    return {};
}

Result<void> BoxRun::plan_rights(BootRequest& boot) const {
    RightsWish wish;
    if (outcome_.accelerator == "kvm") wish.kvm = kvm_device;
    wish.reads_own_maps = request_.soft_pmu.profile.has_value();
    if (request_.share_root) {
        wish.shared = shared_files({request_.command, request_.directory, request_.shared},
                                   Homes::of_this_machine());
    }
    auto rights = Rights::make(boot.spec.kind.qemu, wish);
    if (!rights) return rights.error();
    boot.rights = std::move(*rights);
    return {};
}

// What it is booted with. QEMU cannot reach our cache and our folder by their paths.
Result<void> BoxRun::lend_files(BootRequest& boot) const {
    const auto lend = [&](std::string& path) -> Result<void> {
        auto lent = boot.rights.lend(path, directory_);
        if (!lent) return lent.error();
        path = std::move(*lent);
        return {};
    };
    MachineSpec& spec = boot.spec;
    if (!spec.hypervisor) {
        if (auto done = lend(spec.kernel); !done) return done;
        return lend(spec.initrd);
    }
    if (auto done = lend(spec.hypervisor->image); !done) return done;
    for (auto& file : spec.hypervisor->files) {
        if (auto done = lend(file.path); !done) return done;
    }
    return lend(spec.manifest);
}

Result<BootRequest> BoxRun::boot_request() {
    BootRequest boot;
    boot.spec.kind = kind_;
    if (auto planned = plan_rights(boot); !planned) return planned.error();
    if (kind_.soft_pmu) {
        auto pmu = plan_soft_pmu(request_.soft_pmu, kind_, directory_, boot.rights);
        if (!pmu) return pmu.error();
        soft_pmu_ = std::move(*pmu);
        boot.spec.soft_pmu = soft_pmu_->arguments;
        if (soft_pmu_->device) boot.kept_fds = {soft_pmu_->device.get(), soft_pmu_->plugin.get()};
    }
    if (request_.soft_pmu.profile) {
        const ProfileWish& wish = *request_.soft_pmu.profile;
        auto port = KernelPort::make(wish.kernel_folder, wish.begins);
        if (!port) return port.error();
        kernel_port_ = std::move(*port);
        boot.kernel_port = &*kernel_port_;
    }
    if (outcome_.accelerator == "kvm" && !request_.cpu) boot.spec.kind.cpu = "host";
    boot.spec.accelerator = outcome_.accelerator;
    boot.spec.kernel = image_.kernel;
    boot.spec.initrd = directory_ / "initrd";
    boot.spec.share_root = request_.share_root;
    boot.spec.terminal = request_.terminal;
    boot.started = request_.started;
    boot.ended = request_.ended;
    if (auto planned = plan_hypervisor_of(boot.spec); !planned) return planned.error();
    if (auto lent = lend_files(boot); !lent) return lent.error();
    auto used = ports();
    if (!used) return used.error();
    boot.ports = std::move(*used);
    boot.most_file_bytes = request_.most_file_bytes;
    boot.directory = directory_;
    boot.limit = request_.timeout;
    boot.cancel_fd = request_.cancel_fd;
    return boot;
}

Result<void> BoxRun::bring_back(const char* file, const std::vector<Transfer>& wanted) {
    if (wanted.empty()) return {};
    const auto archives = incoming::Archive::open(directory_ / file);
    if (!archives) return archives.error();
    incoming::Limits limits;
    limits.bytes = request_.most_file_bytes;
    auto missing = retrieve(archives->bytes(), wanted, limits);
    if (!missing) return missing.error();
    for (auto& path : *missing) outcome_.missing.push_back(std::move(path));
    return {};
}

Result<BoxOutcome> BoxRun::conclude(const BootEnd& end) {
    const Report& report = request_.inner ? end.inner : end.outer;
    if (!report.exit_code) {
        return base::fail(ErrorCode::io, "the inner guest ended before its command did" +
                                             last_log_lines(directory_));
    }
    outcome_.exit_code = *report.exit_code;
    outcome_.beside_exit_code = end.outer.beside_exit_code;
    if (auto done = bring_back("files", request_.get); !done) return done.error();
    if (auto done = bring_back("host.files", request_.host_get); !done) return done.error();
    return std::move(outcome_);
}

Result<BoxOutcome> BoxRun::run() {
    if (auto chosen = choose_kind(); !chosen) return chosen.error();
    auto image = provide_image(cache_, kind_, request_.progress);
    if (!image) return image.error();
    image_ = std::move(*image);
    const auto accelerator = choose_accelerator(cache_, kind_, image_, request_.cancel_fd);
    if (!accelerator) return accelerator.error();
    outcome_.accelerator = accelerator->name;
    request_.progress(fmt::format("{} under {}: {}", kind_.name,
                                  accelerator->name == "kvm" ? "KVM" : "TCG", accelerator->reason));

    if (auto written = write_initrd(); !written) return written.error();
    auto request = boot_request();
    if (!request) return request.error();
    std::optional<TerminalKeeper> keeper;
    if (request_.terminal) keeper.emplace();
    const auto end = boot(std::move(*request));
    if (!request_.console_file.empty()) {
        const auto console = read_file(directory_ / "console");
        auto kept = base::replace_file(request_.console_file, console.value_or(""));
        if (!kept) return kept.error();
    }
    if (kind_.soft_pmu && !request_.soft_pmu.profile) {
        if (auto kept = keep_counts(request_.soft_pmu, directory_); !kept && end) {
            return kept.error();
        }
    }
    if (!end) return end.error();
    return conclude(*end);
}

}  // namespace

Result<void> prepare_box(std::string_view kind_name, const Progress& progress) {
    const auto cache = cache_directory();
    if (!cache) return cache.error();
    const auto kind = find_kind(kind_name);
    if (!kind) return kind.error();
    if (auto image = provide_image(*cache, *kind, progress); !image) return image.error();
    return kind->inner.empty() ? Result<void>() : prepare_box(kind->inner, progress);
}

Result<BoxOutcome> run_box(const BoxRequest& request) {
    auto cache = cache_directory();
    if (!cache) return cache.error();
    auto directory = base::ScratchDir::make("ringside-box");
    if (!directory) return directory.error();
    return BoxRun(request, std::move(*cache), directory->path()).run();
}

}  // namespace ringside::guest
