#include "model/event.h"

namespace ringside::model {

std::string_view to_string(EventKind kind) {
    switch (kind) {
        case EventKind::hardware:
            return "hardware";
        case EventKind::cache:
            return "cache";
        case EventKind::software:
            return "software";
        case EventKind::architectural:
            return "architectural";
        case EventKind::pmu:
            return "pmu";
        case EventKind::raw:
            return "raw";
        case EventKind::tracepoint:
            return "tracepoint";
        case EventKind::probe:
            return "probe";
    }
    return "raw";
}

}  // namespace ringside::model
