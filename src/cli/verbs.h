// The verbs, one file each; verbs.cpp puts them in the order of --help.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace ringside::cli {

std::unique_ptr<Verb> make_annotate();
std::unique_ptr<Verb> make_compare();
std::unique_ptr<Verb> make_doctor();
std::unique_ptr<Verb> make_export();
std::unique_ptr<Verb> make_io();
std::unique_ptr<Verb> make_list();
std::unique_ptr<Verb> make_measure();
std::unique_ptr<Verb> make_merge();
std::unique_ptr<Verb> make_record();
std::unique_ptr<Verb> make_report();
std::unique_ptr<Verb> make_soft();
std::unique_ptr<Verb> make_stat();
std::unique_ptr<Verb> make_time();
std::unique_ptr<Verb> make_top();
// `guest run` and the verbs beside it.
void add_guest_verbs(Verbs& verbs);
void add_guest_cache_verbs(Verbs& verbs);
// `kvm stat` and the verbs below it.
void add_kvm_verbs(Verbs& verbs);
// `lab run` and the verbs beside it.
void add_lab_verbs(Verbs& verbs);

}  // namespace ringside::cli
