// `ringside doctor`: every section of its text and of its JSON, of a made-up guest.
#include <gtest/gtest.h>

#include "golden.h"
#include "report/doctor/doctor_report.h"

namespace ringside::report {
namespace {

platform::Machine made_machine() {
    using platform::known;
    using platform::unknown;
    platform::Machine machine;
    machine.kernel_release = known<std::string>("6.1.0-18-amd64", "/proc/version", "Linux 6.1.0");
    machine.cpu.arch = platform::Arch::x86;
    machine.cpu.vendor = known<std::string>("AuthenticAMD", "/proc/cpuinfo", "vendor_id");
    machine.cpu.name = known<std::string>("AMD EPYC", "/proc/cpuinfo", "model name");
    machine.hypervisor.name = "kvm";
    machine.hypervisor.vmm = "qemu";
    machine.hypervisor.virtualized = known(true, "cpuid 1", "hypervisor bit");
    machine.hypervisor.also_named = {"hyperv"};
    machine.hypervisor.evidence = {{"cpuid 0x40000000", "KVMKVMKVM", false},
                                   {"/proc/version", "a cloud's kernel", true}};
    machine.container.runtime = "docker";
    machine.container.evidence = {{"/.dockerenv", "is there", false}};
    machine.layers = {{"vm", "kvm", "vmm qemu"}, {"container", "docker", ""}};
    machine.topology.sockets = known(1, "/sys", "one");
    machine.topology.cores = known(2, "/sys", "two");
    machine.topology.threads = known(4, "/sys", "four");
    machine.topology.numa_nodes = unknown<int>("/sys/devices/system/node", "cannot be read");
    machine.clock.current = known<std::string>("kvm-clock", "/sys", "kvm-clock");
    machine.clock.available = {"kvm-clock", "tsc"};
    machine.clock.tsc_invariant = known(false, "cpuid", "bit 8");
    machine.clock.counter_hz = known<std::uint64_t>(2'000'000'000, "cpuid 0x15", "2 GHz");
    machine.clock.ptp = {{"ptp0", "KVM virtual PTP", true}};
    machine.permissions.perf_event_paranoid = known(2, "/proc/sys", "2");
    machine.permissions.effective_uid = known(1000, "geteuid", "1000");
    machine.event_sources.sources.resize(1);
    machine.event_sources.sources[0].name = "cpu";
    return machine;
}

trust::PmuReport made_pmu() {
    trust::PmuReport pmu;
    pmu.present = true;
    pmu.reason = "the kernel drives one";
    pmu.counters = 2;
    pmu.counters_ok = 1;
    pmu.slots = {{0, "instructions", CounterState::ok, "1000 of 1000", 1000},
                 {1, "instructions", CounterState::dead, "stays 0", std::nullopt}};
    pmu.user_read = {CounterState::not_permitted, "rdpmc is off", 48};
    pmu.tests = {{"linearity", CounterState::ok, "twice the work, 2.000 times the count"},
                 {"nothing ran", std::nullopt, "no event to try it with"}};
    pmu.watch.watched_ns = 300'000'000;
    pmu.watch.slices = 300;
    pmu.watch.freezes = {{1, "instructions", 5'000'000, 7'000'000},
                         {1, "instructions", 290'000'000, std::nullopt}};
    pmu.watch.steal = {"cycles while stolen", CounterState::implausible, "they stood still"};
    return pmu;
}

trust::Report made_doctor() {
    trust::Report report;
    report.machine = made_machine();
    report.kvm.usable = false;
    report.kvm.reason = "/dev/kvm is not there";
    report.time.cycles_per_second = 1.999e9;
    report.time.cycles_reason = "measured over 10 ms";
    report.time.guest_ahead_ns = -1500;
    report.time.host_time_reason = "ptp0";
    report.steal = {true, "/proc/stat has some", std::nullopt, "no BPF", "excludes", "as measured"};
    report.pmu = made_pmu();
    report.events = {
        {"cycles", model::EventKind::hardware, CounterState::ok, "1.0 a tick", 123'456},
        {"cache-misses", model::EventKind::hardware, CounterState::dead, "0 of many", 0},
        {"page-faults", model::EventKind::software, CounterState::ok, "1 of 1", 1},
        {"LLC-loads", model::EventKind::hardware, CounterState::absent, "ENOENT", std::nullopt}};
    report.sampling = {"cpu-clock", "no counter interrupts", {}};
    report.sampling.tests = {{"interrupts of cycles", CounterState::dead, "none came"}};
    report.page.source = "/dev/ringside";
    report.page.policy = "mediated";
    report.page.vcpus = 2;
    report.page.starved_ns = 1'000'000;
    report.page.starved = {{1, 2, 0xc001}};
    report.nmi_watchdog = true;
    report.advice = {"sysctl kernel.perf_event_paranoid=1 lets a user count the kernel as well"};
    report.notes = {"the watch took counters for 0.3 s"};
    report.took_seconds = 0.75;
    return report;
}

TEST(DoctorReport, TextOfAGuest) {
    golden::expect("doctor.txt", doctor_text(made_doctor(), Style(nullptr)));
}

TEST(DoctorReport, JsonOfAGuest) {
    golden::expect("doctor.json", doctor_json(made_doctor()));
}

TEST(DoctorReport, WhatIsNotKnownIsNull) {
    golden::expect("doctor_unknown.json", doctor_json({}));
    golden::expect("doctor_unknown.txt", doctor_text({}, Style(nullptr)));
}

}  // namespace
}  // namespace ringside::report
