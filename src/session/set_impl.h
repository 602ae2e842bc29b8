// The inside of an event set.
#pragma once

#include <memory>
#include <vector>

#include "session/parts.h"
#include "session/session.h"

namespace ringside {

struct EventSet::Impl {
    Impl(std::shared_ptr<const Session::Impl> of, SetOptions chosen);

    // Opens `wanted` in place of what is there; if that fails nothing has changed.
    Result<void> rebuild(std::vector<session::Member> wanted);
    // What is said to whoever changes a set that runs.
    static Error runs();
    [[gnu::cold]] Result<void> read_values(std::span<std::int64_t> values);
    Result<void> read_scattered(std::span<std::int64_t> values);
    Result<void> read_formulas(std::span<std::int64_t> values);
    // With their verdicts, into the room that the parts have.
    Result<void> read_parts();
    std::vector<Reading> member_readings();
    void forget_intervals();
    using Say = std::string (session::Counters::*)(std::size_t) const;
    std::string gather(std::size_t index, Say say) const;
    // Tells the counters in `where` what member `index` does on overflow.
    static Result<void> apply_overflow(const std::vector<session::Member>& of, std::size_t index,
                                       std::vector<session::Part>& where);

    std::shared_ptr<const Session::Impl> session;  // keeps the components alive
    SetOptions options;
    std::vector<session::Member> members;  // in the order of adding
    std::vector<session::Part> parts;
    bool running = false;
    bool has_formula = false;
    // The members are the events of one part: what a measurement reads, without detours.
    session::Counters* only = nullptr;
    const perf::Registers* registers = &perf::no_registers;  // of `only`, while the set runs
    std::size_t size = 0;
};

}  // namespace ringside
