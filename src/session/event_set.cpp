// The public event set: keeps the order in which events were added, and lets the components count.
#include <algorithm>

#include <unistd.h>

#include "base/assert.h"
#include "base/error.h"
#include "session/parts.h"
#include "session/scaling.h"
#include "session/set_impl.h"

namespace ringside {

using base::fail;
using session::Member;
using session::Part;

EventSet::EventSet(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
EventSet::EventSet(EventSet&&) noexcept = default;
EventSet& EventSet::operator=(EventSet&&) noexcept = default;
EventSet::~EventSet() = default;

EventSet::Impl::Impl(std::shared_ptr<const Session::Impl> of, SetOptions chosen)
    : session(std::move(of)), options(std::move(chosen)) {
    // Whoever makes the set is its calling thread, wherever it is used later.
    if (options.target.kind == Target::Kind::calling_thread) options.target.id = ::gettid();
}

Result<void> EventSet::Impl::rebuild(std::vector<Member> wanted) {
    auto arranged = session::arrange(wanted);
    // Handlers are told the event's place in the set, which may have changed: then all is opened
    // anew.
    std::vector<Part> none;
    const bool handlers = std::any_of(wanted.begin(), wanted.end(),
                                      [](const Member& each) { return each.overflow_period != 0; });
    auto& reusable = handlers ? none : parts;
    if (auto done = session::open_parts(*session, options, arranged, reusable); !done) return done;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].overflow_period == 0) continue;
        if (auto done = apply_overflow(wanted, i, arranged); !done) return done;
    }
    members = std::move(wanted);
    parts = std::move(arranged);
    has_formula = std::any_of(members.begin(), members.end(),
                              [](const Member& member) { return member.formula.has_value(); });
    size = members.size();
    bool in_order = parts.size() == 1 && !has_formula && parts.front().events.size() == size;
    for (std::size_t i = 0; in_order && i < size; ++i) {
        in_order = members[i].terms.front().index == i;
    }
    only = in_order ? parts.front().counters.get() : nullptr;
    return {};
}

Result<void> EventSet::Impl::apply_overflow(const std::vector<Member>& of, std::size_t index,
                                            std::vector<Part>& where) {
    const Member& member = of[index];
    auto by_set_index = [handler = member.overflow_handler, index](const Overflow& overflow) {
        handler({overflow.ip, std::uint64_t{1} << index, overflow.context});
    };
    const session::Term& term = member.terms.front();
    return where[term.part].counters->on_overflow(term.index, member.overflow_period,
                                                  std::move(by_set_index));
}

Error EventSet::Impl::runs() {
    return fail(ErrorCode::busy, "the event set runs", "stop it first");
}

Result<void> EventSet::add(std::string_view name) {
    return add(std::span(&name, 1));
}

Result<void> EventSet::add(std::span<const std::string_view> names) {
    if (impl_->running) return Impl::runs();
    std::vector<Member> wanted = impl_->members;
    for (const auto name : names) {
        if (std::any_of(wanted.begin(), wanted.end(),
                        [&](const Member& member) { return member.name == name; })) {
            return fail(ErrorCode::bad_input, std::string(name) + " is in the set already");
        }
        auto member = session::make_member(*impl_->session, name);
        if (!member) return member.error();
        wanted.push_back(std::move(*member));
    }
    return impl_->rebuild(std::move(wanted));
}

Result<void> EventSet::remove(std::string_view name) {
    if (impl_->running) return Impl::runs();
    std::vector<Member> wanted = impl_->members;
    if (std::erase_if(wanted, [&](const Member& member) { return member.name == name; }) == 0) {
        return fail(ErrorCode::not_found, std::string(name) + " is not in the set");
    }
    return impl_->rebuild(std::move(wanted));
}

std::size_t EventSet::size() const {
    return impl_->members.size();
}

const std::string& EventSet::name(std::size_t index) const {
    RINGSIDE_ASSERT(index < size());
    return impl_->members[index].name;
}

// The first component, which has the finest events, starts last and stops first.
Result<void> EventSet::start() {
    if (impl_->running) return Impl::runs();
    if (size() == 0) return fail(ErrorCode::bad_input, "the event set is empty", "add an event");
    auto& parts = impl_->parts;
    impl_->forget_intervals();
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        if (auto done = part->counters->start(); !done) {
            while (part != parts.rbegin()) static_cast<void>((--part)->counters->stop());
            return done;
        }
    }
    impl_->running = true;
    if (impl_->only != nullptr) impl_->registers = &impl_->only->registers();
    return {};
}

Result<void> EventSet::stop() {
    if (!impl_->running) return fail(ErrorCode::bad_input, "the event set does not run");
    impl_->running = false;
    impl_->registers = &perf::no_registers;
    Result<void> outcome;
    for (auto& part : impl_->parts) {
        if (auto done = part.counters->stop(); !done) outcome = done;
    }
    return outcome;
}

bool EventSet::running() const {
    return impl_->running;
}

void EventSet::Impl::forget_intervals() {
    for (auto& part : parts) part.before.assign(part.before.size(), {});
}

Result<void> EventSet::reset() {
    impl_->forget_intervals();
    for (auto& part : impl_->parts) {
        if (auto done = part.counters->reset(); !done) return done;
    }
    return {};
}

Result<void> EventSet::read(std::span<std::int64_t> values) {
    if (impl_->registers->read(values.data(), values.size())) return {};
    return impl_->read_values(values);
}

Result<void> EventSet::Impl::read_values(std::span<std::int64_t> values) {
    if (only != nullptr && values.size() >= size) return only->read_values(values.first(size));
    return read_scattered(values);
}

Result<void> EventSet::Impl::read_scattered(std::span<std::int64_t> values) {
    if (values.size() < size) return fail(ErrorCode::bad_input, "no room for all values");
    if (has_formula) return read_formulas(values);
    for (auto& part : parts) {
        if (auto done = part.counters->read_values(part.values); !done) return done;
    }
    for (std::size_t i = 0; i < size; ++i) {
        const session::Term& term = members[i].terms.front();
        values[i] = parts[term.part].values[term.index];
    }
    return {};
}

Result<void> EventSet::Impl::read_formulas(std::span<std::int64_t> values) {
    for (auto& part : parts) {
        if (auto done = part.counters->read(part.readings); !done) return done;
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
        values[i] = session::reading_of(members[i], parts).value;
    }
    return {};
}

Result<void> EventSet::Impl::read_parts() {
    for (auto& part : parts) {
        if (auto done = part.counters->read(part.readings); !done) return done;
        part.counters->judge(part.readings);
    }
    return {};
}

std::vector<Reading> EventSet::Impl::member_readings() {
    std::vector<Reading> readings;
    readings.reserve(size);
    for (auto& member : members) readings.push_back(session::reading_of(member, parts));
    return readings;
}

Result<std::vector<Reading>> EventSet::read() {
    if (auto done = impl_->read_parts(); !done) return done.error();
    return impl_->member_readings();
}

Result<std::vector<Reading>> EventSet::read_interval() {
    if (auto done = impl_->read_parts(); !done) return done.error();
    for (auto& part : impl_->parts) {
        const std::vector<Reading> now = part.readings;
        for (std::size_t i = 0; i < now.size(); ++i) {
            if (!part.events[i].level) part.readings[i] = session::between(part.before[i], now[i]);
        }
        part.before = now;
    }
    return impl_->member_readings();
}

Result<void> EventSet::accumulate(std::span<std::int64_t> values) {
    if (values.size() < size()) return fail(ErrorCode::bad_input, "no room for all values");
    std::vector<std::int64_t> now(size());
    if (auto done = read(now); !done) return done;
    for (std::size_t i = 0; i < now.size(); ++i) values[i] += now[i];
    return reset();
}

// What the counters say about each event that the member is made of.
std::string EventSet::Impl::gather(std::size_t index, Say say) const {
    RINGSIDE_ASSERT(index < members.size());
    std::string text;
    for (const auto& term : members[index].terms) {
        if (!term.found) continue;
        const Part& part = parts[term.part];
        const std::string said = (*part.counters.*say)(term.index);
        if (said.empty()) continue;
        if (!text.empty()) text += "; ";
        if (members[index].terms.size() > 1) text += part.events[term.index].name + ": ";
        text += said;
    }
    return text;
}

std::string EventSet::explain(std::size_t index) const {
    return impl_->gather(index, &session::Counters::explain);
}

std::string EventSet::reason(std::size_t index) const {
    return impl_->gather(index, &session::Counters::reason);
}

Result<void> EventSet::on_overflow(std::size_t index, std::uint64_t period,
                                   OverflowHandler handler) {
    if (impl_->running) return Impl::runs();
    constexpr std::size_t most_events = 64;  // Overflow::events has a bit for each
    if (index >= std::min(size(), most_events)) {
        return fail(ErrorCode::bad_input, "the set has no such event");
    }
    if (impl_->members[index].formula) {
        return fail(ErrorCode::unsupported, name(index) + " is made of several events",
                    "have one of them call the handler");
    }
    if (period != 0 && !handler) return fail(ErrorCode::bad_input, "an overflow needs a handler");
    std::vector<Member> changed = impl_->members;
    changed[index].overflow_period = period;
    changed[index].overflow_handler = std::move(handler);
    if (auto done = Impl::apply_overflow(changed, index, impl_->parts); !done) return done;
    impl_->members = std::move(changed);
    return {};
}

}  // namespace ringside
