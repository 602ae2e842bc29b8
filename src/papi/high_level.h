// The high-level interface: regions that a program names, measured by the events that PAPI_EVENTS
// names, reported in a JSON file when the program ends.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/fork.h"

namespace ringside::papi {

struct RegionEvent {
    std::string name;
    int code = 0;
    int component = 0;
    bool instant = false;  // reported as it stands, not as a difference
};

// One pass through a region. Values are cycles, nanoseconds, then those of the events.
struct Region {
    unsigned id = 0;
    int parent = -1;
    std::string name;
    bool ended = false;
    std::vector<long long> at_begin;
    std::vector<long long> values;
    std::vector<std::vector<long long>> reads;
};

struct RegionReport {
    std::vector<RegionEvent> events;
    std::map<unsigned long, std::vector<Region>> threads;  // by thread id
};

// The text of the JSON file, as PAPI's tools read it. Regions that did not end are left out.
std::string to_json(const RegionReport& report);

// Where the file of this process goes: an old folder of that name is moved aside. Fails as mkdir()
// and rename() do, with false.
bool write_report(const RegionReport& report);

class HighLevel {
  public:
    int begin(std::string_view region);
    int read(std::string_view region);
    int end(std::string_view region);
    // Counting stops in the calling thread until its next region.
    int stop();
    void write_if_any();

  private:
    struct Sets;

    int prepare();
    int choose_events();
    Sets& own_sets();
    int start_sets(Sets& sets);
    int measure(Sets& sets, std::vector<long long>& values);
    Region* innermost(Sets& sets, std::string_view region);
    std::vector<long long> since(const Region& region, const std::vector<long long>& now) const;

    base::Mutex mutex_;  // over all below
    RegionReport report_;
    pid_t pid_ = 0;  // whose regions these are
};

HighLevel& high_level();

}  // namespace ringside::papi
