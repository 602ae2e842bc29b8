#include "measure/samples.h"

#include "measure/profile.h"

namespace ringside::measure {

Result<void> Samples::attach(pid_t command) {
    if (auto found = targets_.sample(root_, command, settings_, cgroup_); !found) return found;
    auto recorder = record::Recorder::open(root_, settings_);
    if (!recorder) return recorder.error();
    recorder_ = std::move(*recorder);
    return {};
}

Result<void> Samples::collect(const std::optional<base::ExitStatus>&, run::Run& run) {
    auto summary = recorder_->finish();
    if (!summary) return summary.error();
    summary_ = std::move(*summary);
    const auto& notes = recorder_->notes();
    run.notes.insert(run.notes.end(), notes.begin(), notes.end());
    if (!into_run_) return {};
    if (summary_->progress.failure) return *summary_->progress.failure;
    const auto flat = load_flat_profile(settings_.file, true);
    if (!flat) return flat.error();
    run.build_ids = build_ids_of(*flat);
    add_profile(*flat, false, run);
    return {};
}

}  // namespace ringside::measure
