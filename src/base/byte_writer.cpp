#include "base/byte_writer.h"

namespace ringside::base {

// Not in the header: inlined, it makes GCC 12 warn of overflows that are none.
ByteWriter& ByteWriter::raw(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
}

}  // namespace ringside::base
