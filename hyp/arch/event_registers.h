// PMEVCNTR<n>_EL0 and PMEVTYPER<n>_EL0 by number. The number is part of the instruction; going
// through PMSELR_EL0 instead would change a register that belongs to the guest.
#pragma once

#include "hyp/arch/sysreg.h"

namespace ringside::hyp {

#define HYP_EACH_EVENT_COUNTER(each)                                                              \
    each(0) each(1) each(2) each(3) each(4) each(5) each(6) each(7) each(8) each(9) each(10)      \
        each(11) each(12) each(13) each(14) each(15) each(16) each(17) each(18) each(19) each(20) \
            each(21) each(22) each(23) each(24) each(25) each(26) each(27) each(28) each(29)      \
                each(30)

#define HYP_READ_CASE(prefix, n) \
    case n:                      \
        return HYP_READ(prefix##n##_el0);
#define HYP_WRITE_CASE(prefix, n)          \
    case n:                                \
        HYP_WRITE(prefix##n##_el0, value); \
        break;

inline std::uint64_t read_event_counter(unsigned number) {
    switch (number) {
#define HYP_CASE(n) HYP_READ_CASE(pmevcntr, n)
        HYP_EACH_EVENT_COUNTER(HYP_CASE)
#undef HYP_CASE
        default:
            return 0;
    }
}
inline void write_event_counter(unsigned number, std::uint64_t value) {
    switch (number) {
#define HYP_CASE(n) HYP_WRITE_CASE(pmevcntr, n)
        HYP_EACH_EVENT_COUNTER(HYP_CASE)
#undef HYP_CASE
        default:
            break;
    }
}
inline std::uint64_t read_event_type(unsigned number) {
    switch (number) {
#define HYP_CASE(n) HYP_READ_CASE(pmevtyper, n)
        HYP_EACH_EVENT_COUNTER(HYP_CASE)
#undef HYP_CASE
        default:
            return 0;
    }
}
inline void write_event_type(unsigned number, std::uint64_t value) {
    switch (number) {
#define HYP_CASE(n) HYP_WRITE_CASE(pmevtyper, n)
        HYP_EACH_EVENT_COUNTER(HYP_CASE)
#undef HYP_CASE
        default:
            break;
    }
}
#undef HYP_READ_CASE
#undef HYP_WRITE_CASE

}  // namespace ringside::hyp
