// An event as the kernel is asked for it: what to count, and in which modes of the CPU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::model {

// Where an event comes from; decides how it is listed and which self-test judges it.
enum class EventKind { hardware, cache, software, architectural, pmu, raw, tracepoint, probe };

// The word used in text and JSON. Static storage.
std::string_view to_string(EventKind kind);

struct EventCode {
    std::uint32_t type = 0;  // PERF_TYPE_* or the number of a dynamic PMU
    std::uint64_t config = 0;
    std::uint64_t config1 = 0;
    std::uint64_t config2 = 0;

    bool operator==(const EventCode&) const = default;
};

// Modes that are left out, as in perf's modifiers: ":u" excludes kernel and hypervisor.
struct Exclusions {
    bool user = false;
    bool kernel = false;
    bool hypervisor = false;
    bool host = false;
    bool guest = false;

    bool operator==(const Exclusions&) const = default;
};

struct Event {
    std::string name;  // as it was asked for, modifiers included
    EventKind kind = EventKind::hardware;
    EventCode code;
    Exclusions exclude;
    bool modes_named = false;  // by ":u", ":k" or ":h": then no default may change them
    bool pinned = false;       // ":D"
    int precise = 0;           // number of "p" modifiers
    // A tracepoint counts only what this lets through, in the kernel's own language; or empty.
    std::string filter{};
    // Where a probe goes: a function of the kernel or a file. The kernel wants its address in
    // config1.
    std::string probe_text{};
};

// The same event counted in user mode only; named as perf names it ("cycles:u").
inline Event user_only(Event event) {
    event.name += event.name.find(':') == std::string::npos ? ":u" : "u";
    event.exclude.kernel = event.exclude.hypervisor = true;
    event.modes_named = true;
    return event;
}

}  // namespace ringside::model
