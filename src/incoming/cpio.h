// Archives of the kernel's initramfs ("newc") as a test VM sends them, every length
// checked. Format: Documentation/driver-api/early-userspace/buffer-format.rst.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <ringside/result.h>

#include "incoming/entry.h"

namespace ringside::incoming {

// Reads the archives in `bytes`, which follow each other with zero padding between them.
class CpioReader {
  public:
    explicit CpioReader(std::string_view bytes) : bytes_(bytes) {}

    // The next entry of the current archive; nullopt at its end.
    Result<std::optional<Entry>> next();

  private:
    Result<std::string_view> take(std::size_t count);
    void skip_padding();

    std::string_view bytes_;
    std::size_t at_ = 0;
};

}  // namespace ringside::incoming
