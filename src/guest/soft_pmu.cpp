#include "guest/soft_pmu.h"

#include <array>
#include <cerrno>

#include <fmt/format.h>
#include <sys/socket.h>

#include "base/error.h"
#include "guest/machine.h"

namespace ringside::guest {

namespace {

std::string plugin_value(const SoftPmuWish& wish, const std::string& folder) {
    std::string value =
        fmt::format("{},folder={}", option_value(wish.plugin), option_value(folder));
    for (const auto& option : wish.options) value += "," + option_value(option);
    return value;
}

}  // namespace

Result<SoftPmu> plan_soft_pmu(const SoftPmuWish& wish, const Kind& kind, const fs::path& folder) {
    if (wish.plugin.empty()) {
        return base::fail(ErrorCode::not_found, "there is no plugin for QEMU to count with",
                          "build all targets, or install Ringside as a whole");
    }
    if (wish.profile) {
        return SoftPmu{{},
                       {},
                       {"-plugin", fmt::format("{},mode=profile,period={},ram={},start=off",
                                               plugin_value(wish, wish.profile->folder),
                                               wish.profile->period, kind.memory_mb)}};
    }
    if (auto made = make_directories(folder); !made) return made.error();
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return base::fail_errno(errno, "cannot make a pair of sockets");
    }
    SoftPmu pmu{base::Fd(ends[0]), base::Fd(ends[1]), {}};
    const std::string plugin =
        fmt::format("{},guest={}", plugin_value(wish, folder.string()), pmu.plugin.get());
    pmu.arguments = {"-plugin",  plugin,
                     "-chardev", fmt::format("socket,id=soft,fd={}", pmu.device.get()),
                     "-device",  fmt::format("ivshmem-doorbell,chardev=soft,vectors={}", kind.smp)};
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
