// How far a recording is, while it runs.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "record/recorder.h"

namespace ringside::cli {

// A line on the terminal that changes twice a second. Says nothing where stderr is no terminal.
class ProgressLine {
  public:
    explicit ProgressLine(const record::Recorder& recorder);
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ~ProgressLine();

  private:
    void run();

    const record::Recorder& recorder_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool end_ = false;
    std::thread thread_;
};

}  // namespace ringside::cli
