// The kinds of test VMs there are, which of them are set up, and which run now.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "guest/running.h"

namespace ringside::report {

struct GuestListing {
    struct Kind {
        std::string name;
        std::string about;
        std::string arch;
        bool set_up = false;
    };

    std::string cache;  // where downloads and images are kept
    std::uint64_t cached_bytes = 0;
    std::vector<Kind> kinds;
    std::vector<guest::RunningGuest> running;
};

std::string guest_list_text(const GuestListing& listing);
// Schema "ringside.guests/1".
std::string guest_list_json(const GuestListing& listing);

}  // namespace ringside::report
