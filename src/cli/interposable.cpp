#include "cli/interposable.h"

#include <cstdlib>
#include <span>
#include <string_view>

#include "abi/io_table.h"
#include "base/error.h"
#include "base/install_paths.h"
#include "base/process.h"
#include "base/text.h"
#include "guest/elf.h"
#include "proc/program.h"
#include "symbols/mapped_file.h"

namespace ringside::cli {

namespace {

// Go leaves a note of type 4 (its build id); its programs make system calls without libc even where
// they are linked with it.
bool is_go(std::string_view text) {
    constexpr std::string_view type_and_name("\4\0\0\0Go\0\0", 8);
    return base::contains(text.substr(0, 16384), type_and_name);
}

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::optional<std::string> not_interposable(const std::string& name) {
    const auto program = proc::read_program(base::find_executable(name).value_or(""));
    if (program.error != 0) return std::nullopt;
    if (program.privileged) return "it runs as another user";
    const auto file = symbols::MappedFile::open(program.words.front());
    if (!file) return std::nullopt;
    const auto facts = guest::read_elf(file->bytes());
    if (!facts || !*facts) return std::nullopt;  // 32-bit, or broken, which running it will show
    if ((*facts)->interpreter.empty()) return "it is statically linked";
    if (is_go(text_of(file->bytes()))) return "it is written in Go, which does without libc";
    return std::nullopt;
}

Result<TableFolder> TableFolder::make() {
    auto folder = base::ScratchDir::make_in_memory("ringside-io");
    if (!folder) return folder.error();
    return TableFolder(std::move(*folder));
}

Result<std::vector<std::string>> TableFolder::environment() const {
    const auto folder = base::find_own_folder("io", "lib64/libringside-io.so");
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
