// How an event is provoked and what must then be counted: data/trust/provocation.csv.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "trust/workbench.h"

namespace ringside::trust {

// Which mode of the CPU an event is measured in.
enum class Level {
    any,     // user and kernel where that is permitted, else user
    user,    // user only
    kernel,  // happens in the kernel only: means nothing without permission to count there
};

struct Provocation {
    Workload workload = Workload::loop;
    std::uint64_t least = 0;
    Witness witness = Witness::none;
    Level level = Level::any;
};

class Provocations {
  public:
    // The table that was compiled in.
    Provocations();
    // Events not in the table get a Provocation from which nothing follows.
    Provocation of(std::string_view event) const;

  private:
    std::map<std::string, Provocation, std::less<>> by_event_;
};

}  // namespace ringside::trust
