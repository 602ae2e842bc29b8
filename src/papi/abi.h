// papi.h as the library itself includes it, held to the layouts that compiled programs rely on.
#pragma once

#include <cstddef>

#include <ringside/papi/papi.h>

namespace ringside::papi {

static_assert(sizeof(PAPI_hw_info_t) == 1480);
static_assert(offsetof(PAPI_hw_info_t, mem_hierarchy) == 312);
static_assert(offsetof(PAPI_hw_info_t, virtualized) == 1180);
static_assert(offsetof(PAPI_hw_info_t, mhz) == 1440);
static_assert(sizeof(PAPI_option_t) == 264);
static_assert(offsetof(PAPI_option_t, attach.tid) == 8);
static_assert(offsetof(PAPI_option_t, addr.start_off) == 24);
static_assert(sizeof(PAPI_exe_info_t) == 2096);
static_assert(sizeof(PAPI_address_map_t) == 1072);
static_assert(sizeof(PAPI_shlib_info_t) == 16);
static_assert(sizeof(PAPI_dmem_info_t) == 96);
static_assert(sizeof(PAPI_sprofil_t) == 32);
static_assert(sizeof(PAPI_all_thr_spec_t) == 24);
static_assert(offsetof(PAPI_event_info_t, component_index) == 2116);
static_assert(offsetof(PAPI_event_info_t, count) == 2208);
static_assert(offsetof(PAPI_event_info_t, code) == 2536);
static_assert(offsetof(PAPI_event_info_t, name) == 2584);
static_assert(offsetof(PAPI_event_info_t, note) == 5656);
static_assert(offsetof(PAPI_component_info_t, disabled) == 1536);

#if RINGSIDE_PAPI_ABI >= 703
static_assert(sizeof(PAPI_event_info_t) == 23068);
static_assert(sizeof(PAPI_component_info_t) == 3296);
static_assert(offsetof(PAPI_component_info_t, num_cntrs) == 2576);
static_assert(offsetof(PAPI_component_info_t, pmu_names) == 2616);
static_assert(PAPI_PRESET_ENUM_AVAIL == 3 && PAPI_NTV_ENUM_UMASKS == 18 && PAPI_END_idx == 110);
#else
static_assert(sizeof(PAPI_event_info_t) == 6680);
static_assert(sizeof(PAPI_component_info_t) == 2272);
static_assert(offsetof(PAPI_component_info_t, num_cntrs) == 1548);
static_assert(offsetof(PAPI_component_info_t, pmu_names) == 1592);
static_assert(PAPI_PRESET_ENUM_AVAIL == 2 && PAPI_NTV_ENUM_UMASKS == 15 && PAPI_END_idx == 108);
#endif

}  // namespace ringside::papi
