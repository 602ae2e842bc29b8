// The verdict on a counter. No value leaves Ringside without one, because inside a virtual machine
// a 0 can mean seven different things.
#pragma once

#include <string_view>

#include <ringside/export.h>

namespace ringside {

enum class CounterState {
    ok,             // counts, and the number can be used; an honest 0 included
    dead,           // opens, claims to run, never counts
    starved,        // the host took the hardware counter away while the guest believed it ran
    absent,         // this machine or kernel has no such event
    not_permitted,  // the kernel refuses it to this user
    not_scheduled,  // opened, but never got onto a counter
    implausible,    // counts, but the number contradicts what is known to have happened
};

// The name used in text, JSON and CSV: "ok", "dead", ... Static storage.
RINGSIDE_API std::string_view to_string(CounterState state);

}  // namespace ringside
