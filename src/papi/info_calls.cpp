// The machine and the program.
#include "papi/calls.h"
#include "papi/program.h"

using namespace ringside::papi;

extern "C" {

const PAPI_hw_info_t* PAPI_get_hardware_info(void) {
    PAPI_option_t option{};
    return PAPI_get_opt(PAPI_HWINFO, &option) == PAPI_OK ? option.hw_info : nullptr;
}

const PAPI_exe_info_t* PAPI_get_executable_info(void) {
    PAPI_option_t option{};
    return PAPI_get_opt(PAPI_EXEINFO, &option) == PAPI_OK ? option.exe_info : nullptr;
}

const PAPI_shlib_info_t* PAPI_get_shared_lib_info(void) {
    PAPI_option_t option{};
    return PAPI_get_opt(PAPI_SHLIBINFO, &option) == PAPI_OK ? option.shlib_info : nullptr;
}

int PAPI_get_dmem_info(PAPI_dmem_info_t* info) {
    if (info == nullptr) return note(PAPI_EINVAL);
    return guarded([&] { return memory_info(ringside::base::SysRoot(), *info); });
}

}  // extern "C"
