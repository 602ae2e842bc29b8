#include "papi/program.h"

#include <cerrno>
#include <mutex>
#include <string>
#include <vector>

#include <link.h>
#include <unistd.h>

#include "base/fork.h"
#include "base/text.h"
#include "papi/text.h"

namespace ringside::papi {

namespace {

vptr_t pointer(std::uintptr_t address) {
    return reinterpret_cast<vptr_t>(address);  // NOLINT(performance-no-int-to-ptr)
}

// Code is what may be executed, data what may be written; bss is the data that is in no file.
PAPI_address_map_t map_of(const dl_phdr_info& object, std::string_view name) {
    PAPI_address_map_t map{};
    copy_text(map.name, name);
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const auto& segment = object.dlpi_phdr[i];
        if (segment.p_type != PT_LOAD) continue;
        const std::uintptr_t start = object.dlpi_addr + segment.p_vaddr;
        if ((segment.p_flags & PF_X) != 0) {
            map.text_start = pointer(start);
            map.text_end = pointer(start + segment.p_memsz);
        } else if ((segment.p_flags & PF_W) != 0) {
            map.data_start = pointer(start);
            map.data_end = map.bss_start = pointer(start + segment.p_filesz);
            map.bss_end = pointer(start + segment.p_memsz);
        }
    }
    return map;
}

std::string executable_path() {
    return base::SysRoot().read_link("/proc/self/exe").value_or("");
}

// The program itself comes first, and without a name.
std::vector<PAPI_address_map_t> loaded_objects() {
    std::vector<PAPI_address_map_t> maps;
    ::dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* out) {
            auto& all = *static_cast<std::vector<PAPI_address_map_t>*>(out);
            all.push_back(map_of(*object, object->dlpi_name == nullptr ? "" : object->dlpi_name));
            return 0;
        },
        &maps);
    return maps;
}

long long kib_in(std::string_view status, std::string_view key) {
    const auto field = base::find_field(status, key);
    if (!field) return 0;
    const auto words = base::split_words(*field);
    return words.empty() ? 0 : base::parse_i64(words.front()).value_or(0);
}

}  // namespace

PAPI_exe_info_t& executable_info() {
    static PAPI_exe_info_t info{};
    static base::Mutex mutex;
    const std::lock_guard lock(mutex);
    const std::string path = executable_path();
    const auto maps = loaded_objects();
    if (!maps.empty()) info.address_info = maps.front();
    copy_text(info.fullname, path);
    copy_text(info.address_info.name, path.substr(path.rfind('/') + 1));
    return info;
}

PAPI_shlib_info_t& shared_library_info() {
    static std::vector<PAPI_address_map_t> maps;
    static PAPI_shlib_info_t info{};
    static base::Mutex mutex;
    const std::lock_guard lock(mutex);
    maps = loaded_objects();
    if (!maps.empty()) maps.erase(maps.begin());
    info = {maps.data(), static_cast<int>(maps.size())};
    return info;
}

int memory_info(const base::SysRoot& root, PAPI_dmem_info_t& info) {
    const auto status = root.read("/proc/self/status");
    if (!status) {
        errno = status.error().sys_errno;
        return PAPI_ESYS;
    }
    info = PAPI_dmem_info_t{};
    info.peak = kib_in(*status, "VmPeak");
    info.size = kib_in(*status, "VmSize");
    info.resident = kib_in(*status, "VmRSS");
    info.high_water_mark = kib_in(*status, "VmHWM");
    info.shared = kib_in(*status, "RssFile") + kib_in(*status, "RssShmem");
    info.text = kib_in(*status, "VmExe");
    info.library = kib_in(*status, "VmLib");
    info.heap = kib_in(*status, "VmData");
    info.locked = kib_in(*status, "VmLck");
    info.stack = kib_in(*status, "VmStk");
    info.pagesize = ::getpagesize();
    info.pte = kib_in(*status, "VmPTE");
    return PAPI_OK;
}

}  // namespace ringside::papi
