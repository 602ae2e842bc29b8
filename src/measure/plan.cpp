#include "measure/plan.h"

#include <cmath>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process.h"
#include "base/text.h"
#include "soft/events.h"

namespace ringside::measure {

using base::fail;

Result<std::vector<AskedEvent>> asked_events(const Plan& plan) {
    std::vector<AskedEvent> events;
    for (const auto& list : plan.events) {
        auto more = parse_event_list(list);
        if (!more) return more.error();
        events.insert(events.end(), more->begin(), more->end());
    }
    return events.empty() ? default_events(false) : events;
}

Result<std::vector<AskedEvent>> asked_soft_events(const Plan& plan) {
    constexpr const char* usual = "instructions,branches,loads,stores";
    std::vector<AskedEvent> events;
    for (const auto& list :
         plan.soft_events.empty() ? std::vector<std::string>{usual} : plan.soft_events) {
        auto more = parse_event_list(list);
        if (!more) return more.error();
        events.insert(events.end(), more->begin(), more->end());
    }
    for (const auto& event : events) {
        if (auto found = soft::find_program_event(event.name); !found) return found.error();
    }
    return events;
}

// The words are arguments of the script, never part of it.
Result<std::vector<std::string>> co_run_command(const std::string& words) {
    std::vector<std::string> argv;
    for (const auto word : base::split_words(words)) argv.emplace_back(word);
    if (argv.empty()) return argv;
    const auto program = base::find_executable(argv[0]);
    if (!program || ::access(program->c_str(), X_OK) != 0) {
        return fail(ErrorCode::not_found, fmt::format("there is no {} to run beside", argv[0]));
    }
    argv.insert(argv.begin(), {"sh", "-c", "while :; do \"$@\" || exit; done", "sh"});
    return argv;
}

Result<void> Plan::check() const {
    if (command.empty())
        return fail(ErrorCode::bad_input, "no command to run", "give one after --");
    if (!(runs >= 1 && runs <= 1000) || runs != std::floor(runs)) {
        return fail(ErrorCode::bad_input, "-r requires a number of runs, 1 to 1000");
    }
    if (!(frequency_hz >= 1 && frequency_hz <= 100000)) {
        return fail(ErrorCode::bad_input, "-F requires samples a second, 1 to 100000");
    }
    if (!(timeout_s > 0) || !(output_limit_mb > 0)) {
        return fail(ErrorCode::bad_input, "--timeout and --output-limit want more than 0");
    }
    if (auto sound = asked_events(*this); !sound) return sound.error();
    if (auto sound = asked_soft_events(*this); !sound) return sound.error();
    if (!(soft_period >= 0 && soft_period <= 1e15) || soft_period != std::floor(soft_period)) {
        return fail(ErrorCode::bad_input, "--soft-period requires a number of events");
    }
    if (!soft_sample.empty()) {
        if (auto sound = soft::find_program_event(soft_sample); !sound) return sound.error();
    }
    return {};
}

std::vector<std::string> Plan::words() const {
    std::vector<std::string> words{"-r",
                                   fmt::format("{}", runs),
                                   "-F",
                                   fmt::format("{}", frequency_hz),
                                   "--timeout",
                                   fmt::format("{}", timeout_s),
                                   "--output-limit",
                                   fmt::format("{}", output_limit_mb)};
    for (const auto& list : events) words.insert(words.end(), {"-e", list});
    for (const auto& list : sampled) words.insert(words.end(), {"--sample", list});
    if (soft) words.emplace_back("--soft");
    for (const auto& list : soft_events) words.insert(words.end(), {"--soft-event", list});
    if (!soft_sample.empty()) words.insert(words.end(), {"--soft-sample", soft_sample});
    if (soft_period > 0) {
        words.insert(words.end(), {"--soft-period", fmt::format("{}", soft_period)});
    }
    if (no_trace) words.emplace_back("--no-trace");
    if (!co_run.empty()) words.insert(words.end(), {"--co-run", co_run});
    return words;
}

}  // namespace ringside::measure
