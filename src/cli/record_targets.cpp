#include "cli/record_targets.h"

#include <tuple>

#include <ringside/event_set.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/stat_request.h"
#include "components/cpu/places.h"
#include "components/cpu/resolve.h"
#include "session/definitions.h"

namespace ringside::cli {

namespace {

using components::cpu::CountedEvent;
using components::cpu::Resolver;

std::vector<std::string> split_events(std::string_view list) {
    std::vector<std::string> names(1);
    bool in_terms = false;
    for (const char letter : list) {
        if (letter == '/') in_terms = !in_terms;
        if (letter == ',' && !in_terms)
            names.emplace_back();
        else
            names.back() += letter;
    }
    return names;
}

// A preset can be sampled where it is one event and no formula.
Result<CountedEvent> resolve(const base::SysRoot& root, const Resolver& resolver,
                             const std::string& name) {
    auto found = resolver.resolve(name);
    if (found) return found;
    const session::Definitions definitions(root);
    const auto meanings = definitions.of(name);
    for (const auto& meaning : meanings) {
        if (!meaning.expression.is_name()) continue;
        if (auto event = resolver.resolve(meaning.expression.names().front())) return event;
    }
    if (!meanings.empty())
        return base::fail(ErrorCode::bad_input, name + " is worked out from several events",
                          "only events themselves can be sampled; `ringside list` shows them");
    return found;
}

}  // namespace

void RecordTargets::declare(Options& options) {
    options.text("-p, --pid", "PID[,PID]", pids_, "these processes, with what they start");
    options.text("-t, --tid", "TID[,TID]", tids_, "these threads alone");
    options.flag("-a, --all-cpus", all_, "everything that runs, on all CPUs");
    options.text("-C, --cpu", "LIST", cpus_, "everything that runs on these CPUs: 0-3,8");
    options.text("--cgroup", "PATH", cgroup_,
                 "what runs in a cgroup: its path below /sys/fs/cgroup");
}

Result<void> RecordTargets::read_ids() {
    for (const auto& [text, what, list] : {std::tuple{&pids_, "process", &process_ids_},
                                           std::tuple{&tids_, "thread", &thread_ids_}}) {
        if (text->empty()) continue;
        auto ids = parse_ids(*text, what);
        if (!ids) return ids.error();
        *list = std::move(*ids);
    }
    const int kinds = !process_ids_.empty() + !thread_ids_.empty() + !cpus_.empty() +
                      !cgroup_.empty() + static_cast<int>(all_);
    if (kinds > 1)
        return base::fail(ErrorCode::bad_input, "more than one of -p, -t, -a, -C and --cgroup");
    return {};
}

Result<void> RecordTargets::find(const base::SysRoot& root, pid_t command,
                                 record::Settings& settings) {
    if (auto done = read_ids(); !done) return done;
    std::vector<Target> subjects;
    for (const int pid : process_ids_) subjects.push_back(Target::process(pid));
    for (const int tid : thread_ids_) subjects.push_back(Target::thread(tid));
    if (all_) subjects.push_back(Target::system());
    if (!cgroup_.empty()) subjects.push_back(Target::in_cgroup(cgroup_));
    if (!cpus_.empty()) {
        auto cpus = base::parse_cpu_list(cpus_);
        if (!cpus) return base::fail(ErrorCode::bad_input, "not a list of CPUs: " + cpus_);
        subjects.push_back(Target::on_cpus(std::move(*cpus)));
    }
    if (subjects.empty()) subjects.push_back(Target::thread(command));
    settings.start_on_exec = only_command();
    settings.inherit = only_command() || !process_ids_.empty();
    settings.all_processes = all_ || !cpus_.empty() || !cgroup_.empty();
    for (const auto& subject : subjects) {
        SetOptions options;
        options.target = subject;
        auto places = components::cpu::find_places(root, options);
        if (!places) return places.error();
        settings.targets.insert(settings.targets.end(), places->targets.begin(),
                                places->targets.end());
        if (places->cgroup) cgroup_folder_ = std::move(places->cgroup);
    }
    return {};
}

Result<std::vector<record::SampledEvent>> find_sampled_events(
    const base::SysRoot& root, const std::vector<std::string>& lists) {
    const Resolver resolver(root);
    std::vector<record::SampledEvent> events;
    for (const auto& list : lists) {
        for (const auto& name : split_events(list)) {
            auto counted = resolve(root, resolver, name);
            if (!counted) return counted.error();
            for (auto& part : counted->parts)
                events.push_back({std::move(part.event), std::move(part.cpus)});
        }
    }
    return events;
}

}  // namespace ringside::cli
