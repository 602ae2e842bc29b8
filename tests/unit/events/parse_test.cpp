#include "events/parse.h"

#include <set>

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include "events/catalogue.h"
#include "events/pmu.h"

namespace ringside::events {
namespace {

const base::SysRoot machine(RINGSIDE_FIXTURES "/events");

model::EventCode code(const char* text) {
    const auto event = parse_event(machine, text);
    EXPECT_TRUE(event) << text;
    return event ? event->code : model::EventCode{~0u, 0, 0, 0};
}

std::string error(const char* text) {
    const auto event = parse_event(machine, text);
    EXPECT_FALSE(event) << text;
    return event ? "" : event.error().what;
}

TEST(ParseEvent, KernelNamesAndTheirAliases) {
    EXPECT_EQ(code("cycles"), (model::EventCode{PERF_TYPE_HARDWARE, 0, 0, 0}));
    EXPECT_EQ(code("cpu-cycles"), code("cycles"));
    EXPECT_EQ(code("page-faults"), (model::EventCode{PERF_TYPE_SOFTWARE, 2, 0, 0}));
    EXPECT_EQ(code("dTLB-store-misses"), (model::EventCode{PERF_TYPE_HW_CACHE, 0x10103, 0, 0}));
}

TEST(ParseEvent, RawEncodings) {
    EXPECT_EQ(code("r1a2"), (model::EventCode{PERF_TYPE_RAW, 0x1a2, 0, 0}));
    EXPECT_EQ(error("rxyz"), "unknown event: rxyz");
}

TEST(ParseEvent, PmuTermsAreSpreadOverTheirBits) {
    EXPECT_EQ(code("cpu/event=0x13c,umask=0x2/"), (model::EventCode{4, 0x10000023c, 0, 0}));
    EXPECT_EQ(code("cpu/cpu-cycles/"), (model::EventCode{4, 0x76, 0, 0}));
    EXPECT_EQ(code("cpu/event=1,edge/"), (model::EventCode{4, 0x40001, 0, 0}));
    EXPECT_EQ(code("cpu/config1=7/"), (model::EventCode{4, 0, 7, 0}));
}

TEST(ParseEvent, WhatDoesNotFitIsRefused) {
    EXPECT_NE(error("cpu/umask=0x100/").find("does not fit"), std::string::npos);
    EXPECT_NE(error("cpu/nope=1/").find("no event or term named nope"), std::string::npos);
    EXPECT_NE(error("gpu/x/").find("no PMU named gpu"), std::string::npos);
    EXPECT_NE(error("../cpu/x/").find("no"), std::string::npos);
    EXPECT_NE(error("cpu/../../x/").find("not an event term"), std::string::npos);
    EXPECT_NE(error("cpu/event=zz/").find("not a number"), std::string::npos);
    EXPECT_EQ(error(""), "an event needs a name");
}

TEST(ParseEvent, ModifiersNameTheLevelsThatCount) {
    const auto user = parse_event(machine, "cycles:u").value();
    EXPECT_EQ(user.name, "cycles:u");
    EXPECT_EQ(user.exclude, (model::Exclusions{false, true, true, false, false}));
    const auto guest = parse_event(machine, "instructions:Gk").value();
    EXPECT_TRUE(guest.exclude.host);
    EXPECT_FALSE(guest.exclude.guest);
    EXPECT_TRUE(guest.exclude.user);
    const auto pinned = parse_event(machine, "cpu/cpu-cycles/Dpp").value();
    EXPECT_TRUE(pinned.pinned);
    EXPECT_EQ(pinned.precise, 2);
}

TEST(ParseEvent, Tracepoints) {
    EXPECT_EQ(code("kvm:kvm_exit"), (model::EventCode{PERF_TYPE_TRACEPOINT, 1234, 0, 0}));
    EXPECT_EQ(code("kvm:kvm_exit:k"), code("kvm:kvm_exit"));
    EXPECT_EQ(error("kvm:none"), "this kernel has no tracepoint kvm:none");
}

TEST(PmuEvents, ListsWhatSysfsNames) {
    std::vector<std::string> names;
    for (const auto& event : pmu_events(machine)) names.push_back(event.name);
    EXPECT_EQ(names, (std::vector<std::string>{"cpu/cpu-cycles/"}));
    EXPECT_EQ(tracepoints(machine).size(), 1u);
}

TEST(Catalogue, NamesAreUnique) {
    std::set<std::string> names;
    for (const auto& entry : generic_events()) EXPECT_TRUE(names.insert(entry.event.name).second);
    EXPECT_GE(names.size(), 40u);
    for (const char* line : {"arm64", "intel", "amd"}) {
        EXPECT_FALSE(architectural_events(line).empty()) << line;
    }
}

}  // namespace
}  // namespace ringside::events
