#include "components/number_file.h"

#include "base/text.h"

namespace ringside::components {

std::optional<std::uint64_t> NumberFile::read() {
    const auto text = file_.read();
    if (!text) return std::nullopt;
    return base::parse_u64(base::trim(*text));
}

}  // namespace ringside::components
