#include "perf/zstd_stream.h"

#include <zstd.h>

namespace ringside::perf {

void ZstdStream::Free::operator()(ZSTD_DCtx_s* context) const {
    ZSTD_freeDCtx(context);
}

bool ZstdStream::append(std::span<const std::byte> compressed, std::vector<std::byte>& out,
                        std::size_t limit_bytes) {
    if (!context_) context_.reset(ZSTD_createDCtx());
    ZSTD_inBuffer input{compressed.data(), compressed.size(), 0};
    bool full = true;
    while (input.pos < input.size || full) {
        const std::size_t had = out.size();
        if (had > limit_bytes) {
            error_ = "it grows beyond all measure";
            return false;
        }
        out.resize(had + ZSTD_DStreamOutSize());
        ZSTD_outBuffer output{out.data() + had, out.size() - had, 0};
        const std::size_t left = ZSTD_decompressStream(context_.get(), &output, &input);
        out.resize(had + output.pos);
        if (ZSTD_isError(left) != 0) {
            error_ = ZSTD_getErrorName(left);
            return false;
        }
        full = output.pos == output.size;
    }
    return true;
}

std::string zstd_compress(std::string_view text) {
    constexpr int quickest = 1;
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    const std::size_t size =
        ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), quickest);
    packed.resize(ZSTD_isError(size) != 0 ? 0 : size);
    return packed;
}

}  // namespace ringside::perf
