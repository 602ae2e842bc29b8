#include "accounting/lifetimes.h"

#include <algorithm>
#include <cerrno>

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <ringside/clocks.h>

#include "base/error.h"
#include "proc/cpus.h"
#include "proc/task.h"

namespace ringside::accounting {

namespace {

using Extent = clocks::Subject::Extent;

constexpr std::size_t buffer_pages = 32;  // some 3000 records a CPU between two readings

model::Event dummy_event() {
    model::Event event;
    event.name = "dummy";
    event.kind = model::EventKind::software;
    event.code = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, 0};
    return model::user_only(event);  // what an unprivileged user may ask for
}

perf::OpenOptions options_for(const clocks::Subject& subject) {
    perf::OpenOptions options;
    options.disabled = false;
    options.inherit = true;
    options.inherit_thread = subject.extent == Extent::process;
    options.task_records = true;
    return options;
}

}  // namespace

void LifeTable::begin(pid_t pid, pid_t tid, std::uint64_t time_ns) {
    if (living_.count(tid) != 0) return;
    living_[tid] = lives_.size();
    lives_.push_back({pid, tid, time_ns, std::nullopt});
}

void LifeTable::end(pid_t tid, std::uint64_t time_ns) {
    const auto found = living_.find(tid);
    if (found == living_.end()) return;
    Life& life = lives_[found->second];
    life.end_ns = std::max(time_ns, life.begin_ns);
    living_.erase(found);
}

void LifeTable::restart(std::uint64_t now_ns) {
    for (const auto& [tid, index] : living_) lives_[index].begin_ns = now_ns;
}

void LifeTable::apply(std::vector<perf::TaskRecord> records) {
    std::stable_sort(records.begin(), records.end(),
                     [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
    for (const auto& record : records) {
        const auto tid = static_cast<pid_t>(record.tid);
        if (record.ended) {
            end(tid, record.time_ns);
        } else {
            begin(static_cast<pid_t>(record.pid), tid, record.time_ns);
        }
    }
}

void LifeTable::rename(pid_t from, pid_t to) {
    const auto found = living_.find(from);
    if (found == living_.end() || living_.count(to) != 0) return;
    const std::size_t index = found->second;
    lives_[index].tid = to;
    living_.erase(found);
    living_[to] = index;
}

std::uint64_t LifeTable::total_ns(std::uint64_t now_ns) const {
    std::uint64_t total = 0;
    for (const Life& life : lives_) {
        const std::uint64_t end_ns = life.end_ns.value_or(now_ns);
        if (end_ns > life.begin_ns) total += end_ns - life.begin_ns;
    }
    return total;
}

Lifetimes::Lifetimes(const base::SysRoot& root, const clocks::Subject& subject)
    : root_(root), subject_(subject) {
    if (subject.extent != Extent::thread) {
        auto recording = record();
        if (!recording) {
            incomplete_ =
                "threads that end between two readings are not known: " + recording.error().what;
            events_.clear();
            buffers_.clear();
        }
    }
    begin_listed();
}

Result<void> Lifetimes::record() {
    const auto cpus = proc::online_cpus(root_);
    if (!root_.is_live() || !cpus) {
        return base::fail(ErrorCode::unsupported, "the machine's CPUs are not known");
    }
    Result<void> outcome;
    auto added = clocks::add_threads(root_, subject_, [&](pid_t tid) -> Result<void> {
        for (const int cpu : *cpus) {
            auto recorded = record(tid, cpu);
            if (!recorded && recorded.error().sys_errno != ESRCH) outcome = recorded;
        }
        return {};
    });
    return added ? outcome : added;
}

Result<void> Lifetimes::record(pid_t tid, int cpu) {
    auto event = perf::EventFd::open(dummy_event(), {tid, cpu}, options_for(subject_));
    if (!event) return event.error();
    const auto buffer = buffers_.find(cpu);
    if (buffer == buffers_.end()) {
        auto ring = perf::RingBuffer::map(*event, buffer_pages);
        if (!ring) return ring.error();
        buffers_.emplace(cpu, Buffer{event->fd(), std::move(*ring)});
    } else if (::ioctl(event->fd(), PERF_EVENT_IOC_SET_OUTPUT, buffer->second.fd) != 0) {
        return base::fail_errno(errno, "cannot share a perf buffer");
    }
    events_.push_back(std::move(*event));
    return {};
}

// A zombie has ended, though it still has a folder.
bool Lifetimes::lives(pid_t tid) const {
    const auto stat = proc::read_thread_stat(root_, tid);
    return stat && stat->state != 'Z' && stat->state != 'X';
}

void Lifetimes::begin_listed() {
    const auto tids = clocks::list_threads(root_, subject_);
    if (!tids) return;
    const std::uint64_t now_ns = real_ns();
    for (const pid_t tid : *tids) {
        if (lives(tid)) table_.begin(subject_.id, tid, now_ns);
    }
}

// Who is not there any more has ended, or goes on under another number.
void Lifetimes::end_missing() {
    const std::uint64_t now_ns = real_ns();
    for (const Life& life : std::vector<Life>(table_.all())) {
        if (life.end_ns || lives(life.tid)) continue;
        if (life.tid != life.pid && lives(life.pid)) table_.rename(life.tid, life.pid);
        table_.end(life.tid, now_ns);
    }
}

// A process whose threads alone are followed tells of its children's beginning as well.
bool Lifetimes::is_ours(const perf::TaskRecord& record) const {
    return subject_.extent == Extent::process_and_children ||
           static_cast<pid_t>(record.pid) == subject_.id;
}

void Lifetimes::drain() {
    std::vector<perf::TaskRecord> records;
    for (auto& [cpu, buffer] : buffers_) {
        while (const auto record = buffer.ring.next()) {
            const auto task = perf::decode_task(*record);
            if (task && is_ours(*task)) records.push_back(*task);
            if (perf::decode_lost(*record)) {
                incomplete_ = "more threads began and ended between two readings than perf keeps";
            }
        }
    }
    table_.apply(std::move(records));
}

void Lifetimes::update() {
    drain();
    end_missing();
    if (events_.empty()) begin_listed();
}

}  // namespace ringside::accounting
