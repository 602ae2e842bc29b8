#include "perf/event_fd.h"

#include <array>
#include <cerrno>

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/own_calls.h"

namespace ringside::perf {

namespace {

perf_event_attr with_options(const model::Event& event, const OpenOptions& options) {
    perf_event_attr attr = attributes_of(event);
    attr.config1 |= options.config1_extra;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (options.group_read) attr.read_format |= PERF_FORMAT_GROUP;
    attr.pinned = options.pinned || event.pinned;
    attr.disabled = options.disabled;
    attr.inherit = options.inherit;
    attr.inherit_thread = options.inherit_thread;
    attr.enable_on_exec = options.enable_on_exec;
    attr.context_switch = options.switch_records;
    attr.task = options.task_records;
    attr.use_clockid = options.task_records;
    attr.clockid = options.task_records ? CLOCK_MONOTONIC : 0;
    attr.sample_period = options.sample_period;
    attr.sample_type = options.sample_type;
    attr.sample_id_all = options.sample_type != 0;
    attr.wakeup_events = options.wakes_each ? 1 : 0;
    return attr;
}

std::string hint_for(int sys_errno) {
    switch (sys_errno) {
        case EACCES:
        case EPERM:
            return "lower kernel.perf_event_paranoid, grant CAP_PERFMON, or count user mode only "
                   "(:u)";
        case ENOENT:
        case ENODEV:
        case EOPNOTSUPP:
            return "this machine has no such counter; `ringside doctor` says why";
        case ENOSYS:
            return "this kernel, or the container's seccomp filter, has no perf_event_open";
        case EMFILE:
        case ENFILE:
            return "too many open files: raise `ulimit -n`";
        case ESRCH:
            return "the process or thread is gone";
        default:
            return {};
    }
}

Result<void> control(const EventFd& event, unsigned long request, const char* what) {
    if (::ioctl(event.fd(), request, 0) != 0) {
        return base::fail_errno(errno, std::string("cannot ") + what + " a perf event");
    }
    return {};
}

}  // namespace

perf_event_attr attributes_of(const model::Event& event) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = event.code.type;
    attr.config = event.code.config;
    attr.config1 = event.probe_text.empty()
                       ? event.code.config1
                       : reinterpret_cast<std::uintptr_t>(event.probe_text.c_str());
    attr.config2 = event.code.config2;
    attr.exclude_user = event.exclude.user;
    attr.exclude_kernel = event.exclude.kernel;
    attr.exclude_hv = event.exclude.hypervisor;
    attr.exclude_host = event.exclude.host;
    attr.exclude_guest = event.exclude.guest;
    attr.precise_ip = static_cast<unsigned>(event.precise) & 3u;
    attr.pinned = event.pinned;
    return attr;
}

Result<void> EventFd::set_filter(const model::Event& event) const {
    if (event.filter.empty()) return {};
    if (::ioctl(fd(), PERF_EVENT_IOC_SET_FILTER, event.filter.c_str()) == 0) return {};
    if (errno != EINVAL) return base::fail_errno(errno, "cannot filter " + event.name);
    return base::fail(ErrorCode::bad_input,
                      "the kernel does not understand the filter of " + event.name,
                      "a filter compares fields of the tracepoint, as in \"prev_pid == 1 && "
                      "prev_prio < 100\"; its file `format` in tracefs names them");
}

Result<EventFd> EventFd::open(const model::Event& event, const Target& target,
                              const OpenOptions& options, const EventFd* leader) {
    auto opened = open(with_options(event, options), target, event.name, leader);
    if (!opened) return opened;
    if (auto filtered = opened->set_filter(event); !filtered) return filtered.error();
    if (!event.probe_text.empty()) opened->attributes_.config1 = 0;  // it pointed into `event`
    return opened;
}

Result<EventFd> EventFd::open(const perf_event_attr& attributes, const Target& target,
                              const std::string& name, const EventFd* leader) {
    perf_event_attr attr = attributes;  // the kernel writes its own size into it when it differs
    const int group = leader == nullptr ? -1 : leader->fd();
    const bool of_cgroup = target.cgroup_fd >= 0;
    const unsigned long flags = PERF_FLAG_FD_CLOEXEC | (of_cgroup ? PERF_FLAG_PID_CGROUP : 0);
    const long fd = ::syscall(SYS_perf_event_open, &attr, of_cgroup ? target.cgroup_fd : target.pid,
                              target.cpu, group, flags);
    if (fd < 0) {
        const int error = errno;
        return base::fail_errno(error, "cannot open the event " + name, hint_for(error));
    }
    return EventFd(base::Fd(static_cast<int>(fd)), attr);
}

Result<void> EventFd::write_into(int other_fd) const {
    if (::ioctl(fd(), PERF_EVENT_IOC_SET_OUTPUT, other_fd) != 0)
        return base::fail_errno(errno, "cannot share a perf ring buffer");
    return {};
}

Result<std::uint64_t> EventFd::id() const {
    std::uint64_t id = 0;
    if (::ioctl(fd(), PERF_EVENT_IOC_ID, &id) != 0)
        return base::fail_errno(errno, "cannot ask for the id of a perf event");
    return id;
}

Result<void> EventFd::enable() const {
    return control(*this, PERF_EVENT_IOC_ENABLE, "enable");
}

Result<void> EventFd::disable() const {
    return control(*this, PERF_EVENT_IOC_DISABLE, "disable");
}

Result<void> EventFd::reset() const {
    return control(*this, PERF_EVENT_IOC_RESET, "reset");
}

Result<std::optional<Count>> EventFd::read() const {
    const base::OwnCalls own;
    std::array<std::uint64_t, 3> words{};
    const ssize_t got = ::read(fd_.get(), words.data(), sizeof words);
    if (got == 0) return std::optional<Count>{};
    if (got < 0) return base::fail_errno(errno, "cannot read a perf event");
    if (got != static_cast<ssize_t>(sizeof words)) {
        return base::fail(ErrorCode::io, "a perf event gave a short read");
    }
    return std::optional<Count>{Count{words[0], words[1], words[2]}};
}

CounterState state_of(const Error& open_error) {
    switch (open_error.sys_errno) {
        case EACCES:
        case EPERM:
        case ENOSYS:  // a seccomp filter looks like this; a kernel without perf does not exist here
            return CounterState::not_permitted;
        case EBUSY:
        case ENOSPC:
        case EMFILE:
            return CounterState::not_scheduled;
        default:
            return CounterState::absent;
    }
}

}  // namespace ringside::perf
