// Archives as tar(1) of another machine writes them: ustar, with GNU's and POSIX's long names.
// Format: POSIX pax, "ustar Interchange Format" and "pax Interchange Format".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <ringside/result.h>

#include "incoming/entry.h"

namespace ringside::incoming {

class TarReader {
  public:
    explicit TarReader(std::string_view bytes) : bytes_(bytes) {}

    // The next entry; nullopt at the end of the archive, which must be there. What is neither a
    // file nor a folder, sparse files included, has mode 0.
    Result<std::optional<Entry>> next();

  private:
    struct Header {
        std::string name;
        std::uint64_t size = 0;
        char type = '\0';
    };
    Result<std::string_view> take(std::uint64_t count);
    static Result<Header> header_of(std::string_view block);
    Result<void> read_records(std::string_view records);
    Entry entry_of(const Header& header, std::string_view content);

    std::string_view bytes_;
    std::size_t at_ = 0;
    // What was said of the entry that follows.
    std::string long_name_;
    std::optional<std::uint64_t> long_size_;
    bool sparse_ = false;
};

}  // namespace ringside::incoming
