#include "cli/verbs.h"

namespace ringside::cli {

Verbs all_verbs() {
    Verbs verbs;
    verbs.push_back(make_doctor());
    verbs.push_back(make_list());
    verbs.push_back(make_stat());
    verbs.push_back(make_time());
    verbs.push_back(make_io());
    verbs.push_back(make_record());
    verbs.push_back(make_report());
    verbs.push_back(make_annotate());
    verbs.push_back(make_top());
    verbs.push_back(make_export());
    verbs.push_back(make_merge());
    verbs.push_back(make_compare());
    verbs.push_back(make_measure());
    add_kvm_verbs(verbs);
    add_guest_verbs(verbs);
    add_guest_cache_verbs(verbs);
    verbs.push_back(make_soft());
    add_lab_verbs(verbs);
    return verbs;
}

}  // namespace ringside::cli
