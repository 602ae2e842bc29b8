#include "cli/verb.h"

namespace ringside::cli {

Verbs all_verbs() {
    return {};
}

}  // namespace ringside::cli
