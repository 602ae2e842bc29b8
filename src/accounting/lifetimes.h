// When the threads of a subject began and ended, from the records that perf writes of each, which
// everyone may have of processes of his own. Threads that come and go between two readings are all
// there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include <ringside/clocks.h>
#include <ringside/result.h>

#include "base/sys_root.h"
#include "clocks/threads.h"
#include "perf/records.h"
#include "perf/ring_buffer.h"

namespace ringside::accounting {

struct Life {
    pid_t pid = 0;
    pid_t tid = 0;
    std::uint64_t begin_ns = 0;           // CLOCK_MONOTONIC
    std::optional<std::uint64_t> end_ns;  // nullopt: it lives
};

// The lives that records tell of. Pure.
class LifeTable {
  public:
    void begin(pid_t pid, pid_t tid, std::uint64_t time_ns);
    void end(pid_t tid, std::uint64_t time_ns);
    // Those that live begin now.
    void restart(std::uint64_t now_ns);
    // Records of several buffers, in any order.
    void apply(std::vector<perf::TaskRecord> records);
    // A thread that executes another program takes the number of its process's first thread; no
    // record says so.
    void rename(pid_t from, pid_t to);

    const std::vector<Life>& all() const { return lives_; }
    // Up to `now_ns`, all together.
    std::uint64_t total_ns(std::uint64_t now_ns) const;

  private:
    std::vector<Life> lives_;
    std::map<pid_t, std::size_t> living_;
};

// One user at a time.
class Lifetimes {
  public:
    // From now on. Threads that are there begin now. Where perf is not permitted, or not for all
    // threads, those that are there at each update are all that is known.
    Lifetimes(const base::SysRoot& root, const clocks::Subject& subject);

    void restart() { table_.restart(real_ns()); }
    void update();
    const LifeTable& table() const { return table_; }
    // Empty if no thread can have been missed.
    const std::string& incomplete() const { return incomplete_; }

  private:
    Result<void> record();
    Result<void> record(pid_t tid, int cpu);
    bool lives(pid_t tid) const;
    void begin_listed();
    void end_missing();
    bool is_ours(const perf::TaskRecord& record) const;
    void drain();

    base::SysRoot root_;
    clocks::Subject subject_;
    LifeTable table_;
    std::string incomplete_;
    std::vector<perf::EventFd> events_;
    struct Buffer {
        int fd;
        perf::RingBuffer ring;
    };
    std::map<int, Buffer> buffers_;  // by CPU; all threads' events write into them
};

}  // namespace ringside::accounting
