#include "guest/retrieve.h"

#include <fmt/format.h>

#include "base/error.h"
#include "incoming/cpio.h"
#include "incoming/landing.h"

namespace ringside::guest {

namespace {

// Where the user wants it: the folder, and the name there that takes the place of the first part of
// every name that is sent.
struct Place {
    fs::path folder;
    std::string name;
};

Place place_of(const Transfer& transfer) {
    const fs::path to(transfer.to);
    std::error_code error;
    if (!fs::is_directory(to, error)) {
        return {to.has_parent_path() ? to.parent_path() : ".", to.filename().string()};
    }
    const fs::path from = fs::path(transfer.from).lexically_normal();
    return {to, (from.has_filename() ? from : from.parent_path()).filename().string()};
}

// Of a name that is one: what is wrong with any other is for the landing to say.
void rename_first_part(std::string& name, const std::string& to) {
    const auto first = std::string_view(name).substr(0, name.find('/'));
    const bool is_name = !first.empty() && first != "." && first != ".." &&
                         first.find('\0') == std::string_view::npos;
    if (is_name) name.replace(0, first.size(), to);
}

// Returns whether there was anything.
Result<bool> retrieve_one(incoming::CpioReader& archives, const Transfer& transfer,
                          const incoming::Limits& limits) {
    const Place place = place_of(transfer);
    auto landing = incoming::Landing::in(place.folder, "the box", limits);
    if (!landing) return landing.error();
    bool empty = true;
    while (true) {
        auto entry = archives.next();
        if (!entry) return entry.error();
        if (!entry->has_value()) return !empty;
        rename_first_part((*entry)->name, place.name);
        if (auto done = landing->take(**entry); !done) return done.error();
        empty = false;
    }
}

}  // namespace

Result<Transfer> parse_transfer(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) {
        return base::fail(ErrorCode::bad_input, fmt::format("'{}' is not SRC:DST", text));
    }
    return Transfer{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

Result<std::vector<std::string>> retrieve(std::string_view archives,
                                          const std::vector<Transfer>& wanted,
                                          const incoming::Limits& limits) {
    std::vector<std::string> missing;
    incoming::CpioReader reader(archives);
    for (const auto& transfer : wanted) {
        const auto found = retrieve_one(reader, transfer, limits);
        if (!found) return found.error();
        if (!*found) missing.push_back(transfer.from);
    }
    return missing;
}

}  // namespace ringside::guest
