#include "vpmu/host_events.h"

#include <gtest/gtest.h>

namespace ringside::vpmu {
namespace {

HostEventRequest on(Mask allowed) {
    HostEventRequest request;
    request.allowed = allowed;
    return request;
}

EventId add(HostEvents& events, const HostEventRequest& request) {
    const EventId id = events.add(request);
    if (id != no_event) events.enable(id);
    return id;
}

bool is_placed(const HostEvents& events, EventId id) {
    return events.at(id).state == HostEventState::active;
}

TEST(HostEvents, ConstraintsAreMatchedNotTakenGreedily) {
    HostEvents events;
    const EventId anywhere = add(events, on(0b11));
    const EventId only_first = add(events, on(0b01));
    const Plan plan = events.plan(0b11, whole_cpu);
    EXPECT_EQ(plan.occupant[0], only_first);
    EXPECT_EQ(plan.occupant[1], anywhere);
}

TEST(HostEvents, AGroupIsPlacedWholeOrNotAtAll) {
    HostEvents events;
    const EventId leader = add(events, on(0b1));
    HostEventRequest member = on(0b1);
    member.leader = leader;
    const EventId second = add(events, member);
    const EventId other = add(events, on(0b1));
    const Plan plan = events.plan(0b1, whole_cpu);
    EXPECT_FALSE(is_placed(events, leader));
    EXPECT_FALSE(is_placed(events, second));
    EXPECT_EQ(plan.occupant[0], other);
}

TEST(HostEvents, PinnedEventsComeFirstAndFailVisibly) {
    HostEvents events;
    const EventId flexible = add(events, on(0b1));
    HostEventRequest pinned = on(0b1);
    pinned.pinned = true;
    const EventId first = add(events, pinned);
    const EventId second = add(events, pinned);
    events.plan(0b1, whole_cpu);
    EXPECT_TRUE(is_placed(events, first));
    EXPECT_EQ(events.at(second).state, HostEventState::error);
    EXPECT_FALSE(is_placed(events, flexible));
    // The error stays when the counter is free again, until somebody enables the event.
    events.remove(first);
    events.plan(0b1, whole_cpu);
    EXPECT_EQ(events.at(second).state, HostEventState::error);
    EXPECT_TRUE(is_placed(events, flexible));
    events.enable(second);
    events.plan(0b1, whole_cpu);
    EXPECT_TRUE(is_placed(events, second));
}

TEST(HostEvents, CpuEventsComeBeforeTaskEvents) {
    HostEvents events;
    HostEventRequest pinned = on(0b1);
    pinned.pinned = true;
    pinned.task = 7;
    const EventId task = add(events, pinned);
    pinned.task = whole_cpu;
    const EventId cpu = add(events, pinned);
    events.plan(0b1, 7);
    EXPECT_TRUE(is_placed(events, cpu));
    EXPECT_EQ(events.at(task).state, HostEventState::error);
}

TEST(HostEvents, ATaskEventFollowsItsTask) {
    HostEvents events;
    HostEventRequest request = on(0b1);
    request.task = 7;
    const EventId id = add(events, request);
    events.plan(0b1, 8);
    EXPECT_FALSE(is_placed(events, id));
    EXPECT_FALSE(events.wants_counters(8));
    events.plan(0b1, 7);
    EXPECT_TRUE(is_placed(events, id));
}

TEST(HostEvents, AnExclusiveGroupIsAlone) {
    HostEvents events;
    HostEventRequest request = on(0b11);
    request.exclusive = true;
    const EventId exclusive = add(events, request);
    const EventId other = add(events, on(0b11));
    events.plan(0b11, whole_cpu);
    EXPECT_TRUE(is_placed(events, exclusive));
    EXPECT_FALSE(is_placed(events, other));
    events.rotate();
    events.plan(0b11, whole_cpu);
    EXPECT_FALSE(is_placed(events, exclusive));
    EXPECT_TRUE(is_placed(events, other));
}

TEST(HostEvents, RotationGivesEveryoneATurn) {
    HostEvents events;
    EventId ids[5];
    for (EventId& id : ids) id = add(events, on(0b11));
    bool had_turn[5] = {};
    for (int turn = 0; turn < 5; ++turn) {
        events.plan(0b11, whole_cpu);
        events.pass_time(100, whole_cpu);
        for (int i = 0; i < 5; ++i) had_turn[i] |= is_placed(events, ids[i]);
        events.rotate();
    }
    for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE(had_turn[i]);
        EXPECT_EQ(events.at(ids[i]).enabled_ns, 500u);
        EXPECT_EQ(events.at(ids[i]).running_ns, 200u);
    }
}

TEST(HostEvents, CountsAreScaledAndZeroTimeIsNoCount) {
    HostEvent event;
    EXPECT_FALSE(event.was_counted());
    event.count = 1000;
    event.enabled_ns = 300;
    event.running_ns = 100;
    EXPECT_EQ(event.scaled(), 3000u);
    event.count = 123'456'789'012'345;
    event.enabled_ns = 4'000'000'000'000'000'000;
    event.running_ns = 1'000'000'000'000'000'000;
    EXPECT_NEAR(double(event.scaled()), 4.0 * 123'456'789'012'345, 1e6);
}

// Every set of up to five constraints over three counters, against trying all assignments.
TEST(HostEvents, FindsAPlaceForAllWheneverThereIsOne) {
    const auto fits = [](auto&& self, const Mask* allowed, unsigned count, Mask free) -> bool {
        if (count == 0) return true;
        bool found = false;
        for_each_slot(allowed[0] & free, [&](Slot slot) {
            found |= self(self, allowed + 1, count - 1, free & ~bit(slot));
        });
        return found;
    };
    for (unsigned code = 0; code < 7 * 7 * 7; ++code) {
        const Mask allowed[] = {code % 7 + 1, code / 7 % 7 + 1, code / 49 + 1};
        HostEvents events;
        EventId ids[3];
        for (int i = 0; i < 3; ++i) ids[i] = add(events, on(allowed[i]));
        events.plan(0b111, whole_cpu);
        bool all = true;
        for (const EventId id : ids) all = all && is_placed(events, id);
        EXPECT_EQ(all, fits(fits, allowed, 3, 0b111)) << code;
    }
}

TEST(HostEvents, TheTableIsBounded) {
    HostEvents events;
    for (unsigned i = 0; i < max_host_events; ++i) EXPECT_NE(events.add(on(1)), no_event);
    EXPECT_EQ(events.add(on(1)), no_event);
    HostEvents fresh;
    EXPECT_EQ(fresh.add(on(0)), no_event) << "no counter could ever count it";
    HostEventRequest orphan = on(1);
    orphan.leader = 5;
    EXPECT_EQ(fresh.add(orphan), no_event);
}

}  // namespace
}  // namespace ringside::vpmu
