// What has to be counted for an event code: a native event is itself, a preset is a formula over
// native events, of which the tables know several; the first that can be counted here is taken.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/fork.h"
#include "base/sys_root.h"
#include "events/expression.h"

namespace ringside::papi {

struct Formula {
    int component = 0;       // of its terms; or the error code that says why it cannot be counted
    std::vector<int> terms;  // codes of native events
    std::optional<events::Expression> expression;  // none where the value is that of the only term
    std::string remark;                            // what this machine's definition says of itself

    bool derived() const { return expression.has_value(); }
};

// May be used from several threads.
class Formulas {
  public:
    Formula of(int code);
    void clear();

  private:
    base::Mutex mutex_;
    std::map<int, Formula> presets_;  // those that were asked for
};

}  // namespace ringside::papi
