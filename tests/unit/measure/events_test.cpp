#include "measure/events.h"

#include <gmock/gmock.h>

namespace ringside::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(const char* text) {
    const auto events = parse_event_list(text);
    std::vector<std::string> all;
    if (!events) return {"error: " + events.error().what};
    for (const auto& event : *events) all.push_back(event.set_name());
    return all;
}

TEST(EventList, CommasInsideOfAnEventStay) {
    EXPECT_THAT(names("cycles, r1a2:u,cpu/event=0x3c,umask=1/u,faults"),
                ElementsAre("cycles", "r1a2:u", "cpu/event=0x3c,umask=1/u", "faults"));
    EXPECT_THAT(names("uprobe:/usr/bin/a:main,kprobe:do_exit"),
                ElementsAre("uprobe:/usr/bin/a:main", "kprobe:do_exit"));
    EXPECT_THAT(names("uprobe:/a:main,cpu/event=1,umask=2/"),
                ElementsAre("uprobe:/a:main", "cpu/event=1,umask=2/"));
}

TEST(EventList, AFilterIsToldFromTheName) {
    const auto events = parse_event_list("kvm:kvm_msr{ecx == 0xc1 && data > 1},cycles");
    ASSERT_TRUE(events);
    ASSERT_EQ(events->size(), 2u);
    EXPECT_EQ((*events)[0].name, "kvm:kvm_msr");
    EXPECT_EQ((*events)[0].filter, "ecx == 0xc1 && data > 1");
    EXPECT_EQ((*events)[0].set_name(), "kvm:kvm_msr{ecx == 0xc1 && data > 1}");
}

TEST(EventList, WhatCannotBeMeantIsRefused) {
    for (const auto* bad : {"", ",", "cycles,", "a,,b", "{a,b}"}) {
        EXPECT_FALSE(parse_event_list(bad)) << bad;
    }
}

TEST(DefaultEvents, InUserModeOnlyWhatHappensThere) {
    for (const auto& event : default_events(true)) {
        EXPECT_TRUE(event.optional);
        EXPECT_TRUE(event.name.ends_with(":u")) << event.name;
        EXPECT_THAT(event.name, ::testing::Not(HasSubstr("switches")));
    }
    EXPECT_GT(default_events(false).size(), default_events(true).size());
}

TEST(Metrics, AGroupIsAllThatBeginWithItsName) {
    auto session = Session::open();
    ASSERT_TRUE(
        session.define_metrics("mine.a = page-faults\nmine.b = page-faults\nmineral = 1\n"));
    const auto found = find_metrics(session, "mine");
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 2u);
    EXPECT_EQ((*found)[0].name, "mine.a");
    EXPECT_TRUE((*found)[0].metric);
    EXPECT_EQ(find_metrics(session, "mineral")->size(), 1u);
    const auto none = find_metrics(session, "min");
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().hint, HasSubstr("mine.a"));
}

}  // namespace
}  // namespace ringside::measure
