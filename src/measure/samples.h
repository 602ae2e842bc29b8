// Samples of the targets, recorded into a perf.data file.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/sys_root.h"
#include "measure/engine.h"
#include "measure/targets.h"
#include "record/recorder.h"

namespace ringside::measure {

class Samples final : public Collector {
  public:
    // `settings` are all but targets. With `into_run` the file is read when it is whole, and what
    // it holds is part of the run. `targets` must live as long as this.
    Samples(const Targets& targets, record::Settings settings, bool into_run)
        : targets_(targets), settings_(std::move(settings)), into_run_(into_run) {}

    Result<void> attach(pid_t command) override;
    Result<void> begin() override { return recorder_->begin(); }
    Result<void> collect(const std::optional<base::ExitStatus>& status, run::Run& run) override;

    const record::Recorder& recorder() const { return *recorder_; }  // once attached
    // Once collected. A recording may have broken off; without a run that is no error here.
    const record::Summary& summary() const { return *summary_; }

  private:
    const Targets& targets_;
    record::Settings settings_;
    bool into_run_;
    base::SysRoot root_;
    base::Fd cgroup_;
    std::unique_ptr<record::Recorder> recorder_;
    std::optional<record::Summary> summary_;
};

}  // namespace ringside::measure
