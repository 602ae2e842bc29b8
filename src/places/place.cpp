#include "places/place.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/install_paths.h"
#include "base/process.h"
#include "guest/kinds.h"
#include "places/machine.h"
#include "places/ssh.h"
#include "proc/orphans.h"
#include "run/folder.h"

namespace ringside::places {

namespace {

using base::fail;

// A process that ends when we are told to end.
class Native final : public Place {
  public:
    Native(std::string name, const StopSignals& stop) : Place(std::move(name)), stop_(stop) {}

    Outcome run(const Plan& plan, const std::string& folder) override {
        const auto program = base::own_program();
        if (!program) return program.error();
        const proc::Orphans measured;
        auto child =
            base::spawn(measure_words(*program, folder, name(), run::SideKind::native, plan));
        if (!child) return child.error();
        const auto status = measure::await_child(*child, stop_);
        if (!status) {
            measured.end();
            return status.error();
        }
        return status->shell_code();
    }

  private:
    const StopSignals& stop_;
};

}  // namespace

Result<PlaceAddress> PlaceAddress::parse(std::string name, const std::string& text) {
    PlaceAddress address;
    address.name = std::move(name);
    if (text == "native") return address;
    if (text == "guest") {
        address.kind = Kind::guest;
        return address;
    }
    if (text.starts_with("ssh:") && text.size() > 4 && text[4] != '-') {
        address.kind = Kind::ssh;
        address.where = text.substr(4);
        return address;
    }
    if (text.starts_with("box:")) {
        address.kind = Kind::box;
        address.where = text.substr(4);
        if (address.where.ends_with("/inner")) {
            address.inner = true;
            address.where.resize(address.where.size() - std::string("/inner").size());
        }
        if (guest::KindTable::built_in().find(address.where) != nullptr) return address;
        return fail(ErrorCode::bad_input, "no kind of machine is called '" + address.where + "'",
                    "ringside guest list has them");
    }
    return fail(ErrorCode::bad_input, "no place to measure: " + text,
                "native, guest, ssh:USER@HOST, box:KIND or box:KIND/inner");
}

std::unique_ptr<Place> make_place(const PlaceAddress& address, const PlaceOptions& options,
                                  const StopSignals& stop) {
    switch (address.kind) {
        case PlaceAddress::Kind::native:
            return std::make_unique<Native>(address.name, stop);
        case PlaceAddress::Kind::ssh:
            return make_ssh(address, options, stop);
        case PlaceAddress::Kind::guest:
        case PlaceAddress::Kind::box:
            break;
    }
    return make_machine(address, options, stop);
}

Outcome measure_all(const Places& places, const Plan& plan, const std::filesystem::path& folder,
                    std::vector<run::Side>& sides) {
    int exit_code = 0;
    for (const auto& place : places) {
        const auto own = folder / fmt::format("{}-{}", sides.size() + 1, plain_file(place->name()));
        Outcome outcome = place->run(plan, own.string());
        if (outcome.error && outcome.error->code == ErrorCode::interrupted) return outcome;
        if (exit_code == 0) exit_code = outcome.exit_code;
        auto side = run::read_folder(own.string());
        if (!side && outcome.error) return outcome;
        if (!side) {
            return Outcome(
                outcome.exit_code != 0 ? outcome.exit_code : base::exit_failure,
                fail(ErrorCode::io, place->name() + ": nothing was measured: " + side.error().what,
                     "what went wrong stands above"));
        }
        if (outcome.error) side->notes.push_back("broke off: " + outcome.error->what);
        sides.push_back(std::move(*side));
    }
    return exit_code;
}

std::vector<std::string> measure_words(const std::string& program, const std::string& folder,
                                       const std::string& name, run::SideKind kind,
                                       const Plan& plan) {
    std::vector<std::string> words{program,  "measure", "-o",     folder,
                                   "--name", name,      "--kind", std::string(to_string(kind))};
    const auto options = plan.words();
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    words.insert(words.end(), plan.command.begin(), plan.command.end());
    return words;
}

std::string quoted_for_shell(const std::vector<std::string>& words) {
    std::string line;
    for (const auto& word : words) {
        if (!line.empty()) line += ' ';
        line += '\'';
        for (const char c : word) {
            if (c == '\'') {
                line += "'\\''";
            } else {
                line += c;
            }
        }
        line += '\'';
    }
    return line;
}

// "dTLB-store-misses" or "cpu/event=1/" as a name of a file.
std::string plain_file(std::string_view text) {
    std::string name;
    for (const char c : text.substr(0, 100)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '.';
        name += plain ? c : '_';
    }
    return name;
}

}  // namespace ringside::places
