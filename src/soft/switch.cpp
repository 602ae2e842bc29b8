#include "soft/switch.h"

#include <cerrno>
#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <signal.h>

#include "base/error.h"

namespace ringside::soft {

Result<CountFile> switch_machine(const std::string& path, bool off) {
    using base::fail;
    auto file = CountFile::read(path);
    if (!file) return file;
    if (!file->is_machine()) {
        return fail(ErrorCode::unsupported, path +
                                                " counts a program, which is counted from its "
                                                "first instruction to its last");
    }
    if (auto asked = file->ask_switch(off); !asked) return asked.error();
    constexpr auto patience = std::chrono::seconds(10);
    const auto end = std::chrono::steady_clock::now() + patience;
    while (file && file->is_off() != off && std::chrono::steady_clock::now() < end) {
        if (::kill(static_cast<pid_t>(file->extension().pid), 0) != 0 && errno == ESRCH) {
            return fail(ErrorCode::not_found,
                        fmt::format("process {}, the machine of {}, has ended",
                                    file->extension().pid, path));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        file = CountFile::read(path);
    }
    if (file && file->is_off() != off) {
        return fail(ErrorCode::timed_out,
                    "the machine of " + path +
                        " does not do it: it has had "
                        "no interrupt and no system call for 10 s",
                    "it will when it goes on; stopped machines do not look");
    }
    return file;
}

}  // namespace ringside::soft
