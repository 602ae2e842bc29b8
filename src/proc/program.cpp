#include "proc/program.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringside::proc {

namespace {

constexpr std::size_t head_bytes = 256;  // as far as the kernel looks for an interpreter
constexpr int deepest_script = 4;

struct Head {
    int error = 0;
    std::string bytes;
    bool privileged = false;
};

Head read_head(const std::string& path) {
    Head head;
    if (::access(path.c_str(), X_OK) != 0) {
        head.error = errno;
        return head;
    }
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat info {};
    if (fd < 0 || ::fstat(fd, &info) != 0) {
        head.error = errno;
        if (fd >= 0) ::close(fd);
        return head;
    }
    std::array<char, head_bytes> bytes{};
    const auto got = S_ISREG(info.st_mode) ? ::read(fd, bytes.data(), bytes.size()) : 0;
    ::close(fd);
    if (got > 0) head.bytes.assign(bytes.data(), static_cast<std::size_t>(got));
    if (!S_ISREG(info.st_mode)) head.error = EACCES;
    head.privileged = ((info.st_mode & S_ISUID) != 0 && info.st_uid != ::geteuid()) ||
                      ((info.st_mode & S_ISGID) != 0 && info.st_gid != ::getegid());
    return head;
}

// "#! /bin/sh -e": the interpreter, and all the rest as one argument.
std::vector<std::string> interpreter_of(const std::string& head) {
    constexpr const char* blanks = " \t";
    std::string line = head.substr(2, head.find('\n') - 2);
    line.erase(0, line.find_first_not_of(blanks));
    line.erase(line.find_last_not_of(blanks) + 1);
    if (line.empty()) return {};
    const auto end = line.find_first_of(blanks);
    std::vector<std::string> words{line.substr(0, end)};
    if (end != std::string::npos) words.push_back(line.substr(line.find_first_not_of(blanks, end)));
    return words;
}

}  // namespace

Program read_program(const std::string& path) {
    Program program;
    program.words = {path};
    for (int depth = 0; depth <= deepest_script; ++depth) {
        const Head head = read_head(program.words.front());
        program.error = head.error;
        if (program.error != 0) return program;
        program.privileged = head.privileged;
        Elf64_Ehdr elf;
        if (head.bytes.size() >= sizeof elf && head.bytes.compare(0, SELFMAG, ELFMAG) == 0) {
            std::memcpy(&elf, head.bytes.data(), sizeof elf);
            program.machine = elf.e_machine;
            program.is_64_bit =
                elf.e_ident[EI_CLASS] == ELFCLASS64 && elf.e_ident[EI_DATA] == ELFDATA2LSB;
            return program;
        }
        const auto words = head.bytes.compare(0, 2, "#!") == 0 ? interpreter_of(head.bytes)
                                                               : std::vector<std::string>();
        program.error = ENOEXEC;
        if (words.empty()) return program;
        program.words.insert(program.words.begin(), words.begin(), words.end());
    }
    program.error = ELOOP;
    return program;
}

}  // namespace ringside::proc
