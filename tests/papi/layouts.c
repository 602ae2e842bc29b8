/* The headers are C, stand alone, and hold the layouts that compiled programs rely on. */
#include "papiStdEventDefs.h"

#include "papi.h"

#include <stddef.h>

#include "check.h"

int main(void) {
    CHECK(sizeof(PAPI_event_info_t) == 23068);
    CHECK(sizeof(PAPI_component_info_t) == 3296);
    CHECK(sizeof(PAPI_hw_info_t) == 1480);
    CHECK(sizeof(PAPI_option_t) == 264);
    CHECK(sizeof(PAPI_exe_info_t) == 2096);
    CHECK(sizeof(PAPI_dmem_info_t) == 96);
    CHECK(offsetof(PAPI_event_info_t, note) == 5656);
    CHECK(offsetof(PAPI_component_info_t, num_cntrs) == 2576);
    CHECK(PAPI_VER_CURRENT == 0x07030000);
    CHECK(PAPI_VERSION_MAJOR(PAPI_VERSION) == 7 && PAPI_VERSION_MINOR(PAPI_VERSION) == 3);
    CHECK(IS_PRESET(PAPI_TOT_CYC) && !IS_NATIVE(PAPI_TOT_CYC));
    CHECK((unsigned)PAPI_TOT_INS == 0x80000032u && (unsigned)PAPI_TOT_CYC == 0x8000003bu);
    CHECK((unsigned)PAPI_FP_OPS == 0x80000066u && PAPI_END_idx == 110);
    CHECK(PAPI_NUM_ERRORS == 29 && PAPI_PARTIAL == -28);
    return 0;
}
