#include "cli/interposable.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/io_table.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mmap.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/own_files.h"
#include "guest/elf.h"

namespace ringside::cli {

namespace {

using Bytes = std::span<const std::byte>;

struct Program {
    base::Mmap memory;
    bool changes_user = false;

    Bytes bytes() const { return {memory.data(), memory.size_bytes()}; }
    std::string_view text() const {
        return {reinterpret_cast<const char*>(memory.data()), memory.size_bytes()};
    }
};

std::optional<Program> open_program(const std::string& path) {
    const base::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) {
        return std::nullopt;
    }
    const auto size = static_cast<std::size_t>(info.st_size);
    void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (memory == MAP_FAILED) return std::nullopt;
    Program program;
    program.memory = base::Mmap(memory, size);
    program.changes_user = ((info.st_mode & S_ISUID) != 0 && info.st_uid != ::geteuid()) ||
                           ((info.st_mode & S_ISGID) != 0 && info.st_gid != ::getegid());
    return program;
}

// "#!/usr/bin/env python3" is run by /usr/bin/env, which runs python3; the first will do.
std::optional<std::string> interpreter_of(std::string_view text) {
    if (!text.starts_with("#!")) return std::nullopt;
    const auto words = base::split_words(text.substr(2, text.find('\n') - 2));
    return words.empty() ? std::nullopt : std::optional(std::string(words.front()));
}

// Go leaves a note of type 4 (its build id); its programs make system calls without libc even where
// they are linked with it.
bool is_go(std::string_view text) {
    constexpr std::string_view type_and_name("\4\0\0\0Go\0\0", 8);
    return base::contains(text.substr(0, 16384), type_and_name);
}

std::optional<std::string> obstacle_in(const Program& program) {
    if (program.changes_user) return "it runs as another user";
    const auto facts = guest::read_elf(program.bytes());
    if (!facts) return std::nullopt;  // 32-bit, or broken, which running it will show
    if (*facts && (*facts)->interpreter.empty()) return "it is statically linked";
    if (*facts && is_go(program.text())) return "it is written in Go, which does without libc";
    return std::nullopt;
}

}  // namespace

std::optional<std::string> not_interposable(const std::string& name) {
    std::string path = base::find_executable(name).value_or("");
    for (int depth = 0; depth < 4; ++depth) {
        const auto program = open_program(path);
        if (!program) return std::nullopt;
        const auto interpreter = interpreter_of(program->text());
        if (!interpreter) return obstacle_in(*program);
        path = *interpreter;
    }
    return std::nullopt;
}

Result<TableFolder> TableFolder::make() {
    auto folder = base::ScratchDir::make_in_memory("ringside-io");
    if (!folder) return folder.error();
    return TableFolder(std::move(*folder));
}

Result<std::vector<std::string>> TableFolder::environment() const {
    const auto folder = find_own_folder("io", "lib64/libringside-io.so");
    if (!folder) return folder.error();
    if (folder->find_first_of(": $") != std::string::npos) {
        return base::fail(ErrorCode::unsupported, "LD_PRELOAD cannot name a file in " + *folder,
                          "install Ringside into a folder without blanks, colons and dollars");
    }
    std::string preload = *folder + "/$LIB/libringside-io.so";
    const char* before = std::getenv("LD_PRELOAD");
    if (before != nullptr && *before != '\0') preload += std::string(":") + before;
    return std::vector<std::string>{"LD_PRELOAD=" + preload, IO_DIR_VARIABLE "=" + path()};
}

}  // namespace ringside::cli
