#include "cli/verbs.h"

namespace ringside::cli {

Verbs all_verbs() {
    Verbs verbs;
    verbs.push_back(make_doctor());
    verbs.push_back(make_list());
    return verbs;
}

}  // namespace ringside::cli
