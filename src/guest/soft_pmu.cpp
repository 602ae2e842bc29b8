#include "guest/soft_pmu.h"

#include <array>
#include <cerrno>

#include <fmt/format.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/file_io.h"
#include "guest/machine.h"

namespace ringside::guest {

namespace {

fs::path counts_folder(const fs::path& directory) {
    return directory / "soft";
}

// The plugin and its options, as far as they are the same with and without a profile.
Result<std::string> plugin_value(const SoftPmuWish& wish, const fs::path& directory,
                                 Rights& rights) {
    const auto plugin = rights.lend(wish.plugin, directory);
    if (!plugin) return plugin.error();
    const auto folder = rights.lend_folder(wish.profile ? fs::path(wish.profile->folder)
                                                        : counts_folder(directory));
    if (!folder) return folder.error();
    std::string value = fmt::format("{},folder={}", *plugin, *folder);
    for (const auto& option : wish.options) value += "," + option_value(option);
    return value;
}

}  // namespace

Result<SoftPmu> plan_soft_pmu(const SoftPmuWish& wish, const Kind& kind, const fs::path& directory,
                              Rights& rights) {
    if (wish.plugin.empty()) {
        return base::fail(ErrorCode::not_found, "there is no plugin for QEMU to count with",
                          "build all targets, or install Ringside as a whole");
    }
    if (auto made = make_directories(counts_folder(directory)); !made) return made.error();
    auto value = plugin_value(wish, directory, rights);
    if (!value) return value.error();
    if (wish.profile) {
        return SoftPmu{{},
                       {},
                       {"-plugin", fmt::format("{},mode=profile,period={},ram={},start=off", *value,
                                               wish.profile->period, kind.memory_mb)}};
    }
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return base::fail_errno(errno, "cannot make a pair of sockets");
    }
    SoftPmu pmu{base::Fd(ends[0]), base::Fd(ends[1]), {}};
    pmu.arguments = {"-plugin",  fmt::format("{},guest={}", *value, pmu.plugin.get()),
                     "-chardev", fmt::format("socket,id=soft,fd={}", pmu.device.get()),
                     "-device",  fmt::format("ivshmem-doorbell,chardev=soft,vectors={}", kind.smp)};
    return pmu;
}

Result<void> keep_counts(const SoftPmuWish& wish, const fs::path& directory) {
    if (wish.counts.empty()) return {};
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(counts_folder(directory), error)) {
        if (entry.path().extension() != ".soft") continue;
        auto counts = read_file(entry.path());
        if (!counts) return counts.error();
        return base::replace_file(wish.counts, *counts);
    }
    return base::fail(ErrorCode::not_found, "the soft PMU counted nothing");
}

}  // namespace ringside::guest
