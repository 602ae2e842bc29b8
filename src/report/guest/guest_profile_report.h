// What `ringside guest run --profile` says of a profile, as text and as JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "record/recorder.h"
#include "soft/guest_profile.h"

namespace ringside::report {

struct GuestProfileSummary {
    std::string file;
    std::uint64_t period = 0;
    record::Summary recorded;
    soft::HostRate rate;
    std::uint64_t instructions = 0;  // counted, not sampled
    std::vector<soft::DeviceCost> devices;
    std::vector<soft::DeviceCost> functions;  // the same by function
    std::vector<std::string> notes;
};

// What an instruction of the domain-switch accounting is, with its factor.
std::string domain_unit(const soft::HostRate& rate);

std::string guest_profile_text(const GuestProfileSummary& summary);
// Schema ringside.guest-profile/1.
std::string guest_profile_json(const GuestProfileSummary& summary);

}  // namespace ringside::report
