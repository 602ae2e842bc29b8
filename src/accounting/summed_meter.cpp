// A budget from what the kernel adds up for each thread, without BPF: nobody sees the changes of
// state, but most of them leave a sum behind. What no sum covers stays unexplained.
#include <algorithm>
#include <map>

#include <sys/resource.h>
#include <unistd.h>

#include <ringside/clocks.h>

#include "accounting/lifetimes.h"
#include "accounting/meter.h"
#include "accounting/scheduler_clock.h"
#include "accounting/thread_sums.h"
#include "proc/stat.h"
#include "proc/task.h"

namespace ringside::accounting {

namespace {

using Extent = clocks::Subject::Extent;
using Sum = std::optional<std::uint64_t> ThreadSums::*;

// What one thread used, and when it was last known.
struct Row {
    ThreadSums begin;
    ThreadSums latest;
    bool final = false;      // its last words are in `latest`
    std::uint64_t known_ns;  // when `latest` was read
};

struct CpuTicks {
    std::uint64_t user_ns = 0;
    std::uint64_t system_ns = 0;
};

// A sum over all threads, and how much of their lives no source covered.
struct Total {
    std::uint64_t ns = 0;
    std::uint64_t error_ns = 0;
    bool any = false;
};

ThreadSums from_nothing() {
    ThreadSums zero;
    zero.waiting_ns = zero.blocked_ns = zero.io_ns = zero.sleeping_ns = 0;
    zero.minor_faults = zero.major_faults = zero.swapin_ns = zero.thrashing_ns = 0;
    zero.reclaim_ns = zero.compaction_ns = zero.write_protect_copy_ns = 0;
    return zero;
}

std::uint64_t ns_of(const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(time.tv_usec) * 1'000u;
}

class SummedMeter final : public BudgetMeter {
  public:
    SummedMeter(const base::SysRoot& root, const clocks::Subject& subject, std::string why)
        : root_(root), subject_(subject), why_(std::move(why)), lifetimes_(root, subject) {
        sources_.missing = find_missing(root);
        if (root.is_live()) open_sources();
        const std::uint64_t began_ns = real_ns();
        read_living();
        for (auto& [index, row] : rows_) row.begin = row.latest;
        begin_ticks_ = ticks();
        lifetimes_.restart();  // finding the sources took a while
        at_opening_ = rows_.size();
        opening_ns_ = real_ns() - began_ns;
    }

    analysis::TimeFacts read(const Times& clock) override {
        lifetimes_.update();
        read_living();
        take_last_words();
        now_ns_ = real_ns();
        analysis::TimeFacts facts;
        facts.method = BudgetMethod::kernel_sums;
        facts.lifetime_ns = lifetimes_.table().total_ns(now_ns_);
        const auto& lives = lifetimes_.table().all();
        facts.threads = lives.size();
        facts.at_opening = at_opening_;
        facts.lifetime_error_ns = opening_ns_ * at_opening_;
        facts.living = static_cast<std::uint64_t>(
            std::count_if(lives.begin(), lives.end(), [](const Life& l) { return !l.end_ns; }));
        facts.lifetime_reason = lifetimes_.incomplete();
        facts.rest_reason = why_;
        fill_cpu(clock, facts);
        fill_off_cpu(facts);
        fill_details(facts);
        return facts;
    }

  private:
    void open_sources() {
        if (sources_.missing.schedstats.empty()) {
            const auto ahead_ns = scheduler_ahead_ns(root_);
            sources_.scheduler_ahead_ns = ahead_ns.value_or(0);
            if (!ahead_ns) sources_.missing.schedstats = "the scheduler's clock is not known";
        }
        auto opened = Taskstats::open();
        if (opened && opened->listen()) {
            sources_.taskstats.emplace(std::move(*opened));
        } else {
            taskstats_missing_ =
                "exit-time taskstats of ended threads need CAP_NET_ADMIN (taskstats)";
        }
    }

    void read_living() {
        const auto& lives = lifetimes_.table().all();
        for (std::size_t i = 0; i < lives.size(); ++i) {
            auto& row = rows_.try_emplace(i, Row{from_nothing(), {}, false, 0}).first->second;
            // A zombie still has its sums.
            if (row.final) continue;
            const auto sums = read_sums(root_, sources_, lives[i].tid);
            if (!sums) continue;
            row.latest = *sums;
            row.known_ns = real_ns();
            row.final = lives[i].end_ns.has_value();
        }
    }

    // The oldest thread of that number whose last words are not known yet.
    void take_last_words() {
        if (!sources_.taskstats) return;
        const auto& lives = lifetimes_.table().all();
        for (const TaskDelays& ended : sources_.taskstats->take_ended()) {
            for (auto& [index, row] : rows_) {
                if (lives[index].tid != ended.tid || row.final || !lives[index].end_ns) continue;
                merge(row, sums_of(ended, sources_.missing));
                break;
            }
        }
    }

    // Last words do not tell how long it slept; what was read before stays.
    static void merge(Row& row, const ThreadSums& words) {
        const ThreadSums before = row.latest;
        row.latest = words;
        row.latest.sleeping_ns = before.sleeping_ns;
        row.latest.blocked_ns = before.blocked_ns;
        row.final = true;
    }

    // What a thread did after it was last looked at, or all of it where no source tells, is in
    // doubt.
    Total total(Sum sum) const {
        Total total;
        const auto& lives = lifetimes_.table().all();
        for (const auto& [index, row] : rows_) {
            const Life& life = lives[index];
            const auto grown = row.latest.since(row.begin).*sum;
            const std::uint64_t end_ns = life.end_ns.value_or(now_ns_);
            if (grown) {
                total.ns += *grown;
                total.any = true;
            }
            if (grown && (row.final || !life.end_ns)) continue;
            const std::uint64_t from_ns = grown ? row.known_ns : life.begin_ns;
            total.error_ns += end_ns > from_ns ? end_ns - from_ns : 0;
        }
        return total;
    }

    TimePart part(Sum sum, const char* source, const std::string& missing) const {
        const Total sums = total(sum);
        if (!missing.empty() || !sums.any) {
            return {{}, 0, {}, missing.empty() ? std::string(source) + " tells nothing" : missing};
        }
        TimePart part{sums.ns, sums.error_ns, source, {}};
        if (sums.error_ns > 0) {
            part.reason = "at least: threads ended unseen";
            if (!taskstats_missing_.empty()) part.reason += "; " + taskstats_missing_;
        }
        return part;
    }

    void fill_cpu(const Times& clock, analysis::TimeFacts& facts) const {
        const CpuTicks now = ticks();
        const auto grown = [](std::uint64_t to, std::uint64_t from) {
            return to > from ? to - from : 0;
        };
        const CpuTicks used{grown(now.user_ns, begin_ticks_.user_ns),
                            grown(now.system_ns, begin_ticks_.system_ns)};
        facts.ticks = analysis::TickSample{used.user_ns, used.system_ns, proc::tick_ns(),
                                           "the timer's ticks (utime, stime)"};
        if (clock.occupied_ns) {
            facts.occupied = {clock.occupied_ns, 0, "task-clock", {}};
        } else if (clock.cpu_ns) {
            facts.occupied = {clock.cpu_ns, 0, "CPU time", {}};
        } else {
            facts.occupied = {
                used.user_ns + used.system_ns, 2 * proc::tick_ns(), "utime and stime", {}};
        }
    }

    void fill_off_cpu(analysis::TimeFacts& facts) const {
        facts.waiting = part(&ThreadSums::waiting_ns, "schedstat", {});
        facts.sleeping = part(&ThreadSums::sleeping_ns, "schedstats", sources_.missing.schedstats);
        facts.blocked = part(&ThreadSums::blocked_ns, "schedstats", sources_.missing.schedstats);
        const TimePart io =
            part(&ThreadSums::io_ns, "delay accounting", sources_.missing.delay_accounting);
        if (!facts.blocked.ns) {
            const std::string reason = facts.blocked.reason + "; " + io.reason;
            facts.blocked = io;
            if (!io.ns) facts.blocked.reason = reason;
        }
        if (facts.blocked.ns) facts.blocked_on_io_ns = total(&ThreadSums::io_ns).ns;
        take_paging_out(facts);
        facts.stopped.reason = "how long it was stopped is seen by BPF only";
    }

    // The kernel counts waiting for a swapped or thrashing page as I/O, too. Some of it may have
    // been spent on a CPU instead, where memory is compressed.
    void take_paging_out(analysis::TimeFacts& facts) const {
        const TimePart swapin =
            part(&ThreadSums::swapin_ns, "delay accounting", sources_.missing.delay_accounting);
        const Total thrashing = total(&ThreadSums::thrashing_ns);
        facts.paging = swapin;
        if (!swapin.ns || !facts.blocked.ns) return;
        const std::uint64_t all_ns = *swapin.ns + thrashing.ns;
        facts.paging.ns = std::min(all_ns, *facts.blocked.ns);
        facts.paging.error_ns += all_ns;
        *facts.blocked.ns -= *facts.paging.ns;
    }

    void fill_details(analysis::TimeFacts& facts) const {
        PagingDetails& details = facts.details;
        const Total minor = total(&ThreadSums::minor_faults);
        const Total major = total(&ThreadSums::major_faults);
        if (minor.any) details.minor_faults = minor.ns;
        if (major.any) details.major_faults = major.ns;
        const auto delay = [this](Sum sum) {
            return part(sum, "delay accounting", sources_.missing.delay_accounting);
        };
        details.fault_cpu.reason = "page faults are timed by BPF only";
        details.swapin = delay(&ThreadSums::swapin_ns);
        details.thrashing = delay(&ThreadSums::thrashing_ns);
        details.reclaim = delay(&ThreadSums::reclaim_ns);
        details.compaction = delay(&ThreadSums::compaction_ns);
        details.write_protect_copy = delay(&ThreadSums::write_protect_copy_ns);
    }

    CpuTicks ticks() const {
        const bool thread = subject_.extent == Extent::thread;
        if (subject_.own && subject_.extent != Extent::process_and_children &&
            (!thread || subject_.id == ::gettid())) {
            rusage usage{};
            ::getrusage(thread ? RUSAGE_THREAD : RUSAGE_SELF, &usage);
            return {ns_of(usage.ru_utime), ns_of(usage.ru_stime)};
        }
        if (thread) return ticks_of(proc::read_thread_stat(root_, subject_.id), false);
        // A process has the times of its ended threads, and of the children it waited for.
        CpuTicks sum;
        const bool tree = subject_.extent == Extent::process_and_children;
        for (const Life& life : lifetimes_.table().all()) {
            if (life.tid != life.pid) continue;
            const CpuTicks one = ticks_of(proc::read_process_stat(root_, life.pid), tree);
            sum.user_ns += one.user_ns;
            sum.system_ns += one.system_ns;
        }
        return sum;
    }

    static CpuTicks ticks_of(const std::optional<proc::TaskStat>& stat, bool with_children) {
        if (!stat) return {};
        std::uint64_t user = stat->user_ticks;
        std::uint64_t system = stat->system_ticks;
        if (with_children) {
            user += stat->children_user_ticks;
            system += stat->children_system_ticks;
        }
        return {user * proc::tick_ns(), system * proc::tick_ns()};
    }

    base::SysRoot root_;
    clocks::Subject subject_;
    std::string why_;
    Lifetimes lifetimes_;
    Sources sources_;
    std::string taskstats_missing_;
    std::map<std::size_t, Row> rows_;  // by the thread's place in the table of lives
    CpuTicks begin_ticks_;
    std::uint64_t at_opening_ = 0;  // threads
    std::uint64_t opening_ns_ = 0;  // that reading their first sums took
    std::uint64_t now_ns_ = 0;
};

}  // namespace

BudgetMeterPtr make_summed_meter(const base::SysRoot& root, const clocks::Subject& subject,
                                 const std::string& why) {
    return std::make_unique<SummedMeter>(root, subject, why);
}

}  // namespace ringside::accounting
