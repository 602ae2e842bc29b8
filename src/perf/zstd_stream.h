// The compressed records of a perf.data file are one zstd stream, cut anywhere.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct ZSTD_DCtx_s;

namespace ringside::perf {

class ZstdStream {
  public:
    // Appends what `compressed` adds to the stream. False when it is damaged, or when `out` would
    // grow beyond `limit_bytes`; error() says which.
    bool append(std::span<const std::byte> compressed, std::vector<std::byte>& out,
                std::size_t limit_bytes);
    const std::string& error() const { return error_; }

  private:
    struct Free {
        void operator()(ZSTD_DCtx_s* context) const;
    };
    std::unique_ptr<ZSTD_DCtx_s, Free> context_;
    std::string error_;
};

// One frame that holds all of `text`, packed quickly rather than small; empty on failure.
std::string zstd_compress(std::string_view text);

}  // namespace ringside::perf
