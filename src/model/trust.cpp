#include <ringside/trust.h>

namespace ringside {

std::string_view to_string(CounterState state) {
    switch (state) {
        case CounterState::ok:
            return "ok";
        case CounterState::dead:
            return "dead";
        case CounterState::starved:
            return "starved";
        case CounterState::absent:
            return "absent";
        case CounterState::not_permitted:
            return "not_permitted";
        case CounterState::not_scheduled:
            return "not_scheduled";
        case CounterState::implausible:
            return "implausible";
    }
    return "implausible";
}

}  // namespace ringside
