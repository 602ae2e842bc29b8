#include "guest/running.h"

#include <gmock/gmock.h>

#include "guest/machine.h"

namespace ringside::guest {
namespace {

// As /proc has it: a zero behind each word.
std::string command_line(const std::string& console) {
    MachineSpec spec;
    spec.kind = *KindTable::built_in().find("x86-guest");
    spec.kind.smp = 3;
    spec.accelerator = "tcg";
    spec.lent_fds = {{7, console}};
    std::string line;
    for (const auto& word : qemu_arguments(spec)) line += word + '\0';
    return line;
}

TEST(RunningGuest, IsKnownByItsCommandLine) {
    const auto guest = read_command_line(command_line("/tmp/ringside-box@AbCdEf/console"));
    ASSERT_TRUE(guest);
    EXPECT_EQ(guest->kind, "x86-guest");
    EXPECT_EQ(guest->cpus, "3");
    EXPECT_EQ(guest->memory_mb, "1536");
    EXPECT_EQ(guest->accelerator, "tcg");
}

TEST(RunningGuest, IsNoOtherProcess) {
    using namespace std::string_literals;
    EXPECT_FALSE(read_command_line(""));
    EXPECT_FALSE(
        read_command_line("cat\0-add-fd\0fd=7,set=7,opaque=/tmp/ringside-box@x/console\0"s));
    EXPECT_FALSE(read_command_line("qemu-system-x86_64\0-add-fd"s));
    EXPECT_FALSE(read_command_line(command_line("/var/lib/libvirt/console")));
}

}  // namespace
}  // namespace ringside::guest
