// Events by libpfm4's names, "skl::INST_RETIRED:ANY". libpfm knows what processors could count, by
// their model alone, so that a name it knows says nothing about this machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "model/event.h"

namespace ringside::events {

// The library is loaded at the first call. Fails with not_found when libpfm4 is not installed, does
// not know the name, or knows it of another processor than this one, unless `of_any_processor`,
// which tests use together with LIBPFM_ENCODE_INACTIVE.
Result<model::Event> native_event(std::string_view name, bool of_any_processor = false);

struct NativeEvent {
    std::string name;  // "pmu::EVENT:UMASK"
    std::string description;
};

// Those of this processor, without the kernel's own, which have names of their own.
std::vector<NativeEvent> native_events();

}  // namespace ringside::events
