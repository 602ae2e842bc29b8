// What a machine says for people to read when it has failed: its end, whatever it says before.
#pragma once

#include <cstdint>
#include <string_view>

#include <ringside/result.h>

#include "base/fd.h"
#include "guest/files.h"

namespace ringside::guest {

class BoundedLog {
  public:
    // Makes `path` anew. At most `most_bytes` of it are there at any time, the last ones.
    static Result<BoundedLog> make(const fs::path& path,
                                   std::uint64_t most_bytes = std::uint64_t{8} << 20);

    void write(std::string_view bytes);

  private:
    BoundedLog(base::Fd fd, std::uint64_t most_bytes)
        : fd_(std::move(fd)), most_bytes_(most_bytes) {}
    void drop_first_half();

    base::Fd fd_;
    std::uint64_t most_bytes_;
    std::uint64_t bytes_ = 0;
};

}  // namespace ringside::guest
