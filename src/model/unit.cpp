#include "model/unit.h"

#include <linux/perf_event.h>

namespace ringside::model {

bool counts_ns(const EventCode& code) {
    return code.type == PERF_TYPE_SOFTWARE &&
           (code.config == PERF_COUNT_SW_CPU_CLOCK || code.config == PERF_COUNT_SW_TASK_CLOCK);
}

bool counts_ns(std::string_view name) {
    const std::string_view plain = name.substr(0, name.find(':'));
    return plain == "cpu-clock" || plain == "task-clock" || plain == "off-cpu" || plain == "stolen";
}

}  // namespace ringside::model
