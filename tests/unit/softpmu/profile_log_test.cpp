// What a profile keeps, and that it is bounded; how long an access to a device took.
#include "softpmu/profile_log.h"

#include <cstdlib>
#include <memory>

#include <gtest/gtest.h>

#include "made_kernel.h"
#include "softpmu/device_clock.h"

namespace ringside::softpmu {
namespace {

TEST(DeviceClock, TimesBlocksThatReachedADeviceBefore) {
    DeviceClock clock;
    int asked = 0;
    const auto at = [&](std::uint64_t ns) {
        return [&asked, ns] {
            ++asked;
            return ns;
        };
    };
    clock.enter(0x1000, at(10));
    EXPECT_EQ(asked, 0) << "costs nothing";
    EXPECT_EQ(clock.reached(50), std::nullopt) << "nobody knew";
    clock.go_on(60);
    EXPECT_EQ(clock.reached(75), 15u) << "a second one in the same block";
    clock.enter(0x1000, at(100));
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(clock.reached(130), 30u);
    clock.enter(0x2000, at(200));
    EXPECT_EQ(asked, 1) << "another block";
    EXPECT_EQ(clock.reached(210), std::nullopt);
    clock.enter(0x1000, at(300));
    EXPECT_EQ(clock.reached(299), std::nullopt) << "no clock goes back";
}

TEST(OffCpuWatch, TellsLongAccessesThatWereInterrupted) {
    OffCpuWatch watch;
    std::uint64_t switches = 5;
    int asked = 0;
    const auto so_far = [&] { return ++asked, switches; };
    const std::uint64_t begin = 10 * OffCpuWatch::fresh_ns;
    EXPECT_FALSE(watch.was_off(100, begin, so_far));
    EXPECT_EQ(asked, 1);
    EXPECT_FALSE(watch.was_off(100, begin + 1000, so_far));
    EXPECT_EQ(asked, 1) << "short, and asked just before";
    EXPECT_FALSE(watch.was_off(OffCpuWatch::long_ns, begin + 2000, so_far)) << "long for itself";
    ++switches;
    EXPECT_TRUE(watch.was_off(OffCpuWatch::long_ns, begin + 3000, so_far));
    EXPECT_FALSE(watch.was_off(OffCpuWatch::long_ns, begin + 4000, so_far));
    ++switches;
    EXPECT_FALSE(watch.was_off(100, begin + 5000, so_far));
    EXPECT_FALSE(watch.was_off(100, begin + 3 * OffCpuWatch::fresh_ns, so_far)) << "short";
    EXPECT_FALSE(watch.was_off(OffCpuWatch::long_ns, begin + 3 * OffCpuWatch::fresh_ns + 1, so_far))
        << "it was off between them";
}

class Log : public ::testing::Test {
  protected:
    // Much, and all of it 0: the system gives it only where it is written.
    Log() : memory_(static_cast<char*>(std::calloc(1, ProfileLog::bytes())), std::free) {
        log_.open(memory_.get(), 4096, 500);
    }
    const soft_guest_sample& sample(std::uint64_t index) {
        return reinterpret_cast<soft_guest_sample*>(memory_.get() + log_.shown().sample_offset -
                                                    4096)[index];
    }
    const soft_exit& exit(std::uint64_t index) {
        return reinterpret_cast<soft_exit*>(memory_.get() + log_.shown().exit_offset - 4096)[index];
    }

    std::unique_ptr<char, decltype(&std::free)> memory_;
    ProfileLog log_;
};

TEST_F(Log, SamplesKnowTheirTaskAndMapping) {
    MadeKernel kernel;
    log_.shown().kernel = kernel.facts;
    log_.look_for_tasks(GuestMemory(kernel.memory(), kernel.memory().size()));
    EXPECT_EQ(log_.shown().task_state, SOFT_TASKS_KNOWN);
    log_.add_sample(SOFT_SAMPLE_INSTRUCTIONS, MadeKernel::code + 4, 1000, 1, 5);
    log_.add_sample(SOFT_SAMPLE_DEVICE_NS, 0xffffffff81000004, 500, 1, 6);
    log_.add_sample(SOFT_SAMPLE_INSTRUCTIONS, MadeKernel::code + 8, 1000, 1, 7);
    log_.add_sample(SOFT_SAMPLE_INSTRUCTIONS, MadeKernel::code + 8, 1000, 0, 8);
    EXPECT_EQ(log_.shown().sample_count, 4u);
    EXPECT_EQ(log_.shown().map_count, 1u) << "the same one twice";
    EXPECT_EQ(sample(0).pid, 4700u);
    EXPECT_STREQ(sample(0).comm, "worker");
    EXPECT_EQ(sample(0).map, 0u);
    EXPECT_EQ(sample(1).tid, 4711u);
    EXPECT_EQ(sample(1).map, SOFT_NO_MAP) << "the kernel's code is no file's";
    EXPECT_EQ(sample(2).map, 0u);
    EXPECT_EQ(sample(3).pid, SOFT_NO_PROCESS) << "a CPU that is not there";
}

TEST_F(Log, FollowsSwitchesWhereNoVariableHasTheTask) {
    MadeKernel kernel;
    kernel.make_switch_code();
    log_.shown().kernel = kernel.facts;
    log_.look_for_tasks(GuestMemory(kernel.memory(), kernel.memory().size()));
    EXPECT_EQ(log_.switch_load(), MadeKernel::image + MadeKernel::switch_load);
    const auto sampled_pid = [&](std::uint32_t vcpu) {
        log_.add_sample(SOFT_SAMPLE_INSTRUCTIONS, MadeKernel::code, 1000, vcpu, 5);
        return sample(log_.shown().sample_count - 1).pid;
    };
    EXPECT_EQ(sampled_pid(1), SOFT_NO_PROCESS) << "what it ran before is not known";
    constexpr std::uint64_t task = MadeKernel::direct + MadeKernel::task;
    const std::uint64_t loaded = task + kernel.facts.task_context;
    log_.switch_task(1, loaded);
    log_.switch_task(1, loaded + 8);  // the second register of the pair
    EXPECT_EQ(sampled_pid(1), 4700u);
    EXPECT_EQ(sampled_pid(0), SOFT_NO_PROCESS) << "the other one did not switch";
    log_.look_for_tasks(GuestMemory(kernel.memory(), kernel.memory().size()));
    EXPECT_EQ(sampled_pid(1), SOFT_NO_PROCESS) << "it was switched off, and may run another one";
    log_.switch_task(1, loaded + MadeKernel::memory_bytes);
    EXPECT_EQ(sampled_pid(1), SOFT_NO_PROCESS) << "no task can be there";
    log_.switch_task(SOFT_PROFILE_CPUS, loaded);
    EXPECT_EQ(sampled_pid(SOFT_PROFILE_CPUS), SOFT_NO_PROCESS) << "a CPU beyond those followed";
}

TEST_F(Log, SaysWhyThereAreNoTasks) {
    MadeKernel kernel;
    const GuestMemory memory(kernel.memory(), kernel.memory().size());
    EXPECT_EQ(log_.shown().task_state, SOFT_TASKS_NO_KERNEL);
    log_.look_for_tasks(memory);
    EXPECT_EQ(log_.shown().task_state, SOFT_TASKS_NO_KERNEL);
    log_.shown().kernel = kernel.facts;
    log_.look_for_tasks(GuestMemory());
    EXPECT_EQ(log_.shown().task_state, SOFT_TASKS_NO_MEMORY);
    kernel.put_text(MadeKernel::banner, "something else");
    log_.look_for_tasks(memory);
    EXPECT_EQ(log_.shown().task_state, SOFT_TASKS_OTHER_KERNEL);
    log_.add_sample(SOFT_SAMPLE_INSTRUCTIONS, MadeKernel::code, 1000, 1, 5);
    EXPECT_EQ(sample(0).pid, SOFT_NO_PROCESS);
}

TEST_F(Log, AddsUpAccesses) {
    log_.add_access({0x10, 2, true, 700, false});
    log_.add_access({0x10, 2, true, std::nullopt, false});
    log_.add_access({0x10, 2, true, 900'000, true});
    log_.add_access({0x10, 2, false, 100, false});
    ASSERT_EQ(log_.shown().exit_count, 2u);
    EXPECT_EQ(exit(0).count, 3u);
    EXPECT_EQ(exit(0).timed, 1u);
    EXPECT_EQ(exit(0).off_cpu, 1u);
    EXPECT_EQ(exit(0).total_ns, 700u) << "not what another program took of the CPU";
    EXPECT_EQ(exit(1).is_write, 0u);
}

TEST_F(Log, KeepsNothingOnceItIsStopped) {
    log_.add_access({0x10, 2, true, 700, false});
    log_.shown().stopped = 1;
    log_.add_access({0x10, 2, true, 700, false});
    log_.add_sample(SOFT_SAMPLE_INSTRUCTIONS, 1, 1, 0, 1);
    EXPECT_EQ(exit(0).count, 1u);
    EXPECT_EQ(log_.shown().sample_count, 0u);
}

// A guest may reach devices from as much code as it likes.
TEST_F(Log, IsBounded) {
    for (std::uint64_t i = 1; i <= std::uint64_t{3} * SOFT_PROFILE_EXITS; ++i) {
        log_.add_access({i, 1, false, 10, false});
    }
    EXPECT_EQ(log_.shown().exit_count, SOFT_PROFILE_EXITS);
    std::uint64_t all = 0;
    for (std::uint64_t i = 0; i < SOFT_PROFILE_EXITS; ++i) all += exit(i).count;
    EXPECT_EQ(all, std::uint64_t{3} * SOFT_PROFILE_EXITS) << "none is lost";
    EXPECT_EQ(exit(SOFT_PROFILE_EXITS - 1).device, SOFT_EXIT_OTHERS);
    log_.shown().sample_count = SOFT_PROFILE_SAMPLES;
    log_.add_sample(SOFT_SAMPLE_INSTRUCTIONS, 1, 1, 0, 1);
    EXPECT_EQ(log_.shown().sample_count, SOFT_PROFILE_SAMPLES + 1) << "counted as lost";
}

}  // namespace
}  // namespace ringside::softpmu
