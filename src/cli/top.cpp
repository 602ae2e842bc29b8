// `ringside top`: where time goes right now.
#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/profile_input.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "events/parse.h"
#include "platform/topology.h"
#include "proc/task.h"
#include "profile/live.h"
#include "report/profile/profile_view.h"
#include "report/top/top_screen.h"

namespace ringside::cli {

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds drain_every{100};  // or rings would overflow

std::vector<perf::Target> all_cpus() {
    std::vector<perf::Target> targets;
    for (const int cpu : platform::read_topology(base::SysRoot()).online)
        targets.push_back({-1, cpu, -1});
    return targets;
}

class Top final : public Verb {
  public:
    std::string name() const override { return "top"; }
    std::string summary() const override { return "show where time goes right now"; }
    std::string examples() const override {
        return "  ringside top                       the whole machine; q ends, space pauses\n"
               "  ringside top -p 4711 --sort symbol  one process\n"
               "  ringside top --count 1 --delay 5    5 seconds as text, then end\n";
    }
    void declare(Options& options) override {
        options.text("-e, --event", "EVENT", event_, "what to sample [cpu-clock]");
        options.number("-c, --period", "N", period_,
                       "one sample every N events [1 ms of time, 1000000 of others]");
        options.text("-p, --pid", "PID", pid_, "one process and its threads [all]");
        options.text("-s, --sort", "KEYS", keys_,
                     "comm, pid, tid, cpu, dso, symbol, mode [comm,dso,symbol]");
        options.number("-d, --delay", "SECONDS", delay_seconds_, "between two pictures [2]");
        options.number("-n, --count", "N", count_, "end after N pictures [never]");
        options.texts("--guest-kallsyms", "[PID=]FILE", input_.guest_kallsyms,
                      "symbols of the guest's kernel; of the guest that PID runs");
        options.flag("--no-demangle", input_.raw_names, "show C++ names as the linker sees them");
    }

    Outcome run() override {
        auto columns = profile::parse_columns(keys_);
        if (!columns) return columns.error();
        auto event = events::parse_event(base::SysRoot(), event_);
        if (!event) return event.error();
        profile::LiveOptions options;
        options.event = *event;
        options.period = static_cast<std::uint64_t>(period_);
        options.keep = profile::kept_for(*columns);
        profile::LiveProfile live(options);
        if (auto done = follow(live); !done) return done.error();
        auto sources = input_.sources();
        sources.inlined = false;
        profile::Symbolizer symbolizer(live.profile(), sources);
        const auto page = [&] { return page_of(live.profile(), symbolizer.update(), *columns); };
        if (::isatty(STDOUT_FILENO) == 1 && ::isatty(STDIN_FILENO) == 1 && count_ == 0)
            return watch(live, page);
        return print(live, page);
    }

  private:
    // All CPUs, or all threads of the process that are not followed yet.
    Result<void> follow(profile::LiveProfile& live) {
        if (pid_.empty()) return followed_.insert(0).second ? live.add(all_cpus()) : Result<void>{};
        const std::uint64_t number = base::parse_u64(pid_).value_or(0);
        const pid_t pid = number > INT32_MAX ? 0 : static_cast<pid_t>(number);  // nobody has 0
        const auto tids = proc::list_threads(base::SysRoot(), pid);
        if (!tids) return base::fail(ErrorCode::not_found, "there is no process " + pid_);
        std::vector<perf::Target> targets;
        for (const pid_t tid : *tids)
            if (followed_.insert(tid).second) targets.push_back({tid, -1, -1});
        return targets.empty() ? Result<void>{} : live.add(targets);
    }

    static std::vector<std::string> page_of(const profile::Profile& profile,
                                            const profile::Naming& naming,
                                            const std::vector<profile::Column>& columns) {
        report::ProfileView view{profile, naming, columns};
        const std::string text = report::profile_text(view, make_rows(profile, naming, columns));
        std::vector<std::string> lines;
        for (const auto line : base::split_lines(text)) lines.emplace_back(line);
        return lines;
    }

    std::chrono::milliseconds delay() const {
        return std::chrono::milliseconds(
            static_cast<std::int64_t>(std::max(0.1, delay_seconds_) * 1000));
    }

    template <typename Page>
    Outcome watch(profile::LiveProfile& live, const Page& page) {
        report::TopScreen screen;
        bool paused = false;
        while (true) {
            const auto until = steady_clock::now() + delay();
            while (steady_clock::now() < until) {
                const int key = screen.wait_key(drain_every);
                if (key == 'q') return 0;
                if (key == ' ') paused = !paused;
                live.collect();
            }
            if (!paused) screen.draw(page());
            live.begin_interval();
            // A process that has ended is shown to its end.
            if (auto done = follow(live); !done && pid_.empty()) return done.error();
        }
    }

    template <typename Page>
    Outcome print(profile::LiveProfile& live, const Page& page) {
        for (double shown = 0; count_ == 0 || shown < count_; ++shown) {
            const auto until = steady_clock::now() + delay();
            while (steady_clock::now() < until) {
                std::this_thread::sleep_for(drain_every);
                live.collect();
            }
            for (const auto& line : page()) print_text(stdout, line + "\n");
            std::fflush(stdout);
            live.begin_interval();
            if (auto done = follow(live); !done) return 0;
        }
        return 0;
    }

    ProfileInput input_;
    std::string event_ = "cpu-clock";
    std::string pid_;
    std::string keys_ = "comm,dso,symbol";
    double period_ = 1'000'000;
    double delay_seconds_ = 2;
    double count_ = 0;
    std::set<std::uint64_t> followed_;
};

}  // namespace

std::unique_ptr<Verb> make_top() {
    return std::make_unique<Top>();
}

}  // namespace ringside::cli
