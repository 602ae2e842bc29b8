// The Fortran interface: every argument by reference, the outcome in the last one, strings padded
// with blanks and their lengths handed on behind the arguments. Compilers disagree on how a name is
// written, so each function has the four names in use.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "papi/abi.h"

namespace {

std::string from_fortran(const char* text, int length) {
    std::string_view view(text, static_cast<std::size_t>(std::max(length, 0)));
    const auto last = view.find_last_not_of(" \0");
    return std::string(view.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

void to_fortran(std::string_view from, char* text, int length) {
    const auto size = static_cast<std::size_t>(std::max(length, 0));
    const std::size_t used = std::min(from.size(), size);
    std::memcpy(text, from.data(), used);
    std::memset(text + used, ' ', size - used);
}

long long address(const void* pointer) {
    return static_cast<long long>(reinterpret_cast<std::uintptr_t>(pointer));
}

// The Fortran interface hands device types around as an index that it does not use.
void* device_type = nullptr;

}  // namespace

#pragma GCC visibility push(default)

#define FORTRAN(lower, upper, arguments)                                \
    extern "C" void lower arguments;                                    \
    extern "C" void lower##_ arguments __attribute__((alias(#lower)));  \
    extern "C" void lower##__ arguments __attribute__((alias(#lower))); \
    extern "C" void upper arguments __attribute__((alias(#lower)));     \
    void lower arguments

FORTRAN(papif_accum, PAPIF_ACCUM, (int* set, long long* values, int* check)) {
    *check = PAPI_accum(*set, values);
}

FORTRAN(papif_add_event, PAPIF_ADD_EVENT, (int* set, int* code, int* check)) {
    *check = PAPI_add_event(*set, *code);
}

FORTRAN(papif_add_named_event, PAPIF_ADD_NAMED_EVENT,
        (int* set, char* name, int* check, int length)) {
    *check = PAPI_add_named_event(*set, from_fortran(name, length).c_str());
}

FORTRAN(papif_add_events, PAPIF_ADD_EVENTS, (int* set, int* codes, int* number, int* check)) {
    *check = PAPI_add_events(*set, codes, *number);
}

FORTRAN(papif_assign_eventset_component, PAPIF_ASSIGN_EVENTSET_COMPONENT,
        (int* set, int* component, int* check)) {
    *check = PAPI_assign_eventset_component(*set, *component);
}

FORTRAN(papif_cleanup_eventset, PAPIF_CLEANUP_EVENTSET, (int* set, int* check)) {
    *check = PAPI_cleanup_eventset(*set);
}

FORTRAN(papif_create_eventset, PAPIF_CREATE_EVENTSET, (int* set, int* check)) {
    *check = PAPI_create_eventset(set);
}

FORTRAN(papif_destroy_eventset, PAPIF_DESTROY_EVENTSET, (int* set, int* check)) {
    *check = PAPI_destroy_eventset(set);
}

FORTRAN(papif_enum_event, PAPIF_ENUM_EVENT, (int* code, int* modifier, int* check)) {
    *check = PAPI_enum_event(code, *modifier);
}

FORTRAN(papif_event_code_to_name, PAPIF_EVENT_CODE_TO_NAME,
        (int* code, char* name, int* check, int length)) {
    char text[PAPI_MAX_STR_LEN] = "";
    *check = PAPI_event_code_to_name(*code, text);
    to_fortran(text, name, length);
}

FORTRAN(papif_event_name_to_code, PAPIF_EVENT_NAME_TO_CODE,
        (char* name, int* code, int* check, int length)) {
    *check = PAPI_event_name_to_code(from_fortran(name, length).c_str(), code);
}

FORTRAN(papif_get_clockrate, PAPIF_GET_CLOCKRATE, (int* mhz)) {
    *mhz = PAPI_get_opt(PAPI_CLOCKRATE, nullptr);
}

FORTRAN(papif_get_dmem_info, PAPIF_GET_DMEM_INFO, (long long* values, int* check)) {
    PAPI_dmem_info_t info{};
    *check = PAPI_get_dmem_info(&info);
    std::memcpy(values, &info, sizeof info);
}

FORTRAN(papif_get_domain, PAPIF_GET_DOMAIN, (int* set, int* domain, int* mode, int* check)) {
    PAPI_option_t option{};
    option.domain.eventset = *set;
    *check = PAPI_EINVAL;
    if (*mode == PAPI_DEFDOM) {
        *domain = PAPI_get_opt(PAPI_DEFDOM, nullptr);
        *check = PAPI_OK;
    } else if (*mode == PAPI_DOMAIN) {
        *check = PAPI_get_opt(PAPI_DOMAIN, &option);
        if (*check == PAPI_OK) *domain = option.domain.domain;
    }
}

FORTRAN(papif_get_event_info, PAPIF_GET_EVENT_INFO,
        (int* code, char* symbol, char* long_descr, char* short_descr, int* count, char* remark,
         int* /*flags*/, int* check, int symbol_length, int long_length, int short_length,
         int remark_length)) {
    // Too large for some Fortran threads' stacks, and for the loader's reserve of thread-local
    // room.
    const std::unique_ptr<PAPI_event_info_t> info(new (std::nothrow) PAPI_event_info_t);
    *check = info ? PAPI_get_event_info(*code, info.get()) : PAPI_ENOMEM;
    if (*check != PAPI_OK) return;
    to_fortran(info->symbol, symbol, symbol_length);
    to_fortran(info->long_descr, long_descr, long_length);
    to_fortran(info->short_descr, short_descr, short_length);
    to_fortran(info->note, remark, remark_length);
    *count = static_cast<int>(info->count);
}

FORTRAN(papif_get_exe_info, PAPIF_GET_EXE_INFO,
        (char* path, char* name, long long* text_start, long long* text_end, long long* data_start,
         long long* data_end, long long* bss_start, long long* bss_end, int* check, int path_length,
         int name_length)) {
    PAPI_option_t option{};
    *check = PAPI_get_opt(PAPI_EXEINFO, &option);
    if (*check != PAPI_OK) return;
    const auto& map = option.exe_info->address_info;
    to_fortran(option.exe_info->fullname, path, path_length);
    to_fortran(map.name, name, name_length);
    *text_start = address(map.text_start);
    *text_end = address(map.text_end);
    *data_start = address(map.data_start);
    *data_end = address(map.data_end);
    *bss_start = address(map.bss_start);
    *bss_end = address(map.bss_end);
}

FORTRAN(papif_get_granularity, PAPIF_GET_GRANULARITY,
        (int* set, int* granularity, int* mode, int* check)) {
    PAPI_option_t option{};
    option.granularity.eventset = *set;
    *check = PAPI_EINVAL;
    if (*mode == PAPI_DEFGRN) {
        *granularity = PAPI_get_opt(PAPI_DEFGRN, nullptr);
        *check = PAPI_OK;
    } else if (*mode == PAPI_GRANUL) {
        *check = PAPI_get_opt(PAPI_GRANUL, &option);
        if (*check == PAPI_OK) *granularity = option.granularity.granularity;
    }
}

FORTRAN(papif_get_hardware_info, PAPIF_GET_HARDWARE_INFO,
        (int* ncpu, int* nnodes, int* totalcpus, int* vendor, char* vendor_string, int* model,
         char* model_string, float* revision, float* mhz, int vendor_length, int model_length)) {
    const PAPI_hw_info_t none{};
    const PAPI_hw_info_t* known = PAPI_get_hardware_info();
    const PAPI_hw_info_t& info = known == nullptr ? none : *known;
    *ncpu = info.ncpu;
    *nnodes = info.nnodes;
    *totalcpus = info.totalcpus;
    *vendor = info.vendor;
    *model = info.model;
    *revision = info.revision;
    *mhz = static_cast<float>(info.cpu_max_mhz);
    to_fortran(info.vendor_string, vendor_string, vendor_length);
    to_fortran(info.model_string, model_string, model_length);
}

FORTRAN(papif_get_multiplex, PAPIF_GET_MULTIPLEX, (int* set, int* check)) {
    *check = PAPI_get_multiplex(*set);
}

FORTRAN(papif_get_preload, PAPIF_GET_PRELOAD, (char* variable, int* check, int length)) {
    PAPI_option_t option{};
    *check = PAPI_get_opt(PAPI_PRELOAD, &option);
    if (*check == PAPI_OK) to_fortran(option.preload.lib_preload_env, variable, length);
}

FORTRAN(papif_get_real_cyc, PAPIF_GET_REAL_CYC, (long long* value)) {
    *value = PAPI_get_real_cyc();
}

FORTRAN(papif_get_real_usec, PAPIF_GET_REAL_USEC, (long long* value)) {
    *value = PAPI_get_real_usec();
}

FORTRAN(papif_get_real_nsec, PAPIF_GET_REAL_NSEC, (long long* value)) {
    *value = PAPI_get_real_nsec();
}

FORTRAN(papif_get_virt_cyc, PAPIF_GET_VIRT_CYC, (long long* value)) {
    *value = PAPI_get_virt_cyc();
}

FORTRAN(papif_get_virt_usec, PAPIF_GET_VIRT_USEC, (long long* value)) {
    *value = PAPI_get_virt_usec();
}

FORTRAN(papif_is_initialized, PAPIF_IS_INITIALIZED, (int* level)) {
    *level = PAPI_is_initialized();
}

FORTRAN(papif_library_init, PAPIF_LIBRARY_INIT, (int* check)) {
    *check = PAPI_library_init(*check);
}

FORTRAN(papif_list_events, PAPIF_LIST_EVENTS, (int* set, int* codes, int* number, int* check)) {
    *check = PAPI_list_events(*set, codes, number);
}

FORTRAN(papif_lock, PAPIF_LOCK, (int* which, int* check)) {
    *check = PAPI_lock(*which);
}

FORTRAN(papif_unlock, PAPIF_unlock, (int* which, int* check)) {
    *check = PAPI_unlock(*which);
}

FORTRAN(papif_multiplex_init, PAPIF_MULTIPLEX_INIT, (int* check)) {
    *check = PAPI_multiplex_init();
}

FORTRAN(papif_num_cmp_hwctrs, PAPIF_num_cmp_hwctrs, (int* component, int* number)) {
    *number = PAPI_num_cmp_hwctrs(*component);
}

FORTRAN(papif_num_events, PAPIF_NUM_EVENTS, (int* set, int* number)) {
    *number = PAPI_num_events(*set);
}

FORTRAN(papif_num_hwctrs, PAPIF_num_hwctrs, (int* number)) {
    *number = PAPI_num_hwctrs();
}

FORTRAN(papif_perror, PAPIF_PERROR, (char* message, int length)) {
    PAPI_perror(from_fortran(message, length).c_str());
}

FORTRAN(papif_query_event, PAPIF_QUERY_EVENT, (int* code, int* check)) {
    *check = PAPI_query_event(*code);
}

FORTRAN(papif_query_named_event, PAPIF_QUERY_NAMED_EVENT, (char* name, int* check, int length)) {
    *check = PAPI_query_named_event(from_fortran(name, length).c_str());
}

FORTRAN(papif_read, PAPIF_READ, (int* set, long long* values, int* check)) {
    *check = PAPI_read(*set, values);
}

FORTRAN(papif_read_ts, PAPIF_READ_TS,
        (int* set, long long* values, long long* cycles, int* check)) {
    *check = PAPI_read_ts(*set, values, cycles);
}

FORTRAN(papif_register_thread, PAPIF_REGISTER_THREAD, (int* check)) {
    *check = PAPI_register_thread();
}

FORTRAN(papif_remove_event, PAPIF_REMOVE_EVENT, (int* set, int* code, int* check)) {
    *check = PAPI_remove_event(*set, *code);
}

FORTRAN(papif_remove_named_event, PAPIF_REMOVE_NAMED_EVENT,
        (int* set, char* name, int* check, int length)) {
    *check = PAPI_remove_named_event(*set, from_fortran(name, length).c_str());
}

FORTRAN(papif_remove_events, PAPIF_REMOVE_EVENTS, (int* set, int* codes, int* number, int* check)) {
    *check = PAPI_remove_events(*set, codes, *number);
}

FORTRAN(papif_reset, PAPIF_RESET, (int* set, int* check)) {
    *check = PAPI_reset(*set);
}

FORTRAN(papif_set_cmp_domain, PAPIF_SET_CMP_DOMAIN, (int* domain, int* component, int* check)) {
    *check = PAPI_set_cmp_domain(*domain, *component);
}

FORTRAN(papif_set_cmp_granularity, PAPIF_SET_CMP_GRANULARITY,
        (int* granularity, int* component, int* check)) {
    *check = PAPI_set_cmp_granularity(*granularity, *component);
}

FORTRAN(papif_set_debug, PAPIF_SET_DEBUG, (int* level, int* check)) {
    *check = PAPI_set_debug(*level);
}

FORTRAN(papif_set_domain, PAPIF_SET_DOMAIN, (int* domain, int* check)) {
    *check = PAPI_set_domain(*domain);
}

FORTRAN(papif_set_event_domain, PAPIF_SET_EVENT_DOMAIN, (int* set, int* domain, int* check)) {
    PAPI_option_t option{};
    option.domain.eventset = *set;
    option.domain.domain = *domain;
    *check = PAPI_set_opt(PAPI_DOMAIN, &option);
}

FORTRAN(papif_set_granularity, PAPIF_SET_GRANULARITY, (int* granularity, int* check)) {
    *check = PAPI_set_granularity(*granularity);
}

// The interface gives no set; PAPI never made clear which one is meant.
FORTRAN(papif_set_inherit, PAPIF_SET_INHERIT, (int* /*inherit*/, int* check)) {
    *check = PAPI_ENOEVST;
}

FORTRAN(papif_set_multiplex, PAPIF_SET_MULTIPLEX, (int* set, int* check)) {
    *check = PAPI_set_multiplex(*set);
}

FORTRAN(papif_shutdown, PAPIF_SHUTDOWN, (void)) {
    PAPI_shutdown();
}

FORTRAN(papif_start, PAPIF_START, (int* set, int* check)) {
    *check = PAPI_start(*set);
}

FORTRAN(papif_state, PAPIF_STATE, (int* set, int* status, int* check)) {
    *check = PAPI_state(*set, status);
}

FORTRAN(papif_stop, PAPIF_STOP, (int* set, long long* values, int* check)) {
    *check = PAPI_stop(*set, values);
}

FORTRAN(papif_thread_id, PAPIF_THREAD_ID, (unsigned long* id)) {
    *id = PAPI_thread_id();
}

FORTRAN(papif_thread_init, PAPIF_THREAD_INIT, (unsigned long (*function)(void), int* check)) {
    *check = PAPI_thread_init(function);
}

FORTRAN(papif_unregister_thread, PAPIF_UNREGISTER_THREAD, (int* check)) {
    *check = PAPI_unregister_thread();
}

// A misspelling that PAPI keeps for old programs.
FORTRAN(papif_unregster_thread, PAPIF_UNREGSTER_THREAD, (int* check)) {
    *check = PAPI_unregister_thread();
}

FORTRAN(papif_write, PAPIF_WRITE, (int* set, long long* values, int* check)) {
    *check = PAPI_write(*set, values);
}

FORTRAN(papif_ipc, PAPIF_IPC,
        (float* real_s, float* virt_s, long long* instructions, float* ipc, int* check)) {
    *check = PAPI_ipc(real_s, virt_s, instructions, ipc);
}

FORTRAN(papif_epc, PAPIF_EPC,
        (int* event, float* real_s, float* virt_s, long long* reference, long long* core,
         long long* count, float* epc, int* check)) {
    *check = PAPI_epc(*event, real_s, virt_s, reference, core, count, epc);
}

FORTRAN(papif_flips_rate, PAPIF_FLIPS_RATE,
        (int* event, float* real_s, float* virt_s, long long* instructions, float* millions,
         int* check)) {
    *check = PAPI_flips_rate(*event, real_s, virt_s, instructions, millions);
}

FORTRAN(papif_flops_rate, PAPIF_FLOPS_RATE,
        (int* event, float* real_s, float* virt_s, long long* operations, float* millions,
         int* check)) {
    *check = PAPI_flops_rate(*event, real_s, virt_s, operations, millions);
}

FORTRAN(papif_rate_stop, PAPIF_RATE_STOP, (int* check)) {
    *check = PAPI_rate_stop();
}

FORTRAN(papif_hl_region_begin, PAPIF_HL_REGION_BEGIN, (char* region, int* check, int length)) {
    *check = PAPI_hl_region_begin(from_fortran(region, length).c_str());
}

FORTRAN(papif_hl_read, PAPIF_HL_READ, (char* region, int* check, int length)) {
    *check = PAPI_hl_read(from_fortran(region, length).c_str());
}

FORTRAN(papif_hl_region_end, PAPIF_HL_REGION_END, (char* region, int* check, int length)) {
    *check = PAPI_hl_region_end(from_fortran(region, length).c_str());
}

FORTRAN(papif_hl_stop, PAPIF_HL_STOP, (int* check)) {
    *check = PAPI_hl_stop();
}

FORTRAN(papif_enum_dev_type, PAPIF_ENUM_DEV_TYPE, (int* modifier, int* index, int* check)) {
    *check = PAPI_enum_dev_type(*modifier, &device_type);
    *index = 0;
}

FORTRAN(papif_get_dev_type_attr, PAPIF_GET_DEV_TYPE_ATTR,
        (int* /*index*/, int* attribute, int* number, char* text, int* check, int length)) {
    const auto wanted = static_cast<PAPI_dev_type_attr_e>(*attribute);
    if (wanted == PAPI_DEV_TYPE_ATTR__CHAR_NAME || wanted == PAPI_DEV_TYPE_ATTR__CHAR_STATUS) {
        const char* found = "";
        *check = PAPI_get_dev_type_attr(device_type, wanted, &found);
        to_fortran(found, text, length);
    } else {
        *check = PAPI_get_dev_type_attr(device_type, wanted, number);
    }
}

FORTRAN(papif_get_dev_attr, PAPIF_GET_DEV_ATTR,
        (int* /*index*/, int* id, int* attribute, int* number, char* text, int* check,
         int length)) {
    const auto wanted = static_cast<PAPI_dev_attr_e>(*attribute);
    if (wanted == PAPI_DEV_ATTR__CPU_CHAR_NAME) {
        const char* found = "";
        *check = PAPI_get_dev_attr(device_type, *id, wanted, &found);
        to_fortran(found, text, length);
    } else {
        *check = PAPI_get_dev_attr(device_type, *id, wanted, number);
    }
}

#pragma GCC visibility pop
