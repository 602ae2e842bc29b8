#include "measure/engine.h"

#include <algorithm>

namespace ringside::measure {

Engine::Engine(const Collectors& collectors) {
    for (const auto& each : collectors) collectors_.push_back(each.get());
}

Result<void> Engine::attach(pid_t command) {
    for (Collector* each : collectors_) {
        if (auto done = each->attach(command); !done) return done;
    }
    return {};
}

Result<void> Engine::begin() {
    for (Collector* each : collectors_) {
        if (auto done = each->begin(); !done) return done;
    }
    return {};
}

// All of them end, whatever one of them says: the first failure is the outcome.
Result<void> Engine::end() {
    for (Collector* each : collectors_) each->stop();
    Result<void> first;
    for (auto each = collectors_.rbegin(); each != collectors_.rend(); ++each) {
        auto done = (*each)->end();
        if (!done && first) first = done;
    }
    return first;
}

Result<void> Engine::collect(const std::optional<base::ExitStatus>& status, run::Run& run) {
    if (status) run.exit_code = status->shell_code();
    for (Collector* each : collectors_) {
        if (auto done = each->collect(status, run); !done) return done;
    }
    return {};
}

Result<run::Interval> Engine::read_interval(double at_s) {
    run::Interval interval;
    interval.at_s = at_s;
    for (Collector* each : collectors_) {
        if (auto done = each->read_interval(interval); !done) return done.error();
    }
    return interval;
}

Outcome Engine::around(const std::vector<std::string>& argv, CommandHooks hooks, run::Run& run) {
    const CommandHooks more = hooks;
    Result<void> ended;
    hooks.before = [&](pid_t command) {
        auto done = attach(command);
        return done && more.before ? more.before(command) : done;
    };
    hooks.started = [&] {
        auto done = begin();
        return done && more.started ? more.started() : done;
    };
    hooks.ended = [&] {
        ended = end();
        if (more.ended) more.ended();
    };
    hooks.after = [&](const base::ExitStatus& status) -> Result<void> {
        if (more.after) {
            if (auto done = more.after(status); !done) return done;
        }
        return ended ? collect(status, run) : ended;
    };
    return run_command(argv, hooks);
}

Result<void> Engine::during(const std::function<Result<void>()>& wait, run::Run& run) {
    if (auto done = attach(0); !done) return done;
    if (auto done = begin(); !done) return done;
    if (auto done = wait(); !done) return done;
    if (auto done = end(); !done) return done;
    return collect(std::nullopt, run);
}

}  // namespace ringside::measure
