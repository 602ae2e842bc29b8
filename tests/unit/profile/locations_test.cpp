// What makes two places of a profile one.
#include "profile/locations.h"

#include <gtest/gtest.h>

namespace ringside::profile {
namespace {

using perf::CpuMode;

Module file_module(const std::string& path) {
    Module module;
    module.path = path;
    return module;
}

struct TwoProcesses : ::testing::Test {
    World world;
    Locations locations{world};

    // The same file at two addresses, as address space randomization does it.
    TwoProcesses() {
        world.map(1, 10, {0x1000, 0x3000, 0x400, 0}, file_module("/lib/a"), CpuMode::user);
        world.map(2, 10, {0x7000, 0x9000, 0x400, 0}, file_module("/lib/a"), CpuMode::user);
    }
    LocationId at(TaskKey pid, std::uint64_t address, std::uint64_t time_ns = 20,
                  CpuMode mode = CpuMode::user) {
        return locations.find(world.image_of(pid, time_ns), address, mode, time_ns);
    }
};

TEST_F(TwoProcesses, APlaceInAFileIsOneLocationWhereverItIsMapped) {
    const LocationId first = at(1, 0x1234);
    EXPECT_EQ(at(2, 0x7234), first);
    EXPECT_EQ(locations[first].address, 0x1234u);
    EXPECT_NE(at(1, 0x1234), at(2, 0x7235));
}

TEST_F(TwoProcesses, TheSameAddressInOtherFilesIsAnother) {
    world.map(3, 10, {0x1000, 0x3000, 0x400, 0}, file_module("/lib/b"), CpuMode::user);
    EXPECT_NE(at(1, 0x1234), at(3, 0x1234));
}

TEST_F(TwoProcesses, ModesStayApart) {
    EXPECT_NE(at(1, 0x1234), at(1, 0x1234, 20, CpuMode::guest_user));
}

TEST_F(TwoProcesses, WhatIsNotMappedIsKnownByItsAddress) {
    EXPECT_FALSE(locations[at(1, 0x5000)].mapping);
    EXPECT_EQ(at(1, 0x5000), at(2, 0x5000));
    EXPECT_NE(at(1, 0x5000), at(1, 0x5001));
}

TEST_F(TwoProcesses, GeneratedCodeIsKnownByItsAddress) {
    for (const TaskKey pid : {TaskKey{3}, TaskKey{4}}) {
        Module jit;
        jit.path = "/tmp/perf-3.map";
        jit.kind = Module::Kind::generated;
        world.map(pid, 10, {0x1000 * pid, 0x1000 * pid + 0x1000, 0, 0}, jit, CpuMode::user);
    }
    EXPECT_NE(at(3, 0x3010), at(4, 0x4010));
}

TEST_F(TwoProcesses, EachTimeHasItsMapping) {
    const LocationId old = at(1, 0x1234);
    world.map(1, 100, {0x1000, 0x2000, 0, 0}, file_module("/lib/b"), CpuMode::user);
    const LocationId newer = at(1, 0x1234, 100);
    EXPECT_NE(newer, old);
    EXPECT_EQ(at(1, 0x1234, 99), old);
    EXPECT_EQ(at(1, 0x1234, 101), newer);
}

}  // namespace
}  // namespace ringside::profile
