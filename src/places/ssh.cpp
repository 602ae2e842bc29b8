#include "places/ssh.h"

#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scratch_dir.h"
#include "base/text.h"
#include "guest/files.h"
#include "incoming/archive.h"
#include "incoming/landing.h"
#include "incoming/tar.h"
#include "measure/soft_counters.h"
#include "measure/version.h"
#include "run/folder.h"

namespace ringside::places {

namespace {

namespace fs = std::filesystem;
using base::fail;

constexpr int ssh_failed = 255;

// What a command at the other end reads and writes; -1 is ours, or for input nothing. A file that
// it writes to grows no larger than `most_bytes`, whatever is at the other end.
struct Streams {
    int in = -1;
    int out = -1;
    std::uint64_t most_bytes = std::uint64_t{64} << 10;
};

// A connection of its own for each command: what is left at the other end is removed by one, too.
class Remote {
  public:
    Remote(std::string host, const StopSignals& stop) : host_(std::move(host)), stop_(stop) {}

    // `command` is a line for the shell there. The exit code is its own.
    Result<int> run(const std::string& command, Streams streams = {}) const {
        const base::Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        base::SpawnOptions options;
        options.stdin_fd = streams.in >= 0 ? streams.in : nothing.get();
        options.stdout_fd = streams.out;
        if (streams.out >= 0) options.most_file_bytes = streams.most_bytes;
        auto child = base::spawn(
            {"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "--", host_, command},
            options);
        if (!child) return child.error();
        const auto status = measure::await_child(*child, stop_);
        if (!status) return status.error();
        if (status->shell_code() == ssh_failed) {
            return fail(ErrorCode::io, "ssh to " + host_ + " failed",
                        "it must work without a password: ssh " + host_ + " true");
        }
        return status->shell_code();
    }

    // The first line it prints.
    Result<std::string> ask(const std::string& command) const {
        auto file = base::ScratchDir::make("ringside-ssh");
        if (!file) return file.error();
        const fs::path path = file->path() / "answer";
        const base::Fd out(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        const auto code = run(command, {-1, out.get()});
        if (!code) return code.error();
        if (*code != 0) return fail(ErrorCode::not_found, "no answer to " + command);
        const auto answer = guest::read_file(path);
        if (!answer) return answer.error();
        const auto lines = base::split_lines(*answer);
        return lines.empty() ? std::string() : std::string(base::trim(lines.front()));
    }

    const std::string& host() const { return host_; }

  private:
    std::string host_;
    const StopSignals& stop_;
};

bool is_ours(const Remote& remote, const std::string& program) {
    const auto answer = remote.ask(quoted_for_shell({program, "--version"}) + " 2>/dev/null");
    return answer && *answer == fmt::format("ringside {}", measure::version);
}

// To a file at the other end, which is made anew.
Result<bool> copy_file(const Remote& remote, const std::string& from, const fs::path& to) {
    const base::Fd file(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return base::fail_errno(errno, "cannot read " + from);
    const auto code = remote.run(
        fmt::format("mkdir -p {0} && cat > {1} && chmod 755 {1}",
                    quoted_for_shell({to.parent_path().string()}), quoted_for_shell({to.string()})),
        {file.get(), -1});
    if (!code) return code.error();
    return *code == 0;
}

constexpr const char* installed = "ringside";

// The ringside there, or a copy of this one.
Result<std::string> find_ringside(const Remote& remote, const ProgressFn& say) {
    if (is_ours(remote, installed)) return std::string(installed);
    const auto home = remote.ask("cd && pwd");
    if (!home) return home.error();
    const std::string copy =
        fmt::format("{}/.cache/ringside/bin/ringside-{}", *home, measure::version);
    if (is_ours(remote, copy)) return copy;
    say(fmt::format("copying ringside to {}", remote.host()));
    const auto copied = copy_file(remote, "/proc/self/exe", copy);
    if (!copied) return copied.error();
    if (*copied && is_ours(remote, copy)) return copy;
    return fail(ErrorCode::unsupported, "our program does not run on " + remote.host(),
                "install the same version of ringside there");
}

// Beside a copied ringside, where that looks for it; where it cannot be put, that will be the
// reason why nothing was counted.
Result<void> put_soft_plugin(const Remote& remote, const fs::path& ringside) {
    const auto plugin = measure::find_soft_plugin();
    if (!plugin) return plugin.error();
    const auto place = ringside.parent_path() / "softpmu" / fs::path(*plugin).filename();
    const auto copied = copy_file(remote, *plugin, place);
    if (!copied) return copied.error();
    return {};
}

// Removes a folder at the other end, however we leave.
class RemoteFolder {
  public:
    RemoteFolder(const Remote& remote, std::string path)
        : remote_(remote), path_(std::move(path)) {}
    RemoteFolder(const RemoteFolder&) = delete;
    RemoteFolder& operator=(const RemoteFolder&) = delete;
    ~RemoteFolder() {
        [[maybe_unused]] const auto done = remote_.run("rm -rf " + quoted_for_shell({path_}));
    }
    const std::string& path() const { return path_; }

  private:
    const Remote& remote_;
    std::string path_;
};

// Where a file of the run that a remote folder holds belongs in a side's folder, as run `number`;
// empty if nowhere.
std::string place_in_side(std::string_view name, int number) {
    constexpr std::string_view run = "run/1";
    if (name == "run/side.json") return "side.json";
    if (name != run && !name.starts_with(std::string(run) + '/')) return "";
    return std::to_string(number) + std::string(name.substr(run.size()));
}

Result<void> unpack_run(const fs::path& file, const Remote& remote, const fs::path& landing_folder,
                        int number) {
    const auto archive = incoming::Archive::open(file);
    if (!archive) return archive.error();
    auto landing = incoming::Landing::in(landing_folder, remote.host());
    if (!landing) return landing.error();
    incoming::TarReader entries(archive->bytes());
    while (true) {
        auto entry = entries.next();
        if (!entry) {
            return fail(entry.error().code, remote.host() + " sent a " + entry.error().what);
        }
        if (!entry->has_value()) return {};
        (*entry)->name = place_in_side((*entry)->name, number);
        if ((*entry)->name.empty()) continue;
        if (auto landed = landing->take(**entry); !landed) return landed;
    }
}

// A run is there when all of it is.
Result<void> adopt_run(const fs::path& landed, const fs::path& folder, int number) {
    std::error_code error;
    for (const auto& name : {std::to_string(number), std::string(run::side_file)}) {
        if (!error) fs::rename(landed / name, folder / name, error);
    }
    if (error) return fail(ErrorCode::io, "no run came: " + error.message());
    run::PlaceFacts facts;
    facts.runs = number;
    return run::write_place(folder.string(), facts);
}

// The run below `from` at the other end becomes number `number` of the side here.
Result<void> bring_run(const Remote& remote, const std::string& from, const fs::path& folder,
                       int number) {
    const auto here = base::ScratchDir::make("ringside-ssh");
    if (!here) return here.error();
    const fs::path archive = here->path() / "archive.tar";
    const base::Fd out(::open(archive.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!out) return base::fail_errno(errno, "cannot create " + archive.string());
    const auto code = remote.run(quoted_for_shell({"tar", "-C", from, "-cf", "-", "run"}),
                                 {-1, out.get(), incoming::Limits().bytes});
    if (!code) return code.error();
    if (*code == 128 + SIGXFSZ) {
        return fail(ErrorCode::bad_input, fmt::format("{} sent more than {} bytes", remote.host(),
                                                      incoming::Limits().bytes));
    }
    if (*code != 0) return fail(ErrorCode::io, "nothing was measured on " + remote.host());
    const fs::path landed = folder / ".landing";
    std::error_code error;
    fs::create_directories(landed, error);
    auto done = unpack_run(archive, remote, landed, number);
    if (done) done = adopt_run(landed, folder, number);
    fs::remove_all(landed, error);
    return done;
}

// Run by run, each brought here at once: if the connection breaks, the finished ones are kept.
class Ssh final : public Place {
  public:
    Ssh(const PlaceAddress& address, const PlaceOptions& options, const StopSignals& stop)
        : Place(address.name), remote_(address.where, stop), options_(options) {}

    Outcome run(const Plan& plan, const std::string& folder) override;

  private:
    Outcome run_once(const std::string& program, const Plan& plan, const std::string& folder,
                     int number) const;

    Remote remote_;
    PlaceOptions options_;
};

Outcome Ssh::run_once(const std::string& program, const Plan& plan, const std::string& folder,
                      int number) const {
    const auto made = remote_.ask("mktemp -d");
    if (!made) return made.error();
    const RemoteFolder there(remote_, *made);
    const auto words =
        measure_words(program, there.path() + "/run", name(), run::SideKind::ssh, plan);
    const auto code = remote_.run(quoted_for_shell(words));
    if (!code) return code.error();
    if (auto brought = bring_run(remote_, there.path(), folder, number); !brought) {
        return Outcome(*code == 0 ? base::exit_failure : *code, brought.error());
    }
    return *code;
}

Outcome Ssh::run(const Plan& plan, const std::string& folder) {
    const auto program = find_ringside(remote_, options_.progress);
    if (!program) return program.error();
    if (plan.wants_soft() && *program != installed) {
        if (auto put = put_soft_plugin(remote_, *program); !put) return put.error();
    }
    Plan one = plan;
    one.runs = 1;
    int exit_code = 0;
    for (int i = 1; i <= static_cast<int>(plan.runs); ++i) {
        if (i > 1) {
            one.soft = false;
            one.soft_events.clear();
            one.soft_sample.clear();
        }
        Outcome outcome = run_once(*program, one, folder, i);
        if (outcome.error) return outcome;
        if (exit_code == 0) exit_code = outcome.exit_code;
        options_.progress(fmt::format("{}: run {} of {} is here", name(), i, plan.runs));
    }
    return exit_code;
}

}  // namespace

std::unique_ptr<Place> make_ssh(const PlaceAddress& address, const PlaceOptions& options,
                                const StopSignals& stop) {
    return std::make_unique<Ssh>(address, options, stop);
}

}  // namespace ringside::places
