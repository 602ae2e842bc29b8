// An event set as PAPI has it: events by code, options that may come in any order, and the open
// counters of one component underneath. Each change opens the counters anew, and a change that the
// kernel refuses leaves the set as it was.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/fork.h"
#include "papi/abi.h"
#include "papi/catalogue.h"
#include "papi/formulas.h"
#include "papi/overflow_timer.h"
#include "papi/threads.h"
#include "session/component.h"

namespace ringside::papi {

// An event of the set: a native one, or a preset made of several.
struct Member {
    int code = 0;
    Formula formula;
    std::vector<std::size_t> positions;  // of its terms among the set's native events

    // From the values of the set's native events.
    std::int64_t value(std::span<const std::int64_t> counts) const;
};

// An event whose overflows are reported, to a handler or into histograms.
struct Watched {
    int code = 0;
    int threshold = 0;
    std::int64_t deadline = 0;  // when no interrupt comes: the count at which the next one is due
    std::span<PAPI_sprofil_t> histograms;
    std::unique_ptr<PAPI_sprofil_t> own_histogram;  // of PAPI_profil(), which has but one
};

// Used by one thread at a time, as PAPI asks of programs; overflows interrupt that thread.
class Set {
  public:
    // All return a PAPI code.
    int assign(int component);
    int add(int code);
    int remove(int code);
    int clean_up();

    int start();
    int stop(long long* values);
    int read(long long* values);
    // The path that programs measure with: true if the set runs, needs nothing worked out, and was
    // read. Anything else is for read().
    bool read_plain(long long* values) {
        return plainly_ != nullptr && plainly_->read_plain(as_counts(values));
    }
    int accumulate(long long* values);
    int reset();

    // Changes that only a stopped set takes.
    int attach(unsigned long tid);
    int detach();
    int attach_to_cpu(unsigned cpu);
    int set_domain(int domain);
    int set_granularity(int granularity);
    int set_inherit(int inherit);
    int set_multiplex(int ns, int flags);

    int watch(int code, int threshold, int flags, PAPI_overflow_handler_t handler);
    int profile(std::span<PAPI_sprofil_t> histograms, int code, int threshold, int flags);
    int profile_one(const PAPI_sprofil_t& histogram, int code, int threshold, int flags);
    // Looks whether events are past their deadlines; called in a signal handler.
    void look_for_overflow(std::uintptr_t pc, void* context);

    // Of the start of the timer that looks now; 0 if none does.
    std::uintptr_t timer_number() const { return timer_.number(); }

    bool running() const { return (state_ & PAPI_RUNNING) != 0; }
    int state() const { return state_; }
    int component() const { return component_; }
    int handle() const { return handle_; }
    const std::vector<Member>& members() const { return members_; }
    std::optional<std::size_t> index_of(int code) const;

    struct Settings {
        int domain = PAPI_DOM_USER;
        int granularity = PAPI_GRN_THR;
        int inherit = PAPI_INHERIT_NONE;
        unsigned long tid = 0;  // while PAPI_ATTACHED
        unsigned cpu = 0;       // while PAPI_CPU_ATTACHED
        int multiplex_ns = 0;
        int multiplex_flags = 0;
    };
    const Settings& settings() const { return settings_; }

  private:
    friend class SetTable;

    void begin(int handle);  // a fresh, empty set under this handle
    void end();

    Result<SetOptions> options() const;
    int may_change() const;
    // Takes the new settings and state if the counters can be opened with them.
    int reconfigure(const Settings& settings, int state);
    int rebuild(std::vector<Member> members);
    int reopen();
    int arm(session::Counters& counters);
    int arm_one(session::Counters& counters, std::size_t position, int threshold);
    // No longer running, whatever the counters do.
    void cease();
    int read_now(long long* values);
    // Programs have long long, the components int64_t, which is long: the same 64 bits.
    static std::int64_t* as_counts(long long* values) {
        static_assert(sizeof(long long) == sizeof(std::int64_t));
        return reinterpret_cast<std::int64_t*>(values);
    }
    void deliver(long long* values);
    void report(std::uintptr_t pc, std::uint64_t positions, std::int64_t excess, void* context);
    int forget_watched(std::size_t index);
    Watched* watched(int code);
    bool holds_thread() const { return (state_ & (PAPI_ATTACHED | PAPI_CPU_ATTACHED)) == 0; }

    session::Counters* plainly_ = nullptr;  // counters_, while it runs and is plain
    std::atomic<bool> alive_{false};
    int handle_ = PAPI_NULL;
    int component_ = PAPI_NULL;
    int state_ = PAPI_STOPPED;
    Settings settings_;
    std::shared_ptr<Thread> owner_;

    std::vector<Member> members_;
    std::vector<const Native*> natives_;  // what is open, each once
    bool plain_ = true;                   // member i is native event i, nothing to work out
    session::CountersPtr counters_;
    std::vector<std::int64_t> counts_;  // of natives_, where members are worked out from them
    std::vector<long long> kept_;       // of members_, since the last stop

    std::vector<Watched> watched_;
    int watch_flags_ = 0;
    int profile_flags_ = 0;
    PAPI_overflow_handler_t handler_ = nullptr;
    OverflowTimer timer_;
};

// Sets by handle. Finding one takes no lock.
class SetTable {
  public:
    ~SetTable();
    // nullptr if there is no such set.
    Set* find(int handle) const {
        Set* set = slot(handle);
        return set != nullptr && set->alive_.load(std::memory_order_acquire) ? set : nullptr;
    }
    // Also a set that was destroyed, which reads nothing.
    Set* slot(int handle) const {
        const auto index = static_cast<unsigned>(handle);
        if (index >= most_sets) return nullptr;
        Chunk* chunk = chunks_[index / chunk_size].load(std::memory_order_acquire);
        return chunk == nullptr ? nullptr : &(*chunk)[index % chunk_size];
    }
    // nullptr when there are too many.
    Set* create();
    void destroy(Set& set);
    // Those that are alive.
    std::vector<Set*> all() const;

  private:
    static constexpr unsigned chunk_size = 64;
    static constexpr unsigned most_sets = 1 << 20;
    using Chunk = std::array<Set, chunk_size>;

    base::Mutex mutex_;  // of create() and destroy()
    std::array<std::atomic<Chunk*>, most_sets / chunk_size> chunks_{};
    std::vector<int> free_;  // handles used before
    unsigned next_ = 0;
};

}  // namespace ringside::papi
