// Devices: the CPUs. The types of GPU that PAPI names are known here and have none.
#include <array>
#include <cstring>

#include "base/sys_root.h"
#include "papi/calls.h"
#include "papi/machine.h"
#include "proc/cpus.h"
#include "proc/meminfo.h"

namespace ringside::papi {

namespace {

struct DeviceType {
    PAPI_dev_type_id_e id;
    const char* name;
    const char* status;
};

constexpr std::array types = {
    DeviceType{PAPI_DEV_TYPE_ID__CPU, nullptr, "Device Initialized"},
    DeviceType{PAPI_DEV_TYPE_ID__CUDA, "NVIDIA", "Ringside counts no GPUs"},
    DeviceType{PAPI_DEV_TYPE_ID__ROCM, "AMD/ATI", "Ringside counts no GPUs"},
};

// The next type that `wanted`, a mask of PAPI_DEV_TYPE_ENUM__*, asks for. The handle goes out only:
// programs hand in what was never set.
int next_type(int wanted, void** handle) {
    thread_local std::size_t next = 0;
    if (handle == nullptr) return PAPI_EINVAL;
    if (wanted == PAPI_DEV_TYPE_ENUM__FIRST) {
        next = 0;
        *handle = const_cast<DeviceType*>(&types.front());
        return PAPI_OK;
    }
    for (; next < types.size(); ++next) {
        if ((wanted >> types[next].id & 1) != 0) {
            *handle = const_cast<DeviceType*>(&types[next++]);
            return PAPI_OK;
        }
    }
    next = 0;
    *handle = nullptr;
    return PAPI_EINVAL;
}

bool is_handle(const void* handle) {
    const auto* type = static_cast<const DeviceType*>(handle);
    return type >= types.data() && type < types.data() + types.size();
}

int type_attribute(const DeviceType& type, PAPI_dev_type_attr_e attribute, void* value) {
    const bool cpu = type.id == PAPI_DEV_TYPE_ID__CPU;
    switch (attribute) {
        case PAPI_DEV_TYPE_ATTR__INT_PAPI_ID:
            *static_cast<int*>(value) = type.id;
            return PAPI_OK;
        case PAPI_DEV_TYPE_ATTR__INT_VENDOR_ID:
            *static_cast<int*>(value) = cpu ? hardware_info().vendor : 0;
            return PAPI_OK;
        case PAPI_DEV_TYPE_ATTR__CHAR_NAME:
            *static_cast<const char**>(value) = cpu ? hardware_info().vendor_string : type.name;
            return PAPI_OK;
        case PAPI_DEV_TYPE_ATTR__INT_COUNT:
            *static_cast<int*>(value) = cpu ? 1 : 0;
            return PAPI_OK;
        case PAPI_DEV_TYPE_ATTR__CHAR_STATUS:
            *static_cast<const char**>(value) = type.status;
            return PAPI_OK;
    }
    return PAPI_ENOSUPP;
}

// The cache of a level that holds `kind`; empty if there is none.
PAPI_mh_cache_info_t cache(int level, int kind) {
    const auto& hierarchy = hardware_info().mem_hierarchy;
    for (const auto& candidate : hierarchy.level[level - 1].cache) {
        if (PAPI_MH_CACHE_TYPE(candidate.type) == kind) return candidate;
    }
    return {};
}

// The attributes of caches come in fours: L1I, L1D, L2, L3.
PAPI_mh_cache_info_t cache_of(int attribute, int first_of_four) {
    switch (attribute - first_of_four) {
        case 0:
            return cache(1, PAPI_MH_TYPE_INST);
        case 1:
            return cache(1, PAPI_MH_TYPE_DATA);
        case 2:
            return cache(2, PAPI_MH_TYPE_UNIFIED);
        default:
            return cache(3, PAPI_MH_TYPE_UNIFIED);
    }
}

std::vector<int> cpus_of_node(int node) {
    const auto path = "/sys/devices/system/node/node" + std::to_string(node) + "/cpulist";
    return proc::read_cpu_list(base::SysRoot(), path).value_or({});
}

unsigned node_of_cpu(int cpu) {
    for (int node = 0; node < hardware_info().nnodes; ++node) {
        for (const int member : cpus_of_node(node)) {
            if (member == cpu) return static_cast<unsigned>(node);
        }
    }
    return 0;
}

unsigned memory_mib(int node) {
    const auto bytes = proc::node_memory_total_bytes(base::SysRoot(), node);
    return static_cast<unsigned>(bytes.value_or(0) >> 20);
}

int cpu_number(int id, PAPI_dev_attr_e attribute) {
    const auto& hardware = hardware_info();
    switch (attribute) {
        case PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT:
            return hardware.sockets;
        case PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT:
            return hardware.nnodes;
        case PAPI_DEV_ATTR__CPU_UINT_CORE_COUNT:
            return hardware.cores;
        case PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT:
            return hardware.totalcpus;
        case PAPI_DEV_ATTR__CPU_UINT_FAMILY:
            return hardware.cpuid_family;
        case PAPI_DEV_ATTR__CPU_UINT_MODEL:
            return hardware.cpuid_model;
        case PAPI_DEV_ATTR__CPU_UINT_STEPPING:
            return hardware.cpuid_stepping;
        case PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE:
            return static_cast<int>(memory_mib(id));
        case PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY:
            return static_cast<int>(node_of_cpu(id));
        case PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA:
            return static_cast<int>(cpus_of_node(id).size());
        default:
            break;
    }
    if (attribute >= PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_ASSOC) {
        return cache_of(attribute, PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_ASSOC).associativity;
    }
    if (attribute >= PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_COUNT) {
        return cache_of(attribute, PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_COUNT).num_lines;
    }
    if (attribute >= PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_SIZE) {
        return cache_of(attribute, PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_SIZE).line_size;
    }
    return cache_of(attribute, PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_SIZE).size;
}

int device_attribute(const DeviceType& type, int id, PAPI_dev_attr_e attribute, void* value) {
    if (type.id != PAPI_DEV_TYPE_ID__CPU) return PAPI_ENOSUPP;
    if (attribute == PAPI_DEV_ATTR__CPU_CHAR_NAME) {
        *static_cast<const char**>(value) = hardware_info().model_string;
        return PAPI_OK;
    }
    if (attribute < PAPI_DEV_ATTR__CPU_CHAR_NAME ||
        attribute > PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA) {
        return PAPI_ENOSUPP;
    }
    *static_cast<unsigned*>(value) = static_cast<unsigned>(cpu_number(id, attribute));
    return PAPI_OK;
}

}  // namespace

}  // namespace ringside::papi

using namespace ringside::papi;

extern "C" {

int PAPI_enum_dev_type(int wanted, void** handle) {
    return guarded([&] { return initialized() ? next_type(wanted, handle) : PAPI_ENOINIT; });
}

int PAPI_get_dev_type_attr(void* handle, PAPI_dev_type_attr_e attribute, void* value) {
    return guarded([&] {
        if (!initialized()) return PAPI_ENOINIT;
        if (!is_handle(handle) || value == nullptr) return PAPI_EINVAL;
        return type_attribute(*static_cast<DeviceType*>(handle), attribute, value);
    });
}

int PAPI_get_dev_attr(void* handle, int id, PAPI_dev_attr_e attribute, void* value) {
    return guarded([&] {
        if (!initialized()) return PAPI_ENOINIT;
        if (!is_handle(handle) || value == nullptr || id < 0) return PAPI_EINVAL;
        return device_attribute(*static_cast<DeviceType*>(handle), id, attribute, value);
    });
}

}  // extern "C"
