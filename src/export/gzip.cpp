#include "export/gzip.h"

#include <zlib.h>

#include "base/error.h"

namespace ringside::exports {

Result<std::string> gzip(std::string_view bytes) {
    constexpr int gzip_format = 15 + 16;  // the largest window, and gzip's header
    constexpr int memory_level = 8;
    z_stream stream{};
    if (::deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, gzip_format, memory_level,
                       Z_DEFAULT_STRATEGY) != Z_OK)
        return base::fail(ErrorCode::io, "zlib cannot compress");
    std::string out(::deflateBound(&stream, bytes.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int ended = ::deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    ::deflateEnd(&stream);
    if (ended != Z_STREAM_END || bytes.size() > ~uInt{0})
        return base::fail(ErrorCode::unsupported, "more than 4 GB in one gzip file",
                          "choose a slice of time or a filter");
    return out;
}

}  // namespace ringside::exports
