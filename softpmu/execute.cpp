#include "softpmu/execute.h"

#include <array>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "proc/program.h"
#include "soft/emulator.h"

namespace ringside::softpmu {

namespace {

constexpr std::size_t longest_text = std::size_t{1} << 17;  // the kernel's MAX_ARG_STRLEN
constexpr std::size_t most_texts = std::size_t{1} << 20;

// The guest may pass any address: the kernel looks, so that a wrong one is an error and no fault.
bool read_memory(std::uint64_t address, void* to, std::size_t bytes) {
    const iovec here{to, bytes};
    const iovec there{reinterpret_cast<void*>(address), bytes};
    return ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

// In pieces that end where memory may end.
std::optional<std::string> read_text(std::uint64_t address) {
    constexpr std::size_t piece = 256;
    std::string text;
    while (text.size() < longest_text) {
        std::array<char, piece> bytes;
        const std::uint64_t at = address + text.size();
        const std::size_t count = piece - at % piece;
        if (!read_memory(at, bytes.data(), count)) return std::nullopt;
        const std::string_view part(bytes.data(), count);
        const auto end = part.find('\0');
        text += part.substr(0, end);
        if (end != std::string_view::npos) return text;
    }
    return std::nullopt;
}

std::optional<std::vector<std::string>> read_texts(std::uint64_t address,
                                                   std::uint64_t guest_base) {
    std::vector<std::string> texts;
    if (address == guest_base) return texts;
    for (; texts.size() < most_texts; address += sizeof(std::uint64_t)) {
        std::uint64_t pointer = 0;
        if (!read_memory(address, &pointer, sizeof pointer)) return std::nullopt;
        if (pointer == 0) return texts;
        auto text = read_text(pointer + guest_base);
        if (!text) return std::nullopt;
        texts.push_back(std::move(*text));
    }
    return std::nullopt;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (auto& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

// The emulators of a package lie in one folder.
std::string emulator_path(const char* name) {
    std::array<char, 4096> self{};
    const auto length = ::readlink("/proc/self/exe", self.data(), self.size());
    if (length <= 0) return {};
    std::string path(self.data(), static_cast<std::size_t>(length));
    path = path.substr(0, path.rfind('/') + 1) + name;
    return ::access(path.c_str(), X_OK) == 0 ? path : std::string();
}

// A program that gave up rights may have lost those to count.
bool can_count(const std::string& plugin, const std::string& folder) {
    return ::faccessat(AT_FDCWD, plugin.c_str(), R_OK, AT_EACCESS) == 0 &&
           ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

bool is_own_file(const std::string& path) {
    return path == "/proc/self/exe" || path == "/proc/" + std::to_string(::getpid()) + "/exe";
}

}  // namespace

ExecuteCall execute_call(Guest guest, std::int64_t number, const std::uint64_t (&arguments)[5]) {
    const bool arm64 = guest == Guest::arm64;
    if (number == (arm64 ? 221 : 59)) {  // execve
        return {true, true, arguments[0], arguments[1], arguments[2]};
    }
    if (number == (arm64 ? 281 : 322)) {  // execveat
        const bool here = static_cast<std::int32_t>(arguments[0]) == AT_FDCWD;
        return {true, here && arguments[4] == 0, arguments[1], arguments[2], arguments[3]};
    }
    return {};
}

std::string execute_emulated(const ExecuteCall& call, std::uint64_t guest_base,
                             const std::string& own_file, const SelfPlugin& plugin) {
    auto path = read_text(call.path + guest_base);
    const auto argv = read_texts(call.argv + guest_base, guest_base);
    auto envp = read_texts(call.envp + guest_base, guest_base);
    if (!path || !argv || !envp) return {};
    if (!call.by_path) return path->empty() ? "a file descriptor" : *path;
    if (is_own_file(*path)) path = own_file;
    const auto program = proc::read_program(*path);
    if (program.error != 0) return {};
    const char* name = soft::emulator_of(program);
    const std::string emulator = name == nullptr ? "" : emulator_path(name);
    if (emulator.empty() || program.privileged || !can_count(plugin.file, plugin.folder)) {
        return *path;
    }
    auto words = soft::emulated_arguments(emulator, plugin.argument, program, *argv);
    ::execve(emulator.c_str(), pointers_to(words).data(), pointers_to(*envp).data());
    return *path;
}

}  // namespace ringside::softpmu
