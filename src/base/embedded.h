// The files under data/, compiled in, so that an installed command works without the source tree.
#pragma once

#include <optional>
#include <string_view>

namespace ringside::base {

// `path` relative to data/, for instance "events/generic.csv". Static storage.
std::optional<std::string_view> embedded_file(std::string_view path);

}  // namespace ringside::base
