// Names, codes, components: what is listed can be counted, what is not is said.
#include <cstring>
#include <set>
#include <string>

#include "library_fixture.h"
#include "papi/machine.h"
#include "papi/perf_names.h"
#include "papi/presets.h"

namespace ringside::papi {

namespace {

using Events = PapiTest;

// What adding the event alone answers.
int try_to_add(int code) {
    int set = PAPI_NULL;
    EXPECT_EQ(PAPI_create_eventset(&set), PAPI_OK);
    const int result = PAPI_add_event(set, code);
    EXPECT_EQ(PAPI_cleanup_eventset(set), PAPI_OK);
    EXPECT_EQ(PAPI_destroy_eventset(&set), PAPI_OK);
    return result;
}

TEST_F(Events, AQueryAgreesWithAddingForEveryPreset) {
    int code = PAPI_PRESET_MASK;
    int available = 0;
    int total = 0;
    do {
        ++total;
        const int queried = PAPI_query_event(code);
        EXPECT_EQ(queried == PAPI_OK, try_to_add(code) == PAPI_OK) << find_preset(code)->name;
        static PAPI_event_info_t info;
        ASSERT_EQ(PAPI_get_event_info(code, &info), PAPI_OK);
        EXPECT_EQ(info.count > 0, queried == PAPI_OK) << info.symbol;
        available += queried == PAPI_OK;
    } while (PAPI_enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
    EXPECT_EQ(total, PAPI_END_idx);
    int listed = PAPI_query_event(PAPI_PRESET_MASK) == PAPI_OK ? 1 : 0;
    code = PAPI_PRESET_MASK;
    while (PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL) == PAPI_OK) ++listed;
    EXPECT_EQ(listed, available);
}

TEST_F(Events, EveryListedNativeEventCanBeAdded) {
    std::set<std::string> names;
    for (int component = 0; component < PAPI_num_components(); ++component) {
        int code = PAPI_NATIVE_MASK;
        if (PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component) != PAPI_OK) continue;
        int count = 0;
        do {
            char name[PAPI_MAX_STR_LEN];
            ASSERT_EQ(PAPI_event_code_to_name(code, name), PAPI_OK);
            EXPECT_TRUE(names.insert(name).second) << name << " is listed twice";
            int again = 0;
            EXPECT_EQ(PAPI_event_name_to_code(name, &again), PAPI_OK);
            EXPECT_EQ(again, code) << name;
            EXPECT_EQ(PAPI_get_event_component(code), component);
            EXPECT_EQ(PAPI_query_event(code), PAPI_OK) << name;
            ++count;
        } while (PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component) == PAPI_OK);
        EXPECT_EQ(PAPI_get_component_info(component)->num_native_events, count);
    }
    EXPECT_TRUE(names.contains("perf::TASK-CLOCK"));
}

TEST_F(Events, ComponentsAreNamedAsPapiNamesThem) {
    EXPECT_EQ(PAPI_get_component_index("perf_event"), 0);
    const PAPI_component_info_t* cpu = PAPI_get_component_info(0);
    ASSERT_NE(cpu, nullptr);
    EXPECT_STREQ(cpu->name, "perf_event");
    EXPECT_EQ(cpu->disabled, PAPI_OK);
    EXPECT_EQ(cpu->CmpIdx, 0);
    EXPECT_TRUE(cpu->attach && cpu->inherit && cpu->cpu && cpu->hardware_intr);
    EXPECT_STREQ(cpu->pmu_names[0], "perf");
    EXPECT_EQ(PAPI_get_opt(PAPI_MAX_HWCTRS, nullptr), cpu->num_cntrs);
    EXPECT_GT(PAPI_get_opt(PAPI_MAX_MPX_CTRS, nullptr), 0);
    EXPECT_GE(PAPI_get_component_index("sysdetect"), 0);
}

TEST(EventsBefore, AComponentIsDisabledBeforeInitialization) {
    ASSERT_EQ(PAPI_disable_component_by_name("perf_event"), PAPI_OK);
    ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), static_cast<int>(PAPI_VER_CURRENT));
    EXPECT_EQ(PAPI_get_component_info(0)->disabled, PAPI_ECMP_DISABLED);
    int code = 0;
    EXPECT_EQ(PAPI_event_name_to_code("perf::TASK-CLOCK", &code), PAPI_ECMP_DISABLED);
    EXPECT_EQ(PAPI_query_event(PAPI_TOT_CYC), PAPI_ECMP_DISABLED);
    PAPI_shutdown();
    ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), static_cast<int>(PAPI_VER_CURRENT));
    EXPECT_EQ(PAPI_get_component_info(0)->disabled, PAPI_OK) << "until the next initialization";
    PAPI_shutdown();
}

TEST(PerfNames, AreTranslatedBothWays) {
    EXPECT_EQ(to_perf_name("perf::TASK-CLOCK"), "task-clock");
    EXPECT_EQ(to_perf_name("perf::PERF_COUNT_SW_TASK_CLOCK"), "task-clock");
    EXPECT_EQ(to_perf_name("PERF_COUNT_HW_CPU_CYCLES"), "cycles");
    EXPECT_EQ(to_perf_name("perf::PERF_COUNT_HW_CACHE_L1D:READ:MISS"), "L1-dcache-load-misses");
    EXPECT_EQ(to_perf_name("perf::L1-DCACHE-LOADS"), "L1-dcache-loads");
    EXPECT_EQ(to_perf_name("perf::CYCLES:u=1:k=0"), "cycles:u");
    EXPECT_EQ(to_perf_name("perf::CYCLES:u:k"), "cycles:uk");
    EXPECT_EQ(to_perf_name("perf::CYCLES:precise=2"), "cycles:pp");
    EXPECT_EQ(to_perf_name("perf_raw::R1A2"), "r1a2");
    EXPECT_EQ(to_perf_name("skl::INST_RETIRED:ANY"), "skl::INST_RETIRED:ANY");
    EXPECT_EQ(to_perf_name("perf::CYCLES:cpu=1"), std::nullopt) << "has no counterpart";
    EXPECT_EQ(to_papi_name("task-clock"), "perf::TASK-CLOCK");
    EXPECT_EQ(to_papi_name("armv8_pmuv3_0/cpu_cycles/"), "armv8_pmuv3_0/cpu_cycles/");
    EXPECT_EQ(kernel_constant("page-faults"), "PERF_COUNT_SW_PAGE_FAULTS");
    EXPECT_EQ(kernel_constant("r1a2"), "");
}

TEST(Presets, KeepTheirCodes) {
    EXPECT_EQ(preset_code("PAPI_L1_DCM"), PAPI_L1_DCM);
    EXPECT_EQ(preset_code("papi_tot_cyc"), PAPI_TOT_CYC);
    EXPECT_EQ(preset_code("PAPI_REF_CYC"), PAPI_REF_CYC);
    EXPECT_EQ(preset_code("PAPI_VEC_HP"), PAPI_VEC_HP);
    EXPECT_EQ(find_preset(PAPI_FP_OPS)->name, "PAPI_FP_OPS");
    EXPECT_EQ(find_preset(PAPI_END), nullptr);
    EXPECT_EQ(find_preset(PAPI_NATIVE_MASK), nullptr);
    for (const auto& preset : presets()) EXPECT_NE(preset.about, 0u) << preset.name;
}

PAPI_hw_info_t hardware_of(const char* machine) {
    const base::SysRoot root(std::string(RINGSIDE_FIXTURES) + "/machines/" + machine);
    return describe_hardware(platform::describe(root), root);
}

TEST(Hardware, SaysWhoVirtualizesOnEveryArchitecture) {
    const auto nitro = hardware_of("aws_nitro_x86");
    EXPECT_EQ(nitro.virtualized, 1);
    EXPECT_STREQ(nitro.virtual_vendor_string, "kvm");
    const auto graviton = hardware_of("aws_graviton_vm");
    EXPECT_EQ(graviton.virtualized, 1);
    EXPECT_NE(graviton.virtual_vendor_string[0], '\0');
    EXPECT_EQ(graviton.vendor, PAPI_VENDOR_ARM_ARM);
    const auto bare = hardware_of("bare_intel");
    EXPECT_EQ(bare.virtualized, 0);
    EXPECT_EQ(bare.virtual_vendor_string[0], '\0');
    EXPECT_EQ(bare.vendor, PAPI_VENDOR_INTEL);
    const auto nothing = hardware_of("empty");
    EXPECT_GE(nothing.totalcpus, 1);
    EXPECT_GE(nothing.ncpu, 1);
}

TEST_F(Events, TheMachineAndTheProgramAreDescribed) {
    const PAPI_hw_info_t* hardware = PAPI_get_hardware_info();
    ASSERT_NE(hardware, nullptr);
    EXPECT_GT(hardware->cpu_max_mhz, 0);
    EXPECT_EQ(hardware->ncpu * hardware->nnodes, hardware->totalcpus);
    const PAPI_exe_info_t* program = PAPI_get_executable_info();
    ASSERT_NE(program, nullptr);
    EXPECT_STREQ(program->address_info.name, "unit_tests");
    const auto* here = reinterpret_cast<const char*>(&try_to_add);
    EXPECT_GE(here, program->address_info.text_start);
    EXPECT_LT(here, program->address_info.text_end);
    const PAPI_shlib_info_t* libraries = PAPI_get_shared_lib_info();
    ASSERT_NE(libraries, nullptr);
    bool libc = false;
    for (int i = 0; i < libraries->count; ++i) {
        libc = libc || std::strstr(libraries->map[i].name, "libc.so") != nullptr;
    }
    EXPECT_TRUE(libc);
    PAPI_dmem_info_t memory{};
    ASSERT_EQ(PAPI_get_dmem_info(&memory), PAPI_OK);
    EXPECT_GE(memory.peak, memory.size);
    EXPECT_GT(memory.resident, 0);
    EXPECT_EQ(memory.pagesize % 4096, 0);
}

TEST_F(Events, DevicesAreTheCpus) {
    void* handle = nullptr;
    ASSERT_EQ(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__CPU, &handle), PAPI_OK);
    int count = 0;
    const char* name = nullptr;
    unsigned sockets = 0;
    EXPECT_EQ(PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_COUNT, &count), PAPI_OK);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(PAPI_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CPU_CHAR_NAME, &name), PAPI_OK);
    EXPECT_STREQ(name, PAPI_get_hardware_info()->model_string);
    EXPECT_EQ(PAPI_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT, &sockets),
              PAPI_OK);
    EXPECT_GE(sockets, 1u);
    EXPECT_EQ(PAPI_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CUDA_ULONG_UID, &sockets), PAPI_ENOSUPP);
    EXPECT_EQ(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__CPU, &handle), PAPI_EINVAL);
}

}  // namespace

}  // namespace ringside::papi
