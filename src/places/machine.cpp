#include "places/machine.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/error.h"
#include "base/install_paths.h"
#include "base/text.h"
#include "places/exits.h"
#include "places/neighbour_guest.h"
#include "run/folder.h"

namespace ringside::places {

namespace {

namespace fs = std::filesystem;
using base::fail;

constexpr const char* folder_in_guest = "/ringside.run";

std::chrono::seconds box_limit(const Plan& plan) {
    constexpr double for_the_rest_s = 300;
    return std::chrono::seconds(
        static_cast<long>(std::min(plan.runs * plan.timeout_s + for_the_rest_s, 86400.0)));
}

// A program that is named by its path goes into the box, and is there at the same place.
void put_program(guest::BoxRequest& request, std::string& program) {
    std::error_code error;
    const std::string path = fs::absolute(program, error).lexically_normal().string();
    if (!base::contains(program, "/") || !fs::exists(path, error)) return;
    request.put.push_back({path, path});
    program = path;
}

// The command itself, the last words of what measures it; a second later, because it takes a while
// until the host counts. Idle time counts for nothing.
guest::BoxRequest unmeasured(guest::BoxRequest request, const Plan& plan) {
    const auto words = static_cast<std::ptrdiff_t>(plan.command.size());
    request.command.erase(request.command.begin(), request.command.end() - words);
    const std::vector<std::string> later{"sh", "-c", "sleep 1; exec \"$@\"", "sh"};
    request.command.insert(request.command.begin(), later.begin(), later.end());
    request.get.clear();
    return request;
}

Error with_advice(Error error) {
    if (error.code == ErrorCode::not_found && error.hint.empty()) {
        error.hint = "QEMU is needed: apt-get install qemu-system-x86, or --guest ssh:USER@HOST";
    }
    return error;
}

class Machine final : public Place {
  public:
    Machine(const PlaceAddress& address, const PlaceOptions& options, const StopSignals& stop)
        : Place(address.name), address_(address), options_(options), stop_(stop) {}

    Outcome run(const Plan& plan, const std::string& folder) override;

  private:
    bool embedded() const { return address_.kind == PlaceAddress::Kind::guest; }
    Result<guest::BoxRequest> guest_request(const Plan& plan, const std::string& folder) const;
    guest::BoxRequest box_request(const Plan& plan, const std::string& folder) const;
    Outcome boot(const Plan& plan, const std::string& folder, run::PlaceFacts& facts) const;
    Outcome boot_beside(const Plan& plan, const std::string& folder, run::PlaceFacts& facts) const;
    Result<void> add_exits(guest::BoxRequest request, const std::string& folder,
                           run::PlaceFacts& facts) const;

    PlaceAddress address_;
    PlaceOptions options_;
    const StopSignals& stop_;
};

// Files of this machine are there, at the places where they are here.
Result<guest::BoxRequest> Machine::guest_request(const Plan& plan,
                                                 const std::string& folder) const {
    const auto program = base::own_program();
    if (!program) return program.error();
    auto request = embedded_guest(options_.guest, [this](std::string_view line) {
        options_.progress(fmt::format("{}: {}", name(), line));
    });
    if (!request) return request.error();
    request->command = measure_words(*program, folder_in_guest, name(), run::SideKind::tcg, plan);
    request->get = {{std::string("/host") + folder_in_guest, folder}};
    return request;
}

// Nothing of this machine is there but the programs themselves.
guest::BoxRequest Machine::box_request(const Plan& plan, const std::string& folder) const {
    guest::BoxRequest request;
    request.kind = address_.where;
    request.inner = address_.inner;
    request.builds = options_.guest.builds;
    Plan there = plan;
    put_program(request, there.command[0]);
    if (const auto beside = base::trim(plan.co_run); !beside.empty()) {
        const auto name = base::split_words(beside).front();
        std::string program(name);
        put_program(request, program);
        there.co_run = fmt::format("{}{}", program, beside.substr(name.size()));
    }
    request.command =
        measure_words("ringside", folder_in_guest, name(),
                      address_.inner ? run::SideKind::kvm : run::SideKind::native, there);
    request.get = {{folder_in_guest, folder}};
    return request;
}

// Where they cannot be counted that is noted, and spoils nothing.
Result<void> Machine::add_exits(guest::BoxRequest request, const std::string& folder,
                                run::PlaceFacts& facts) const {
    auto counted = count_exits(std::move(request), folder);
    if (counted || counted.error().code == ErrorCode::interrupted) return counted;
    facts.notes.push_back("the guest's exits were not counted: " + counted.error().what);
    return {};
}

Outcome Machine::boot(const Plan& plan, const std::string& folder, run::PlaceFacts& facts) const {
    auto request = embedded() ? guest_request(plan, folder)
                              : Result<guest::BoxRequest>(box_request(plan, folder));
    if (!request) return request.error();
    request->timeout = box_limit(plan);
    request->cancel_fd = stop_.fd();
    request->progress = [this](std::string_view line) {
        options_.progress(fmt::format("{}: {}", name(), line));
    };
    if (auto ready = guest::prepare_box(request->kind, request->progress); !ready) {
        return ready.error();
    }
    const auto outcome = guest::run_box(*request);
    if (!outcome) return with_advice(outcome.error());
    if (!outcome->missing.empty()) {
        return Outcome(outcome->exit_code,
                       fail(ErrorCode::io, name() + ": nothing was measured in the guest",
                            "what it said stands above"));
    }
    // Only who booted the guest knows how it ran.
    if (request->share_root) facts.kind = run::parse_side_kind(outcome->accelerator);
    const bool on_kvm = request->inner || outcome->accelerator == "kvm";
    if (on_kvm && options_.guest.exits && plan.co_run.empty()) {
        options_.progress(name() + ": once more, to count why the guest exits");
        auto again = unmeasured(std::move(*request), plan);
        if (auto done = add_exits(std::move(again), folder, facts); !done) return done.error();
    }
    return outcome->exit_code;
}

// The command in one guest, the program beside in another.
Outcome Machine::boot_beside(const Plan& plan, const std::string& folder,
                             run::PlaceFacts& facts) const {
    NeighbourGuest neighbour(plan.co_run, options_.guest, [this](const std::string& line) {
        options_.progress(fmt::format("beside {}: {}", name(), line));
    });
    if (auto runs = neighbour.start(stop_); !runs) return runs.error();
    Plan alone = plan;
    alone.co_run.clear();
    Outcome outcome = boot(alone, folder, facts);
    facts.co_run = plan.co_run;
    if (const auto complaint = neighbour.stop()) facts.notes.push_back(*complaint);
    return outcome;
}

// Ours is the last word on what we know: whatever came out of the machine by that name is replaced.
Outcome Machine::run(const Plan& plan, const std::string& folder) {
    run::PlaceFacts facts;
    const bool beside = embedded() && options_.guest.co_run_apart && !plan.co_run.empty();
    Outcome outcome = beside ? boot_beside(plan, folder, facts) : boot(plan, folder, facts);
    std::error_code none;
    if (!fs::is_directory(folder, none)) return outcome;
    if (auto noted = run::write_place(folder, facts); !noted && !outcome.error) {
        return noted.error();
    }
    return outcome;
}

}  // namespace

std::unique_ptr<Place> make_machine(const PlaceAddress& address, const PlaceOptions& options,
                                    const StopSignals& stop) {
    return std::make_unique<Machine>(address, options, stop);
}

}  // namespace ringside::places
