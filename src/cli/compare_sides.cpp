#include "cli/compare_sides.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/error.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/exits_run.h"
#include "cli/neighbour_guest.h"
#include "cli/own_files.h"
#include "cli/remote_side.h"
#include "cli/side_file.h"
#include "guest/kinds.h"
#include "proc/orphans.h"

namespace ringside::cli {

namespace {

namespace fs = std::filesystem;
using base::fail;
using Words = std::vector<std::string>;

constexpr const char* folder_in_guest = "/ringside.run";

void add(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

Words measure_words(const std::string& program, const std::string& folder, const SideTarget& target,
                    const std::string& kind, const MeasurePlan& plan) {
    Words words{program, "measure", "-o", folder, "--name", target.name, "--kind", kind};
    add(words, plan.words());
    words.emplace_back("--");
    add(words, plan.command);
    return words;
}

// A process that ends when we are told to end.
Outcome run_native(const SideTarget& target, const std::string& folder, const MeasurePlan& plan,
                   const StopSignals& stop) {
    const auto program = own_program();
    if (!program) return program.error();
    const proc::Orphans measured;
    auto child = base::spawn(measure_words(*program, folder, target, "native", plan));
    if (!child) return child.error();
    const auto status = await_child(*child, stop);
    if (!status) {
        measured.end();
        return status.error();
    }
    return status->shell_code();
}

std::chrono::seconds box_limit(const MeasurePlan& plan) {
    constexpr double for_the_rest_s = 300;
    return std::chrono::seconds(
        static_cast<long>(std::min(plan.runs * plan.timeout_s + for_the_rest_s, 86400.0)));
}

// Files of this machine are there, at the places where they are here.
Result<guest::BoxRequest> guest_request(const SideTarget& target, const std::string& folder,
                                        const MeasurePlan& plan, const GuestWish& wish,
                                        const guest::Progress& say) {
    const auto program = own_program();
    if (!program) return program.error();
    auto request = embedded_guest(wish, say);
    if (!request) return request.error();
    request->command = measure_words(*program, folder_in_guest, target, "tcg", plan);
    request->get = {{std::string("/host") + folder_in_guest, folder}};
    return request;
}

// A program that is named by its path goes into the box, and is there at the same place.
void put_program(guest::BoxRequest& request, std::string& program) {
    std::error_code error;
    const std::string path = fs::absolute(program, error).lexically_normal().string();
    if (!base::contains(program, "/") || !fs::exists(path, error)) return;
    request.put.push_back({path, path});
    program = path;
}

// Nothing of this machine is there but the programs themselves.
Result<guest::BoxRequest> other_box(const SideTarget& target, const std::string& folder,
                                    const MeasurePlan& plan, const GuestWish& wish) {
    guest::BoxRequest request;
    request.kind = target.place;
    request.inner = target.inner;
    request.builds = wish.builds;
    MeasurePlan there = plan;
    put_program(request, there.command[0]);
    if (const auto beside = base::trim(plan.co_run); !beside.empty()) {
        const auto name = base::split_words(beside).front();
        std::string program(name);
        put_program(request, program);
        there.co_run = fmt::format("{}{}", program, beside.substr(name.size()));
    }
    request.command =
        measure_words("ringside", folder_in_guest, target, target.inner ? "kvm" : "native", there);
    request.get = {{folder_in_guest, folder}};
    return request;
}

// The command itself, the last words of what measures it; a second later, because it takes a while
// until the host counts. Idle time counts for nothing.
guest::BoxRequest unmeasured(guest::BoxRequest request, const MeasurePlan& plan) {
    const auto words = static_cast<std::ptrdiff_t>(plan.command.size());
    request.command.erase(request.command.begin(), request.command.end() - words);
    const Words later{"sh", "-c", "sleep 1; exec \"$@\"", "sh"};
    request.command.insert(request.command.begin(), later.begin(), later.end());
    request.get.clear();
    return request;
}

// Where they cannot be counted that is noted, and spoils nothing.
Result<void> add_exits(guest::BoxRequest request, const std::string& folder) {
    auto counted = count_exits(std::move(request), folder);
    if (counted || counted.error().code == ErrorCode::interrupted) return counted;
    return add_side_note(folder, "the guest's exits were not counted: " + counted.error().what);
}

Outcome run_in_box(guest::BoxRequest request, const SideTarget& target, const std::string& folder,
                   const MeasurePlan& plan, const GuestWish& wish, const StopSignals& stop,
                   const Say& say) {
    request.timeout = box_limit(plan);
    request.cancel_fd = stop.fd();
    request.progress = [&](std::string_view line) {
        say(fmt::format("{}: {}", target.name, line));
    };
    if (auto ready = guest::prepare_box(request.kind, request.progress); !ready) {
        return ready.error();
    }
    const auto outcome = guest::run_box(request);
    if (!outcome && outcome.error().code == ErrorCode::not_found && outcome.error().hint.empty()) {
        Error error = outcome.error();
        error.hint = "QEMU is needed: apt-get install qemu-system-x86, or --guest ssh:USER@HOST";
        return error;
    }
    if (!outcome) return outcome.error();
    if (!outcome->missing.empty()) {
        return Outcome(outcome->exit_code,
                       fail(ErrorCode::io, target.name + ": nothing was measured in the guest",
                            "what it said stands above"));
    }
    if (request.share_root) {
        if (auto noted = set_side_kind(folder, outcome->accelerator); !noted) return noted.error();
    }
    const bool on_kvm = request.inner || outcome->accelerator == "kvm";
    if (on_kvm && wish.exits && plan.co_run.empty()) {
        say(target.name + ": once more, to count why the guest exits");
        if (auto done = add_exits(unmeasured(request, plan), folder); !done) return done.error();
    }
    return outcome->exit_code;
}

// The command in one guest, the program beside in another.
Outcome run_beside_a_guest(const SideTarget& target, const std::string& folder,
                           const MeasurePlan& plan, const GuestWish& wish, const StopSignals& stop,
                           const Say& say) {
    NeighbourGuest neighbour(plan.co_run, wish, [&](const std::string& line) {
        say(fmt::format("beside {}: {}", target.name, line));
    });
    if (auto runs = neighbour.start(stop); !runs) return runs.error();
    MeasurePlan alone = plan;
    alone.co_run.clear();
    Outcome outcome = measure_side(target, folder, alone, wish, stop, say);
    const auto complaint = neighbour.stop();
    if (outcome.error) return outcome;
    if (auto noted = set_side_co_run(folder, plan.co_run); !noted) return noted.error();
    if (complaint) {
        if (auto noted = add_side_note(folder, *complaint); !noted) return noted.error();
    }
    return outcome;
}

}  // namespace

Result<SideTarget> SideTarget::parse(std::string name, const std::string& text) {
    SideTarget target;
    target.name = std::move(name);
    if (text == "native") return target;
    if (text == "guest") {
        target.where = Where::guest;
        return target;
    }
    if (text.starts_with("ssh:") && text.size() > 4 && text[4] != '-') {
        target.where = Where::ssh;
        target.place = text.substr(4);
        return target;
    }
    if (text.starts_with("box:")) {
        target.where = Where::box;
        target.place = text.substr(4);
        if (target.place.ends_with("/inner")) {
            target.inner = true;
            target.place.resize(target.place.size() - std::string("/inner").size());
        }
        if (guest::KindTable::built_in().find(target.place) != nullptr) return target;
        return fail(ErrorCode::bad_input, "no kind of machine is called '" + target.place + "'",
                    "ringside guest list has them");
    }
    return fail(ErrorCode::bad_input, "no place to measure: " + text,
                "native, guest, ssh:USER@HOST, box:KIND or box:KIND/inner");
}

Outcome measure_side(const SideTarget& target, const std::string& folder, const MeasurePlan& plan,
                     const GuestWish& wish, const StopSignals& stop, const Say& say) {
    switch (target.where) {
        case SideTarget::Where::native:
            return run_native(target, folder, plan, stop);
        case SideTarget::Where::ssh:
            return measure_by_ssh(target, folder, plan, stop, say);
        case SideTarget::Where::guest:
        case SideTarget::Where::box:
            break;
    }
    const bool embedded = target.where == SideTarget::Where::guest;
    if (embedded && wish.co_run_apart && !plan.co_run.empty()) {
        return run_beside_a_guest(target, folder, plan, wish, stop, say);
    }
    const guest::Progress note = [&](std::string_view line) {
        say(fmt::format("{}: {}", target.name, line));
    };
    auto request = embedded ? guest_request(target, folder, plan, wish, note)
                            : other_box(target, folder, plan, wish);
    if (!request) return request.error();
    return run_in_box(std::move(*request), target, folder, plan, wish, stop, say);
}

}  // namespace ringside::cli
