#include "report/guest/guest_listing.h"

#include <fmt/format.h>

#include "base/json.h"

namespace ringside::report {

using base::Json;

std::string guest_list_text(const GuestListing& listing) {
    std::string text;
    for (const auto& kind : listing.kinds) {
        text += fmt::format("{:<12} {:<10} {}\n", kind.name, kind.set_up ? "set up" : "not set up",
                            kind.about);
    }
    text += fmt::format("\n{:.0f} MB below {}\n", static_cast<double>(listing.cached_bytes) / 1e6,
                        listing.cache);
    for (const auto& guest : listing.running) {
        text += fmt::format("running: {}, process {}, {} CPUs, {} MB, {}\n", guest.kind, guest.pid,
                            guest.cpus, guest.memory_mb, guest.accelerator);
    }
    return text;
}

std::string guest_list_json(const GuestListing& listing) {
    Json json{{"schema", "ringside.guests/1"}, {"cache", listing.cache}};
    json["cached_bytes"] = listing.cached_bytes;
    json["kinds"] = Json::array();
    for (const auto& kind : listing.kinds) {
        json["kinds"].push_back({{"name", kind.name},
                                 {"about", kind.about},
                                 {"architecture", kind.arch},
                                 {"set_up", kind.set_up}});
    }
    json["running"] = Json::array();
    for (const auto& guest : listing.running) {
        json["running"].push_back(
            {{"kind", guest.kind}, {"process", guest.pid}, {"accelerator", guest.accelerator}});
    }
    return json.text();
}

}  // namespace ringside::report
