#include "trust/kvm_probe.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>

#include "base/error.h"
#include "base/fd.h"
#include "trust/arch.h"

namespace ringside::trust {

namespace {

KvmReport& refused(KvmReport& report, const char* what) {
    report.usable = false;
    report.reason = base::fail_errno(errno, what).what;
    return report;
}

void read_limits(int kvm, KvmReport& report) {
    const int most = ::ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_MAX_VCPUS);
    if (most > 0) report.max_vcpus = most;
    const int pmu = ::ioctl(kvm, KVM_CHECK_EXTENSION, guest_pmu_capability.number);
    if (pmu >= 0) report.guest_pmu = pmu > 0;
    report.guest_pmu_reason = fmt::format("{} is {}", guest_pmu_capability.name, pmu);
}

}  // namespace

KvmReport probe_kvm(const platform::KvmHost& read) {
    KvmReport report;
    if (read.device.value == false) {
        report.usable = false;
        report.reason = "there is no /dev/kvm";
        report.guest_pmu_reason = report.reason;
        return report;
    }
    const base::Fd kvm(::open("/dev/kvm", O_RDWR | O_CLOEXEC));
    if (!kvm) {
        refused(report, "cannot open /dev/kvm");
        if (errno == EACCES || errno == EPERM) report.usable = std::nullopt;
        report.guest_pmu_reason = report.reason;
        return report;
    }
    const int version = ::ioctl(kvm.get(), KVM_GET_API_VERSION, 0);
    if (version < 0) return refused(report, "/dev/kvm gives no API version");
    report.api_version = version;
    read_limits(kvm.get(), report);
    const base::Fd machine(::ioctl(kvm.get(), KVM_CREATE_VM, 0));
    if (!machine) return refused(report, "KVM cannot create a machine");
    const base::Fd processor(::ioctl(machine.get(), KVM_CREATE_VCPU, 0));
    if (!processor) return refused(report, "KVM cannot create a processor");
    report.usable = true;
    report.reason = fmt::format("made a machine with one processor, API version {}", version);
    return report;
}

}  // namespace ringside::trust
