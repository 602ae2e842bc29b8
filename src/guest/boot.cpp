#include "guest/boot.h"

#include <algorithm>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/process.h"
#include "base/text.h"
#include "guest/bounded_log.h"

namespace ringside::guest {

namespace {

constexpr std::size_t shown_lines = 12;

std::string last_lines(const fs::path& file) {
    const auto text = read_file(file).value_or("");
    auto lines = base::split_lines(base::trim_end(text));
    if (lines.size() > shown_lines) lines.erase(lines.begin(), lines.end() - shown_lines);
    std::string shown;
    for (const auto line : lines) shown += fmt::format("\n  | {}", base::trim_end(line));
    return shown;
}

// What a kernel said when it gave up, which a long trace may have moved out of the last lines.
std::string last_words(const fs::path& directory) {
    for (const auto* console : {"inner.console", "console"}) {
        const auto text = read_file(directory / console).value_or("");
        const auto begin = text.find("Kernel panic");
        if (begin == std::string::npos) continue;
        const auto line = std::string_view(text).substr(begin, text.find('\n', begin) - begin);
        return fmt::format(": {}", base::trim_end(line));
    }
    return "";
}

std::string describe_phase(std::string_view machine, const Report& report) {
    if (report.phase.empty()) return fmt::format("while the kernel of {} booted", machine);
    if (report.phase == "init") return fmt::format("in the init script of {}", machine);
    if (report.phase == "beside")
        return fmt::format("waiting for {} to be ready", "the beside command");
    if (report.phase == "command") return fmt::format("while the command ran in {}", machine);
    return fmt::format("after the command, while {} was shut down", machine);
}

// In the innermost machine that had a part in it.
std::string where(const BootRequest& request, const BootEnd& end) {
    const bool has_inner = !request.spec.kind.inner.empty() &&
                           std::any_of(request.ports.begin(), request.ports.end(),
                                       [](const auto& port) { return port.name == "inner.out"; });
    if (has_inner && end.outer.phase == "command")
        return describe_phase("the inner guest", end.inner);
    return describe_phase(request.spec.kind.name, end.outer);
}

Result<BootEnd> judge(const BootRequest& request, RelayEnd relay_end, BootEnd end) {
    const std::string& name = request.spec.kind.name;
    if (relay_end == RelayEnd::cancelled) {
        return base::fail(ErrorCode::interrupted, name + " was stopped " + where(request, end));
    }
    if (relay_end == RelayEnd::timed_out) {
        return base::fail(ErrorCode::timed_out,
                          fmt::format("{} hung and was killed after {} s {}{}", name,
                                      request.limit.count() / 1000, where(request, end),
                                      last_log_lines(request.directory)),
                          "allow more time with --timeout if it was only slow; what it waited for "
                          "a CPU is not counted");
    }
    if (relay_end == RelayEnd::sent_too_much) {
        return base::fail(ErrorCode::bad_input,
                          fmt::format("{} was killed: it sent more files than it may ({} bytes)",
                                      name, request.most_file_bytes),
                          "allow more with --get-limit");
    }
    if (!end.outer.lacking.empty() || !end.inner.lacking.empty()) {
        const bool inner = end.outer.lacking.empty();
        return base::fail(ErrorCode::unsupported,
                          fmt::format("{} lacks what its kind promises: {}{}",
                                      inner ? "the inner guest of " + name : name,
                                      inner ? end.inner.lacking : end.outer.lacking,
                                      last_log_lines(request.directory)));
    }
    if (end.outer.phase != "done") {
        return base::fail(ErrorCode::io, fmt::format("{} ended {}{}{}", name, where(request, end),
                                                     last_words(request.directory),
                                                     last_log_lines(request.directory)));
    }
    return end;
}

// A file of that name in `directory`, filled through a pipe, so that a machine cannot fill the
// disk.
Result<Stream> log_stream(const fs::path& directory, const std::string& name, base::Fd& write_end) {
    auto made = BoundedLog::make(directory / name);
    if (!made) return made.error();
    const auto log = std::make_shared<BoundedLog>(std::move(*made));
    return make_stream([log](std::string_view bytes) { log->write(bytes); }, write_end);
}

// What a machine says, and our ends of its pipes until it has them.
struct Streams {
    std::vector<Stream> streams;
    std::vector<base::Fd> lent;
};

void lend(MachineSpec& spec, Streams& to, base::Fd fd, const fs::path& as) {
    spec.lent_fds.push_back({fd.get(), as.string()});
    to.lent.push_back(std::move(fd));
}

Result<Streams> make_streams(BootRequest& request) {
    Streams made;
    if (request.kernel_port != nullptr) {
        made.streams.push_back(request.kernel_port->stream());
        request.spec.ports.push_back(request.kernel_port->port());
        request.kept_fds.push_back(request.kernel_port->port().socket);
    }
    base::Fd end;
    for (const auto& port : request.ports) {
        auto stream = make_stream(port.sink, end, port.most_bytes);
        if (!stream) return stream.error();
        made.streams.push_back(std::move(*stream));
        request.spec.ports.push_back({port.name, lent_pipe(end.get())});
        lend(request.spec, made, std::move(end), request.directory / ("port." + port.name));
    }
    auto console = log_stream(request.directory, "console", end);
    if (!console) return console.error();
    made.streams.push_back(std::move(*console));
    request.spec.console = lent_pipe(end.get());
    lend(request.spec, made, std::move(end), request.directory / "console");
    return made;
}

Result<base::Child> start(const BootRequest& request, int log_fd) {
    const base::Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    base::SpawnOptions options;
    // Only the group in the foreground may read a terminal.
    options.own_group = !request.spec.terminal;
    options.stdin_fd = request.spec.terminal ? -1 : nothing.get();
    options.stdout_fd = request.spec.terminal ? -1 : log_fd;
    options.stderr_fd = log_fd;
    options.kept_fds = request.kept_fds;
    for (const int fd : request.rights.fds()) options.kept_fds.push_back(fd);
    for (const auto& lent : request.spec.lent_fds) options.kept_fds.push_back(lent.fd);
    options.clean_env = true;
    options.extra_env = {"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"};
    options.confinement = request.rights.confinement();
    return base::spawn(qemu_arguments(request.spec), options);
}

}  // namespace

std::string last_log_lines(const fs::path& directory) {
    std::string text;
    for (const auto* log : {"console", "inner.console", "inner.qemu", "qemu"}) {
        const auto lines = last_lines(directory / log);
        if (!lines.empty()) text += fmt::format("\nlast lines of {}:{}", log, lines);
    }
    return text;
}

void Report::take_line(std::string_view line) {
    const auto words = base::split_words(line);
    if (words.empty()) return;
    const auto number = words.size() > 1 ? base::parse_u64(words[1]) : std::nullopt;
    const auto code = number ? std::optional(static_cast<int>(*number & 0xff)) : std::nullopt;
    if (words[0] == "beside-exit") {
        beside_exit_code = code;
        return;
    }
    if (words[0] == "exit") exit_code = code;
    if (words[0] == "lacking") lacking = base::trim(line.substr(words[0].size()));
    phase = words[0];
}

Result<BootEnd> boot(BootRequest request) {
    BootEnd end;
    pid_t qemu = 0;
    LineSplitter outer([&](std::string_view line) {
        end.outer.take_line(line);
        if (end.outer.phase == "command") request.started(qemu);
        if (end.outer.phase == "exit") request.ended();
    });
    LineSplitter inner([&](std::string_view line) { end.inner.take_line(line); });
    // The init script takes "status" as the sign that all ports are there: it is the last.
    request.ports.push_back({"inner.status", [&](std::string_view bytes) { inner(bytes); }});
    request.ports.push_back({"status", [&](std::string_view bytes) { outer(bytes); }});

    auto streams = make_streams(request);
    if (!streams) return streams.error();
    base::Fd log_end;
    auto log = log_stream(request.directory, "qemu", log_end);
    if (!log) return log.error();
    streams->streams.push_back(std::move(*log));
    auto machine = start(request, log_end.get());
    if (!machine) return machine.error();
    streams->lent.clear();
    log_end.reset();
    if (request.kernel_port != nullptr) request.kernel_port->hand_over();
    qemu = machine->pid();
    const RelayEnd relay_end = relay(streams->streams, *machine, request.limit, request.cancel_fd);
    return judge(request, relay_end, std::move(end));
}

}  // namespace ringside::guest
