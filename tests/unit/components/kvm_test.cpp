#include "components/kvm/kvm.h"

#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../platform/temp_tree.h"
#include "base/fd.h"
#include "components/kvm/guest.h"
#include "components/kvm/host.h"
#include "components/kvm/machines.h"
#include "components/kvm/stats_file.h"
#include "readings.h"

namespace ringside::components {
namespace {

using platform::TempTree;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// --- the binary statistics -----------------------------------------------------------------------

struct Descriptor {
    std::uint32_t flags = 0;
    std::int16_t exponent = 0;
    std::uint16_t items = 1;
    std::uint32_t offset = 0;
    std::uint32_t bucket_size = 0;
    char name[16]{};
};

struct StatsImage {
    kvm_stats_header header{};
    char id[16]{};
    Descriptor stats[3];
};

StatsImage good_image() {
    StatsImage image;
    image.header = {
        0, 16, 3, offsetof(StatsImage, id), offsetof(StatsImage, stats), sizeof(StatsImage)};
    std::strcpy(image.id, "kvm-7/vcpu-0");
    image.stats[0] = {KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0, 0, "exits"};
    image.stats[1] = {KVM_STATS_TYPE_INSTANT | KVM_STATS_UNIT_BOOLEAN, 0, 1, 8, 0, "blocking"};
    image.stats[2] = {KVM_STATS_TYPE_LOG_HIST | KVM_STATS_UNIT_SECONDS, -9, 32, 16, 0, "wait_hist"};
    return image;
}

std::span<const std::byte> bytes_of(const StatsImage& image) {
    return std::as_bytes(std::span(&image, 1));
}

TEST(KvmStats, AFileDescribesItself) {
    const auto image = good_image();
    const auto layout = kvm::parse_stats_layout(bytes_of(image));
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->id, "kvm-7/vcpu-0");
    ASSERT_EQ(layout->stats.size(), 3u);
    EXPECT_EQ(layout->stats[0].name, "exits");
    EXPECT_FALSE(layout->stats[0].level);
    EXPECT_TRUE(layout->find("blocking")->level);
    EXPECT_EQ(layout->find("wait_hist")->unit, "ns");
    EXPECT_EQ(layout->find("wait_hist")->items, 32u);
    EXPECT_EQ(layout->find("wait_hist")->offset, sizeof(StatsImage) + 16);
    EXPECT_EQ(layout->find("exit"), nullptr);
}

TEST(KvmStats, UnitsOtherThanNanosecondsAreSpelledOut) {
    auto image = good_image();
    image.stats[2].exponent = -6;
    image.stats[1].flags = KVM_STATS_UNIT_BYTES | KVM_STATS_BASE_POW2;
    image.stats[1].exponent = 10;
    const auto layout = kvm::parse_stats_layout(bytes_of(image));
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->find("wait_hist")->unit, "10^-6 s");
    EXPECT_EQ(layout->find("blocking")->unit, "2^10 bytes");
}

TEST(KvmStats, WhatContradictsItselfIsRefused) {
    auto image = good_image();
    for (std::size_t length = 0; length < sizeof image; ++length) {
        EXPECT_FALSE(kvm::parse_stats_layout(bytes_of(image).first(length))) << length;
    }
    image.header.num_desc = 0xffff'ffff;
    EXPECT_FALSE(kvm::parse_stats_layout(bytes_of(image)));
    image = good_image();
    image.header.name_size = 0;
    EXPECT_FALSE(kvm::parse_stats_layout(bytes_of(image)));
    image = good_image();
    image.header.desc_offset = 0xffff'fff0;
    EXPECT_FALSE(kvm::parse_stats_layout(bytes_of(image)));
    image = good_image();
    image.stats[1].items = 0;
    EXPECT_FALSE(kvm::parse_stats_layout(bytes_of(image)));
    image = good_image();
    std::memset(image.stats[0].name, 0, sizeof image.stats[0].name);
    EXPECT_FALSE(kvm::parse_stats_layout(bytes_of(image)));
}

TEST(KvmStats, ANameThatFillsItsPlaceEndsThere) {
    auto image = good_image();
    std::memset(image.stats[0].name, 'x', sizeof image.stats[0].name);
    EXPECT_EQ(kvm::parse_stats_layout(bytes_of(image))->stats[0].name, std::string(16, 'x'));
}

// --- names -----------------------------------------------------------------------------------

TEST(KvmHostEvent, NamesSayWhoseAndWhich) {
    const auto whole = kvm::parse_host_event("host:exits");
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->pid, 0);
    EXPECT_EQ(whole->name, "exits");
    const auto one = kvm::parse_host_event("4711:vcpu3:halt_wait_hist[31]");
    ASSERT_TRUE(one);
    EXPECT_EQ(one->pid, 4711);
    EXPECT_EQ(one->vcpu, 3);
    EXPECT_EQ(one->name, "halt_wait_hist");
    EXPECT_EQ(one->item, 31u);
    const auto traced = kvm::parse_host_event("4711:tracepoint:kvm_exit");
    ASSERT_TRUE(traced);
    EXPECT_TRUE(traced->tracepoint);
    for (const char* name :
         {"", "host", "host:", ":exits", "0:exits", "-1:exits", "x:exits", "host:vcpu0:exits",
          "1:vcpu:exits", "1:vcpux:exits", "1:a:b", "1:a[", "1:]", "1:a[b]", "1:a[]", "1:a:b:c",
          "host:../kvm/exits", "99999999999:exits", "1:vcpu0:a[99999999]"}) {
        const auto parsed = kvm::parse_host_event(name);
        if (std::string_view(name) == "1:a[") {
            EXPECT_TRUE(parsed);  // an odd name, but a name
            continue;
        }
        EXPECT_FALSE(parsed) << name;
    }
}

// --- a host, by its files ----------------------------------------------------------------------

class FakeHost {
  public:
    FakeHost() {
        tree_.put("/proc/cpuinfo", "flags : fpu svm\n")
            .put("/dev/kvm", "")
            .put("/proc/4711/comm", "qemu-system-x86\n")
            .link("/proc/4711/fd/11", "anon_inode:kvm-vm")
            .link("/proc/4711/fd/12", "anon_inode:kvm-vcpu:0")
            .link("/proc/4711/fd/13", "anon_inode:kvm-vcpu:1")
            .link("/proc/4711/fd/3", "/dev/kvm")
            .put("/proc/99/comm", "bash\n")
            .link("/proc/99/fd/0", "/dev/null");
        set("host", "exits", 1000);
        set("4711-11", "exits", 500);
        tree_.put("/sys/kernel/debug/kvm/4711-11/halt_wait_hist", "1 2 3\n");
        set("47110-11", "exits", 7);  // another process whose number begins alike
    }
    void set(const std::string& who, const std::string& stat, std::uint64_t value) {
        tree_.put("/sys/kernel/debug/kvm/" + (who == "host" ? "" : who + "/") + stat,
                  std::to_string(value) + "\n");
    }
    session::ComponentPtr component() const { return kvm::make(tree_.root()); }
    base::SysRoot root() const { return tree_.root(); }

  private:
    TempTree tree_;
};

TEST(KvmHost, FindsTheProcessesThatRunMachines) {
    const FakeHost host;
    const auto vmms = kvm::find_vmms(host.root());
    ASSERT_EQ(vmms.size(), 1u);
    EXPECT_EQ(vmms[0].pid, 4711);
    EXPECT_EQ(vmms[0].name, "qemu-system-x86");
    EXPECT_THAT(vmms[0].vcpus, ElementsAre(0, 1));
    EXPECT_THAT(vmms[0].debug, ElementsAre("/sys/kernel/debug/kvm/4711-11"));
    EXPECT_FALSE(kvm::find_vmm(host.root(), 99));
    EXPECT_FALSE(kvm::find_vmm(host.root(), 100));
}

TEST(KvmHost, CountsForTheHostAndForAMachine) {
    FakeHost host;
    const auto component = host.component();
    EXPECT_THAT(names(*component), ElementsAre("host:exits", "4711:exits"));
    EXPECT_TRUE(component->availability().usable);
    const auto counters = started(*component, {"host:exits", "4711:exits"});
    ASSERT_TRUE(counters);
    host.set("host", "exits", 1010);
    host.set("4711-11", "exits", 503);
    EXPECT_THAT(values(*counters, 2), ElementsAre(10, 3));
}

TEST(KvmHost, SaysWhatIsNotThere) {
    const FakeHost host;
    const auto component = host.component();
    EXPECT_THAT(component->find("host:nothing").error().what, HasSubstr("nothing"));
    EXPECT_THAT(component->find("99:exits").error().what, HasSubstr("runs no virtual machine"));
    EXPECT_THAT(component->find("4711:vcpu0:exits").error().what,
                HasSubstr("keeps no statistics file"));
    EXPECT_FALSE(component->find("4711:tracepoint:kvm_exit"));
    SetOptions cpu;
    cpu.target = Target::on_cpus({0});
    EXPECT_FALSE(open_named(*component, {"host:exits"}, cpu));
}

TEST(KvmHost, AMachineThatIsNeitherSaysSo) {
    TempTree tree;
    tree.put("/proc/cpuinfo", "flags : fpu\n");
    EXPECT_FALSE(kvm::make(tree.root())->availability().usable);
    EXPECT_TRUE(kvm::make(tree.root())->events().empty());
}

// --- a guest, by its files ---------------------------------------------------------------------

class FakeKvmGuest {
  public:
    FakeKvmGuest() {
        // KVM's signature in CPUID's text, as the fixtures of machines have it
        tree_.put("/proc/cpuinfo", "flags : fpu hypervisor\n")
            .put("/proc/stat", "cpu 1 1 1 1 1 1 1 50\ncpu0 1 1 1 1 1 1 1 50\n")
            .put("/sys/devices/system/cpu/cpuidle/current_governor", "haltpoll\n")
            .put("/sys/module/haltpoll/parameters/guest_halt_poll_ns", "200000\n");
        polled(0, 100, 5);
        polled(1, 200, 6);
        interrupts(27, 122);
    }
    void polled(int cpu, int time_us, int count) {
        const auto state = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpuidle/state0";
        tree_.put(state + "/name", "POLL\n")
            .put(state + "/time", std::to_string(time_us) + "\n")
            .put(state + "/usage", std::to_string(count) + "\n");
    }
    void interrupts(int cpu0, int cpu1) {
        tree_.put("/proc/interrupts",
                  "           CPU0       CPU1\n 38:  0  94118  PCI-MSIX\n"
                  "HYP:  " +
                      std::to_string(cpu0) + "  " + std::to_string(cpu1) +
                      "   Hypervisor callback interrupts\nERR:  0\n");
    }
    // As platform::describe() finds a guest whose CPUID says so.
    platform::Machine machine() const {
        auto described = platform::describe(tree_.root());
        described.hypervisor.name = "kvm";
        return described;
    }
    base::SysRoot root() const { return tree_.root(); }
    std::unique_ptr<kvm::Source> source(const std::string& name) const {
        for (const auto& offer : kvm::list_guest_events(root(), machine())) {
            if (offer.event.name != name) continue;
            auto opened = offer.open();
            if (opened) return std::move(*opened);
        }
        ADD_FAILURE() << "no event " << name;
        return nullptr;
    }

  private:
    TempTree tree_;
};

TEST(KvmGuest, ShowsWhatTheHostDoesForIt) {
    FakeKvmGuest guest;
    EXPECT_EQ(guest.source("guest:async_page_faults")->read(), 149);
    EXPECT_EQ(guest.source("guest:halt_poll_time")->read(), 300'000);
    EXPECT_EQ(guest.source("guest:halt_polls")->read(), 11);
    EXPECT_EQ(guest.source("guest:halt_poll_limit")->read(), 200'000);
    const auto faults = guest.source("guest:async_page_faults");
    const auto steal = guest.source("guest:steal");
    EXPECT_EQ(steal->read(), 0);
    guest.interrupts(30, 122);
    EXPECT_EQ(faults->read(), 152);
}

TEST(KvmGuest, ElsewhereNothingIsOffered) {
    const FakeKvmGuest guest;
    auto machine = guest.machine();
    machine.hypervisor.name = "xen";  // whose guests count other things in the same row
    EXPECT_TRUE(kvm::list_guest_events(guest.root(), machine).empty());
}

TEST(KvmGuest, RowsOfInterruptsAreSummed) {
    EXPECT_EQ(kvm::sum_interrupts("HYP: 1 2 3 text 4\n", "HYP"), 6u);
    EXPECT_EQ(kvm::sum_interrupts("  HYP:", "HYP"), 0u);
    EXPECT_EQ(kvm::sum_interrupts("HYPER: 1\nHYP 2\n", "HYP"), std::nullopt);
    EXPECT_EQ(kvm::sum_interrupts("", "HYP"), std::nullopt);
}

// --- the machine itself --------------------------------------------------------------------------

// A process of its own that makes a VM and keeps its statistics open, as QEMU does.
class LiveVmm {
  public:
    bool begin() {
        int pair[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return false;
        control_ = base::Fd(pair[0]);
        const base::Fd theirs(pair[1]);
        pid_ = ::fork();
        if (pid_ == 0) {
            control_.reset();
            serve(theirs.get());
        }
        char answer = 0;
        return ::read(control_.get(), &answer, 1) == 1 && answer == 'k';
    }
    void end() {
        control_.reset();
        if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
    ~LiveVmm() { end(); }
    int pid() const { return pid_; }
    std::string event(const std::string& name) const { return std::to_string(pid_) + ":" + name; }

  private:
    [[noreturn]] static void serve(int control) {
        const base::Fd kvm(::open("/dev/kvm", O_RDWR | O_CLOEXEC));
        const base::Fd machine(::ioctl(kvm.get(), KVM_CREATE_VM, 0));
        const base::Fd processor(::ioctl(machine.get(), KVM_CREATE_VCPU, 0));
        const base::Fd machine_stats(::ioctl(machine.get(), KVM_GET_STATS_FD, 0));
        const base::Fd processor_stats(::ioctl(processor.get(), KVM_GET_STATS_FD, 0));
        const bool fine = machine_stats && processor_stats;
        char byte = 0;
        if (::write(control, fine ? "k" : "n", 1) == 1) (void)!::read(control, &byte, 1);
        ::_exit(0);
    }
    base::Fd control_;
    pid_t pid_ = -1;
};

TEST(LiveKvm, TheKernelSaysWhatItCounts) {
    const auto catalogue = kvm::learn_catalogue();
    if (!catalogue) GTEST_SKIP() << catalogue.error().what;
    EXPECT_TRUE(catalogue->vm.id.starts_with("kvm-")) << catalogue->vm.id;
    EXPECT_THAT(catalogue->vcpu.id, HasSubstr("/vcpu-0"));
    ASSERT_NE(catalogue->vcpu.find("halt_wait_ns"), nullptr);
    EXPECT_EQ(catalogue->vcpu.find("halt_wait_ns")->unit, "ns");
    EXPECT_GT(catalogue->vcpu.find("halt_wait_hist")->items, 1u);
}

TEST(LiveKvm, AnotherProcesssMachineIsCounted) {
    LiveVmm vmm;
    if (!vmm.begin()) GTEST_SKIP() << "no /dev/kvm here that keeps statistics";
    const auto component = kvm::make({});
    const auto found = kvm::find_vmm({}, vmm.pid());
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ(found->machines, 1);
    EXPECT_THAT(found->vcpus, ElementsAre(0));
    EXPECT_THAT(names(*component), Contains(vmm.event("exits")));
    EXPECT_THAT(names(*component), Not(Contains(vmm.event("halt_wait_hist"))));
    const auto exits = vmm.event("exits");
    const auto one = vmm.event("vcpu0:exits");
    const auto bucket = vmm.event("vcpu0:halt_wait_hist[3]");
    const auto counters = started(*component, {exits, one, bucket});
    ASSERT_TRUE(counters);
    for (const auto& reading : readings(*counters, 3)) {
        EXPECT_EQ(reading.state, CounterState::ok);
        EXPECT_EQ(reading.value, 0);  // it never ran
    }
    EXPECT_EQ(component->find(vmm.event("vcpu0:halt_wait_ns"))->unit, "ns");
    EXPECT_FALSE(component->find(vmm.event("vcpu1:exits")));
    EXPECT_FALSE(component->find(vmm.event("no_such_statistic")));
    EXPECT_FALSE(component->find(vmm.event("vcpu0:halt_wait_hist[9999]")));
}

TEST(LiveKvm, AMachineThatEndsKeepsItsValues) {
    LiveVmm vmm;
    if (!vmm.begin()) GTEST_SKIP() << "no /dev/kvm here that keeps statistics";
    const auto component = kvm::make({});
    const auto name = vmm.event("vcpu0:exits");
    const auto counters = started(*component, {name});
    ASSERT_TRUE(counters);
    vmm.end();
    EXPECT_EQ(readings(*counters, 1)[0].value, 0);
    EXPECT_FALSE(component->find(name));
}

TEST(LiveKvm, EveryListedEventOpens) {
    const auto component = kvm::make({});
    if (!component->availability().usable) GTEST_SKIP() << component->availability().reason;
    const auto is_listed = [&](const std::string& name) {
        const auto events = component->events();
        return std::any_of(events.begin(), events.end(),
                           [&](const auto& event) { return event.name == name; });
    };
    for (const auto& event : component->events()) {
        // Unless its machine, which is another test's, has ended by now.
        EXPECT_TRUE(component->find(event.name) || !is_listed(event.name)) << event.name;
    }
}

}  // namespace
}  // namespace ringside::components
