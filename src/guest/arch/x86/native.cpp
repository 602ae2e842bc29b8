#include "guest/layer.h"

namespace ringside::guest {

std::string_view native_arch() {
    return "amd64";
}

}  // namespace ringside::guest
