// The one way in which something is measured: collectors attach before it begins, are asked while
// it goes on and when it is over, and put what they found into a run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "measure/command.h"
#include "measure/waiting.h"
#include "run/run.h"

namespace ringside::measure {

// Called in this order, each at most once but read_interval(). What fails ends the measurement with
// its error; of those that were attached nothing is called any more then.
class Collector {
  public:
    virtual ~Collector() = default;
    // Before it begins: `command` waits for its exec. 0 if there is none.
    virtual Result<void> attach(pid_t command) = 0;
    // It has begun.
    virtual Result<void> begin() { return {}; }
    // What came in since the last interval, or the beginning.
    virtual Result<void> read_interval(run::Interval&) { return {}; }
    // It is over: what counts shall stop, before anybody is read.
    virtual void stop() {}
    // And a command is still there to be asked: nobody waited for it yet.
    virtual Result<void> end() { return {}; }
    // `status` is the command's, if there is one.
    virtual Result<void> collect(const std::optional<base::ExitStatus>& status, run::Run& run) = 0;
};
using Collectors = std::vector<std::unique_ptr<Collector>>;

class Engine {
  public:
    // They attach in this order and are read at the end in the opposite one: the window of the
    // last is the narrowest around what is measured.
    explicit Engine(std::vector<Collector*> collectors) : collectors_(std::move(collectors)) {}
    explicit Engine(const Collectors& collectors);

    // Runs the command. Its streams, its ticks and its environment are in `hooks`; what else those
    // do happens after what the collectors do.
    Outcome around(const std::vector<std::string>& argv, CommandHooks hooks, run::Run& run);
    // What runs already, as long as `wait` takes.
    Result<void> during(const std::function<Result<void>()>& wait, run::Run& run);

    // From a tick, or once it has ended.
    Result<run::Interval> read_interval(double at_s);

  private:
    Result<void> attach(pid_t command);
    Result<void> begin();
    Result<void> end();
    Result<void> collect(const std::optional<base::ExitStatus>& status, run::Run& run);

    std::vector<Collector*> collectors_;
};

}  // namespace ringside::measure
