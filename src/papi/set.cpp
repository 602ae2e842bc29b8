#include "papi/set.h"

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <sched.h>
#include <unistd.h>

#include "papi/errors.h"
#include "papi/formulas.h"
#include "papi/library.h"

namespace ringside::papi {

void Set::begin(int handle) {
    handle_ = handle;
    component_ = PAPI_NULL;
    state_ = PAPI_STOPPED;
    settings_ = Settings{};
    owner_ = library().threads.current();
    alive_.store(true, std::memory_order_release);
}

void Set::end() {
    // A forked child shares its parent's events: were it to stop them, they would stop for both.
    if (running() && library().pid != ::getpid()) cease();
    if (running()) (void)stop(nullptr);
    (void)clean_up();
    owner_.reset();
    alive_.store(false, std::memory_order_release);
}

std::optional<std::size_t> Set::index_of(int code) const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if (members_[i].code == code) return i;
    }
    return std::nullopt;
}

int Set::assign(int component) {
    if (component_ >= 0) return PAPI_EINVAL;
    const auto& info = library().catalogue().defaults(component);
    component_ = component;
    settings_.domain = info.default_domain;
    settings_.granularity = info.default_granularity;
    return PAPI_OK;
}

int Set::add(int code) {
    if (running()) return PAPI_EISRUN;
    if (index_of(code)) return PAPI_ECNFLCT;
    const Formula formula = library().formulas.of(code);
    if (formula.component < 0) return formula.component;
    if (component_ >= 0 && component_ != formula.component) return PAPI_EINVAL;
    const bool assigned = component_ >= 0;
    if (!assigned) (void)assign(formula.component);
    auto members = members_;
    members.push_back(Member{code, formula, {}});
    const int result = rebuild(std::move(members));
    if (result != PAPI_OK && !assigned) component_ = PAPI_NULL;
    return result;
}

int Set::remove(int code) {
    if (running()) return PAPI_EISRUN;
    const auto index = index_of(code);
    if (!index) return PAPI_ENOEVNT;
    for (std::size_t i = 0; i < watched_.size(); ++i) {
        if (watched_[i].code == code) {
            if (const int result = forget_watched(i); result != PAPI_OK) return result;
            break;
        }
    }
    auto members = members_;
    members.erase(members.begin() + static_cast<std::ptrdiff_t>(*index));
    return rebuild(std::move(members));
}

int Set::clean_up() {
    if (running()) return PAPI_EISRUN;
    watched_.clear();
    handler_ = nullptr;
    watch_flags_ = profile_flags_ = 0;
    state_ &= ~(PAPI_OVERFLOWING | PAPI_PROFILING | PAPI_MULTIPLEXING | PAPI_ATTACHED |
                PAPI_CPU_ATTACHED);
    members_.clear();
    natives_.clear();
    counters_.reset();
    counts_.clear();
    kept_.clear();
    component_ = PAPI_NULL;
    settings_ = Settings{};
    return PAPI_OK;
}

namespace {

// Each native event once, in the order in which the members first need it.
std::vector<const Native*> natives_for(std::vector<Member>& members) {
    std::vector<const Native*> natives;
    auto& catalogue = library().catalogue();
    for (auto& member : members) {
        member.positions.clear();
        for (const auto& term : member.formula.terms) {
            const Native* native = catalogue.native(term);
            const auto found = std::find(natives.begin(), natives.end(), native);
            member.positions.push_back(static_cast<std::size_t>(found - natives.begin()));
            if (found == natives.end()) natives.push_back(native);
        }
    }
    return natives;
}

bool is_plain(const std::vector<Member>& members) {
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (members[i].formula.derived() || members[i].positions.front() != i) return false;
    }
    return true;
}

}  // namespace

int Set::rebuild(std::vector<Member> members) {
    auto natives = natives_for(members);
    std::swap(members_, members);
    std::swap(natives_, natives);
    if (const int result = reopen(); result != PAPI_OK) {
        std::swap(members_, members);
        std::swap(natives_, natives);
        return result;
    }
    plain_ = is_plain(members_);
    kept_.assign(members_.size(), 0);
    return PAPI_OK;
}

Result<SetOptions> Set::options() const {
    SetOptions options;
    options.domains.user = (settings_.domain & PAPI_DOM_USER) != 0;
    options.domains.kernel = (settings_.domain & PAPI_DOM_KERNEL) != 0;
    options.domains.hypervisor = (settings_.domain & PAPI_DOM_SUPERVISOR) != 0;
    options.inherit = settings_.inherit != PAPI_INHERIT_NONE;
    options.multiplex = (state_ & PAPI_MULTIPLEXING) != 0;
    if ((state_ & PAPI_ATTACHED) != 0) {
        options.target = Target::thread(static_cast<int>(settings_.tid));
    } else if ((state_ & PAPI_CPU_ATTACHED) != 0) {
        options.target = Target::on_cpus({static_cast<int>(settings_.cpu)});
    } else if (settings_.granularity == PAPI_GRN_PROC) {
        options.target = Target::process(::getpid());
    } else if (settings_.granularity != PAPI_GRN_THR) {
        options.target = Target::on_cpus({::sched_getcpu()});
    }
    return options;
}

int Set::reopen() {
    if (natives_.empty()) {
        counters_.reset();
        counts_.clear();
        return PAPI_OK;
    }
    std::vector<session::ComponentEvent> events;
    for (const Native* native : natives_) events.push_back(native->event);
    const auto chosen = options();
    if (!chosen) return code_of(chosen.error());
    auto opened = library().catalogue().source(component_).open(events, *chosen);
    if (!opened) return code_of(opened.error());
    if (const int armed = arm(**opened); armed != PAPI_OK) return armed;
    counters_ = std::move(*opened);
    counts_.assign(natives_.size(), 0);
    return PAPI_OK;
}

int Set::may_change() const {
    if (component_ < 0) return PAPI_ENOCMP;
    return running() ? PAPI_EISRUN : PAPI_OK;
}

int Set::reconfigure(const Settings& settings, int state) {
    const Settings kept_settings = settings_;
    const int kept_state = state_;
    settings_ = settings;
    state_ = state;
    const int result = reopen();
    if (result != PAPI_OK) {
        settings_ = kept_settings;
        state_ = kept_state;
    }
    return result;
}

int Set::attach(unsigned long tid) {
    if (component_ < 0) return PAPI_ENOCMP;
    if (library().catalogue().defaults(component_).attach == 0) return PAPI_ECMP;
    if (running()) return PAPI_EISRUN;
    if ((state_ & PAPI_ATTACHED) != 0) return PAPI_EINVAL;
    if ((state_ & PAPI_CPU_ATTACHED) != 0) return PAPI_ECMP;
    if (tid > INT32_MAX || (::kill(static_cast<pid_t>(tid), 0) != 0 && errno == ESRCH)) {
        return PAPI_EINVAL;
    }
    Settings wanted = settings_;
    wanted.tid = tid;
    return reconfigure(wanted, state_ | PAPI_ATTACHED);
}

int Set::detach() {
    if (component_ < 0) return PAPI_ENOCMP;
    if (library().catalogue().defaults(component_).attach == 0) return PAPI_ECMP;
    if ((state_ & PAPI_CPU_ATTACHED) != 0) return PAPI_ECMP;
    if (running()) return PAPI_EISRUN;
    if ((state_ & PAPI_ATTACHED) == 0) return PAPI_EINVAL;
    Settings wanted = settings_;
    wanted.tid = 0;
    return reconfigure(wanted, state_ & ~PAPI_ATTACHED);
}

int Set::attach_to_cpu(unsigned cpu) {
    if (component_ < 0) return PAPI_ENOCMP;
    if (library().catalogue().defaults(component_).cpu == 0) return PAPI_ECMP;
    if ((state_ & PAPI_ATTACHED) != 0 || settings_.inherit != PAPI_INHERIT_NONE) {
        return PAPI_EINVAL;
    }
    if (running()) return PAPI_EISRUN;
    Settings wanted = settings_;
    wanted.cpu = cpu;
    return reconfigure(wanted, state_ | PAPI_CPU_ATTACHED);
}

int Set::set_domain(int domain) {
    if (component_ < 0) return PAPI_ENOCMP;
    const int available = library().catalogue().defaults(component_).available_domains;
    if (domain == PAPI_DOM_ALL) domain = available;
    if ((domain & ~available) != 0) return PAPI_EINVAL_DOM;
    if (running()) return PAPI_EISRUN;
    Settings wanted = settings_;
    wanted.domain = domain;
    return reconfigure(wanted, state_);
}

int Set::set_granularity(int granularity) {
    if (component_ < 0) return PAPI_ENOCMP;
    const int available = library().catalogue().defaults(component_).available_granularities;
    if ((granularity & ~available) != 0) return PAPI_EINVAL;
    if (running()) return PAPI_EISRUN;
    Settings wanted = settings_;
    wanted.granularity = granularity;
    return reconfigure(wanted, state_);
}

int Set::set_inherit(int inherit) {
    if (component_ < 0) return PAPI_ENOCMP;
    if (library().catalogue().defaults(component_).inherit == 0) return PAPI_ECMP;
    if (running()) return PAPI_EISRUN;
    if ((state_ & PAPI_CPU_ATTACHED) != 0) return PAPI_ECMP;
    Settings wanted = settings_;
    wanted.inherit = inherit;
    return reconfigure(wanted, state_);
}

int Set::set_multiplex(int ns, int flags) {
    if (const int result = may_change(); result != PAPI_OK) return result;
    if ((state_ & PAPI_MULTIPLEXING) != 0 || ns < 0) return PAPI_EINVAL;
    Settings wanted = settings_;
    wanted.multiplex_ns = ns;
    wanted.multiplex_flags = flags;
    return reconfigure(wanted, state_ | PAPI_MULTIPLEXING);
}

SetTable::~SetTable() {
    for (auto& chunk : chunks_) delete chunk.load();
}

Set* SetTable::create() {
    const std::lock_guard lock(mutex_);
    int handle = static_cast<int>(next_);
    if (!free_.empty()) {
        handle = free_.back();
        free_.pop_back();
    } else {
        if (next_ == most_sets) return nullptr;
        auto& chunk = chunks_[next_ / chunk_size];
        if (chunk.load(std::memory_order_relaxed) == nullptr) {
            chunk.store(new Chunk, std::memory_order_release);
        }
        ++next_;
    }
    Set* set = slot(handle);
    set->begin(handle);
    return set;
}

void SetTable::destroy(Set& set) {
    const std::lock_guard lock(mutex_);
    set.end();
    free_.push_back(set.handle());
}

std::vector<Set*> SetTable::all() const {
    std::vector<Set*> alive;
    for (unsigned handle = 0; handle < next_; ++handle) {
        if (Set* set = find(static_cast<int>(handle))) alive.push_back(set);
    }
    return alive;
}

}  // namespace ringside::papi
