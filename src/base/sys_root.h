// An injectable root of the file system: every reader of /proc, /sys, /dev or /etc takes one, so
// that a recorded machine under tests/fixtures is read by exactly the code that reads the real one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

namespace ringside::base {

class SysRoot {
  public:
    // The machine we run on.
    SysRoot() = default;
    // A tree with the same shape, for instance tests/fixtures/machines/aws_nitro.
    explicit SysRoot(std::string prefix);

    bool is_live() const { return prefix_.empty(); }

    // `path` is absolute as seen on the machine ("/proc/stat"); the result is where it lies here.
    std::string locate(std::string_view path) const;

    bool exists(std::string_view path) const;
    // The whole file, at most `limit_bytes`; longer files are cut there, because no text of /proc
    // that we read is larger and a hostile tree must not exhaust memory.
    Result<std::string> read(std::string_view path, std::size_t limit_bytes = 16u << 20) const;
    // read(), without the white space and NUL bytes at the end.
    Result<std::string> read_trimmed(std::string_view path) const;
    // Names in a directory, sorted, without "." and "..".
    Result<std::vector<std::string>> list(std::string_view path) const;
    // The text of a symbolic link, not followed.
    Result<std::string> read_link(std::string_view path) const;

  private:
    std::string prefix_;
};

}  // namespace ringside::base
