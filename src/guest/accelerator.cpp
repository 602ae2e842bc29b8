#include "guest/accelerator.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/file_io.h"
#include "base/scratch_dir.h"
#include "base/sys_root.h"
#include "base/text.h"
#include "guest/boot.h"

namespace ringside::guest {

namespace {

// A stock kernel under real hardware virtualization reaches its init in about one second.
constexpr std::chrono::seconds probe_limit{8};

// Fails when interrupted: no verdict.
Result<bool> boots_under_kvm(const Kind& kind, const Image& image, int cancel_fd) {
    auto directory = base::ScratchDir::make("ringside-kvm-probe");
    if (!directory) return directory.error();
    BootRequest request;
    request.spec.kind = kind;
    request.spec.kind.cpu = "host";
    request.spec.accelerator = "kvm";
    RightsWish wish;
    wish.kvm = kvm_device;
    auto rights = Rights::make(request.spec.kind.qemu, wish);
    if (!rights) return rights.error();
    for (const auto& [file, name] : {std::pair(image.kernel, &request.spec.kernel),
                                     std::pair(image.initrd, &request.spec.initrd)}) {
        auto lent = rights->lend(file, directory->path());
        if (!lent) return lent.error();
        *name = std::move(*lent);
    }
    request.rights = std::move(*rights);
    request.directory = directory->path();
    request.limit = probe_limit;
    request.cancel_fd = cancel_fd;
    const auto end = boot(std::move(request));
    if (!end && end.error().code == ErrorCode::interrupted) return end.error();
    return end.has_value();
}

}  // namespace

Result<Accelerator> choose_accelerator(const fs::path& cache, const Kind& kind, const Image& image,
                                       int cancel_fd) {
    if (kind.arch != native_arch()) {
        return Accelerator{"tcg", "another architecture than this machine's"};
    }
    if (kind.soft_pmu) return Accelerator{"tcg", "what is translated can be counted"};
    if (kind.is_deterministic()) return Accelerator{"tcg", "only emulation is deterministic"};
    if (!kind.inner.empty()) return Accelerator{"tcg", "the CPU it shows is an emulated one"};
    if (::access(kvm_device, R_OK | W_OK) != 0) {
        return Accelerator{"tcg", "no /dev/kvm that this user can open"};
    }
    const auto boot_id = base::SysRoot().read_trimmed("/proc/sys/kernel/random/boot_id");
    const fs::path verdict =
        cache / fmt::format("kvm/{}-{}", boot_id.value_or("unknown"), image.release);
    const Accelerator yes{"kvm", "/dev/kvm boots a stock kernel"};
    const Accelerator no{
        "tcg",
        fmt::format("/dev/kvm does not boot a stock kernel (tried for {} s)", probe_limit.count())};
    const auto known = read_file(verdict);
    if (known) return *known == "yes" ? yes : no;
    const auto boots = boots_under_kvm(kind, image, cancel_fd);
    if (!boots) return boots.error();
    if (auto made = make_directories(verdict.parent_path()); !made) return made.error();
    auto written = base::replace_file(verdict, *boots ? "yes" : "no");
    if (!written) return written.error();
    return *boots ? yes : no;
}

}  // namespace ringside::guest
