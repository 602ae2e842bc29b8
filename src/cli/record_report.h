// What a recording verb says while it runs and when it is done.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

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

// One line, and one for each kind of wait.
std::string record_text(const record::Summary& summary, const std::string& file);
std::string record_json(const record::Summary& summary, const std::string& file,
                        const std::vector<std::string>& notes, std::optional<int> exit_code);

}  // namespace ringside::cli
