#include "perf/group.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/assert.h"
#include "base/error.h"
#include "perf/registers.h"

namespace ringside::perf {

namespace {

OpenOptions options_for(const GroupMember& member, const GroupOptions& group, bool leads) {
    OpenOptions options;
    options.group_read = true;
    // The kernel takes these of the leader; a member that is enabled waits for it.
    options.disabled = leads;
    options.enable_on_exec = leads && group.enable_on_exec;
    options.pinned = leads && group.pinned;
    options.inherit = group.inherit;
    options.inherit_thread = group.inherit_thread;
    options.sample_period = member.sample_period;
    options.sample_type = member.sample_type;
    options.wakes_each = member.sample_period != 0;
    if (member.lend_register) options.config1_extra = lend_to_user_config1;
    return options;
}

}  // namespace

Result<Group> Group::open(std::span<const GroupMember> members, const Target& target,
                          const GroupOptions& options) {
    RINGSIDE_ASSERT(!members.empty());
    std::vector<EventFd> events;
    events.reserve(members.size());
    for (const auto& member : members) {
        const EventFd* leader = events.empty() ? nullptr : &events.front();
        auto opened = EventFd::open(member.event, target,
                                    options_for(member, options, leader == nullptr), leader);
        if (!opened) return opened.error();
        events.push_back(std::move(*opened));
    }
    return Group(std::move(events));
}

// When the CPU of a group goes offline, the kernel makes each member an event of its own, with the
// count it had. Older ones (seen: 6.1.176, no more in 6.1.190) leave members with the size of the
// group and the leader's count: their own is lost, and stays what it was at the last read.
bool Group::read_apart(GroupCount& count) {
    bool on_counters = true;
    std::array<std::uint64_t, words_before + 1> own{};
    for (std::size_t i = 0; i < events_.size(); ++i) {
        const long got = ::syscall(SYS_read, events_[i].fd(), own.data(), sizeof own);
        if (got < 0 && errno == ENOSPC && i > 0) continue;
        if (got != 0 && got != static_cast<long>(sizeof own)) return false;
        on_counters = on_counters && got != 0;
        words_[words_before + i] = own[words_before];
        if (i == 0) std::copy_n(own.begin(), words_before, words_.begin());
    }
    count = last(on_counters);
    return true;
}

Error Group::read_error() {
    const int error = errno;
    if (error == 0) return base::fail(ErrorCode::io, "a group of perf events gave a short read");
    return base::fail_errno(error, "cannot read a group of perf events");
}

}  // namespace ringside::perf
