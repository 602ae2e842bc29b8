#include "guest/soft_pmu.h"

#include <array>
#include <cerrno>

#include <fmt/format.h>
#include <sys/socket.h>

#include "base/error.h"
#include "guest/machine.h"

namespace ringside::guest {

Result<SoftPmu> plan_soft_pmu(const SoftPmuWish& wish, int vcpus, const fs::path& folder) {
    if (wish.plugin.empty()) {
        return base::fail(ErrorCode::not_found, "there is no plugin for QEMU to count with",
                          "build all targets, or install Ringside as a whole");
    }
    if (auto made = make_directories(folder); !made) return made.error();
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return base::fail_errno(errno, "cannot make a pair of sockets");
    }
    SoftPmu pmu{base::Fd(ends[0]), base::Fd(ends[1]), {}};
    std::string plugin = fmt::format("{},folder={},guest={}", option_value(wish.plugin),
                                     option_value(folder.string()), pmu.plugin.get());
    for (const auto& option : wish.options) plugin += "," + option_value(option);
    pmu.arguments = {"-plugin",  plugin,
                     "-chardev", fmt::format("socket,id=soft,fd={}", pmu.device.get()),
                     "-device",  fmt::format("ivshmem-doorbell,chardev=soft,vectors={}", vcpus)};
    return pmu;
}

Result<void> keep_counts(const SoftPmuWish& wish, const fs::path& folder) {
    if (wish.counts.empty()) return {};
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().extension() != ".soft") continue;
        auto counts = read_file(entry.path());
        if (!counts) return counts.error();
        return write_file(wish.counts, *counts);
    }
    return base::fail(ErrorCode::not_found, "the soft PMU counted nothing");
}

}  // namespace ringside::guest
