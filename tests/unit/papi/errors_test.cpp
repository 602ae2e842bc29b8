// Every call answers nonsense with the documented error.
#include <array>
#include <csignal>
#include <functional>

#include <sys/resource.h>

#include "library_fixture.h"
#include "papi/errors.h"

namespace ringside::papi {

namespace {

struct Call {
    const char* what;
    int expected;
    std::function<int()> call;
};

void check(const std::vector<Call>& calls) {
    for (const auto& [what, expected, call] : calls) EXPECT_EQ(call(), expected) << what;
}

void ignore(int, void*, long long, void*) {}

TEST(PapiErrors, BeforeInitializationNothingWorks) {
    ASSERT_EQ(PAPI_is_initialized(), PAPI_NOT_INITED);
    int number = PAPI_NULL;
    long long value = 0;
    void* pointer = nullptr;
    char name[PAPI_MAX_STR_LEN];
    PAPI_option_t option{};
    static PAPI_event_info_t info;
    check({
        {"create", PAPI_ENOINIT, [&] { return PAPI_create_eventset(&number); }},
        {"add", PAPI_ENOINIT, [] { return PAPI_add_event(0, PAPI_TOT_CYC); }},
        {"start", PAPI_ENOINIT, [] { return PAPI_start(0); }},
        {"read", PAPI_ENOINIT, [&] { return PAPI_read(0, &value); }},
        {"query", PAPI_ENOINIT, [] { return PAPI_query_event(PAPI_TOT_CYC); }},
        {"query named", PAPI_ENOINIT, [] { return PAPI_query_named_event("PAPI_TOT_CYC"); }},
        {"code", PAPI_ENOINIT, [&] { return PAPI_event_name_to_code("PAPI_TOT_CYC", &number); }},
        {"name", PAPI_ENOINIT, [&] { return PAPI_event_code_to_name(PAPI_TOT_CYC, name); }},
        {"info", PAPI_ENOINIT, [&] { return PAPI_get_event_info(PAPI_TOT_CYC, &info); }},
        {"enum", PAPI_ENOINIT, [&] { return PAPI_enum_event(&number, PAPI_ENUM_FIRST); }},
        {"enum of one", PAPI_ENOINIT, [&] { return PAPI_enum_cmp_event(&number, 0, 0); }},
        {"component", PAPI_ENOINIT, [] { return PAPI_get_event_component(PAPI_TOT_CYC); }},
        {"option", PAPI_ENOINIT, [&] { return PAPI_set_opt(PAPI_DOMAIN, &option); }},
        {"get option", PAPI_ENOINIT, [&] { return PAPI_get_opt(PAPI_HWINFO, &option); }},
        {"component option", PAPI_ENOINIT, [] { return PAPI_get_cmp_opt(PAPI_DEFDOM, nullptr, 0); }},
        {"domain", PAPI_ENOINIT, [] { return PAPI_set_domain(PAPI_DOM_ALL); }},
        {"multiplex", PAPI_ENOINIT, [] { return PAPI_multiplex_init(); }},
        {"threads", PAPI_ENOINIT, [] { return PAPI_thread_init(nullptr); }},
        {"register", PAPI_ENOINIT, [] { return PAPI_register_thread(); }},
        {"list threads", PAPI_ENOINIT, [&] { return PAPI_list_threads(nullptr, &number); }},
        {"specific", PAPI_ENOINIT, [&] { return PAPI_get_thr_specific(0, &pointer); }},
        {"set specific", PAPI_ENOINIT, [] { return PAPI_set_thr_specific(0, nullptr); }},
        {"devices", PAPI_ENOINIT, [&] { return PAPI_enum_dev_type(0, &pointer); }},
        {"old version", PAPI_EINVAL, [] { return PAPI_library_init(0x05000000); }},
        {"rate stop", PAPI_ENOEVNT, [] { return PAPI_rate_stop(); }},
        {"hl stop", PAPI_ENOEVNT, [] { return PAPI_hl_stop(); }},
        {"hl read", PAPI_EMISC, [] { return PAPI_hl_read("never begun"); }},
    });
    EXPECT_EQ(PAPI_get_hardware_info(), nullptr);
    EXPECT_EQ(PAPI_get_executable_info(), nullptr);
    EXPECT_EQ(PAPI_get_shared_lib_info(), nullptr);
    EXPECT_EQ(PAPI_get_opt(PAPI_LIB_VERSION, nullptr), PAPI_VERSION);
    PAPI_shutdown();  // does no harm
}

using PapiErrorsIn = PapiTest;

TEST_F(PapiErrorsIn, NullPointersAreRefused) {
    int set = set_with("perf::TASK-CLOCK");
    long long value = 0;
    int code = 0;
    float real = 0;
    check({
        {"create", PAPI_EINVAL, [] { return PAPI_create_eventset(nullptr); }},
        {"destroy", PAPI_EINVAL, [] { return PAPI_destroy_eventset(nullptr); }},
        {"add named", PAPI_EINVAL, [&] { return PAPI_add_named_event(set, nullptr); }},
        {"remove named", PAPI_EINVAL, [&] { return PAPI_remove_named_event(set, nullptr); }},
        {"add some", PAPI_EINVAL, [&] { return PAPI_add_events(set, nullptr, 1); }},
        {"remove some", PAPI_EINVAL, [&] { return PAPI_remove_events(set, nullptr, 1); }},
        {"list", PAPI_EINVAL, [&] { return PAPI_list_events(set, nullptr, nullptr); }},
        {"state", PAPI_EINVAL, [&] { return PAPI_state(set, nullptr); }},
        {"read", PAPI_EINVAL, [&] { return PAPI_read(set, nullptr); }},
        {"read_ts", PAPI_EINVAL, [&] { return PAPI_read_ts(set, &value, nullptr); }},
        {"accum", PAPI_EINVAL, [&] { return PAPI_accum(set, nullptr); }},
        {"write", PAPI_EINVAL, [&] { return PAPI_write(set, nullptr); }},
        {"query named", PAPI_EINVAL, [] { return PAPI_query_named_event(nullptr); }},
        {"to name", PAPI_EINVAL, [] { return PAPI_event_code_to_name(PAPI_TOT_CYC, nullptr); }},
        {"to code", PAPI_EINVAL, [] { return PAPI_event_name_to_code("PAPI_TOT_CYC", nullptr); }},
        {"from null", PAPI_EINVAL, [&] { return PAPI_event_name_to_code(nullptr, &code); }},
        {"info", PAPI_EINVAL, [] { return PAPI_get_event_info(PAPI_TOT_CYC, nullptr); }},
        {"enum", PAPI_EINVAL, [] { return PAPI_enum_event(nullptr, PAPI_ENUM_FIRST); }},
        {"enum of", PAPI_EINVAL, [] { return PAPI_enum_cmp_event(nullptr, 0, 0); }},
        {"set option", PAPI_EINVAL, [] { return PAPI_set_opt(PAPI_DOMAIN, nullptr); }},
        {"get option", PAPI_EINVAL, [] { return PAPI_get_opt(PAPI_DOMAIN, nullptr); }},
        {"timer", PAPI_EINVAL, [] { return PAPI_get_opt(PAPI_DEF_ITIMER, nullptr); }},
        {"libraries", PAPI_EINVAL, [] { return PAPI_get_opt(PAPI_SHLIBINFO, nullptr); }},
        {"component", PAPI_EINVAL, [] { return PAPI_get_cmp_opt(PAPI_COMPONENTINFO, nullptr, 0); }},
        {"index", PAPI_EINVAL, [] { return PAPI_get_component_index(nullptr); }},
        {"memory", PAPI_EINVAL, [] { return PAPI_get_dmem_info(nullptr); }},
        {"threads", PAPI_EINVAL, [] { return PAPI_list_threads(nullptr, nullptr); }},
        {"specific", PAPI_EINVAL, [] { return PAPI_get_thr_specific(0, nullptr); }},
        {"device", PAPI_EINVAL, [] { return PAPI_enum_dev_type(0, nullptr); }},
        {"device type", PAPI_EINVAL,
         [] { return PAPI_get_dev_type_attr(nullptr, PAPI_DEV_TYPE_ATTR__INT_COUNT, nullptr); }},
        {"device attribute", PAPI_EINVAL,
         [] { return PAPI_get_dev_attr(nullptr, 0, PAPI_DEV_ATTR__CPU_UINT_FAMILY, nullptr); }},
        {"handler", PAPI_EINVAL,
         [&] { return PAPI_overflow(set, code_of_event("perf::TASK-CLOCK"), 1000, 0, nullptr); }},
        {"overflow index", PAPI_EINVAL,
         [&] { return PAPI_get_overflow_event_index(set, 1, nullptr, nullptr); }},
        {"profil", PAPI_EINVAL,
         [&] {
             return PAPI_profil(nullptr, 0, nullptr, 65536, set,
                                code_of_event("perf::TASK-CLOCK"), 1000, PAPI_PROFIL_POSIX);
         }},
        {"sprofil", PAPI_EINVAL,
         [&] {
             return PAPI_sprofil(nullptr, 0, set, code_of_event("perf::TASK-CLOCK"), 1000,
                                 PAPI_PROFIL_POSIX);
         }},
        {"flips", PAPI_EINVAL,
         [&] { return PAPI_flips_rate(PAPI_FP_INS, &real, nullptr, &value, &real); }},
        {"flops", PAPI_EINVAL,
         [&] { return PAPI_flops_rate(PAPI_FP_OPS, nullptr, &real, &value, &real); }},
        {"ipc", PAPI_EINVAL, [&] { return PAPI_ipc(&real, &real, nullptr, &real); }},
        {"epc", PAPI_EINVAL,
         [&] { return PAPI_epc(0, &real, &real, &value, &value, &value, nullptr); }},
        {"region", PAPI_EINVAL, [] { return PAPI_hl_region_begin(nullptr); }},
        {"region end", PAPI_EINVAL, [] { return PAPI_hl_region_end(nullptr); }},
        {"region read", PAPI_EINVAL, [] { return PAPI_hl_read(nullptr); }},
    });
    PAPI_perror(nullptr);
}

TEST_F(PapiErrorsIn, SetsThatDoNotExistAreRefused) {
    long long value = 0;
    for (int set : {PAPI_NULL, 0, 12345, 1 << 30, INT32_MIN}) {
        int handle = set;
        int number = 0;
        std::array<int, 1> indices{};
        PAPI_option_t option{};
        option.attach = {set, 1};
        check({
            {"add", PAPI_ENOEVST, [&] { return PAPI_add_event(set, PAPI_TOT_CYC); }},
            {"remove", PAPI_ENOEVST, [&] { return PAPI_remove_event(set, PAPI_TOT_CYC); }},
            {"clean up", PAPI_ENOEVST, [&] { return PAPI_cleanup_eventset(set); }},
            {"destroy", PAPI_ENOEVST, [&] { return PAPI_destroy_eventset(&handle); }},
            {"assign", PAPI_ENOEVST, [&] { return PAPI_assign_eventset_component(set, 0); }},
            {"component", PAPI_ENOEVST, [&] { return PAPI_get_eventset_component(set); }},
            {"list", PAPI_ENOEVST, [&] { return PAPI_list_events(set, nullptr, &number); }},
            {"number", PAPI_ENOEVST, [&] { return PAPI_num_events(set); }},
            {"state", PAPI_ENOEVST, [&] { return PAPI_state(set, &number); }},
            {"start", PAPI_ENOEVST, [&] { return PAPI_start(set); }},
            {"stop", PAPI_ENOEVST, [&] { return PAPI_stop(set, &value); }},
            {"read", PAPI_ENOEVST, [&] { return PAPI_read(set, &value); }},
            {"read_ts", PAPI_ENOEVST, [&] { return PAPI_read_ts(set, &value, &value); }},
            {"accum", PAPI_ENOEVST, [&] { return PAPI_accum(set, &value); }},
            {"reset", PAPI_ENOEVST, [&] { return PAPI_reset(set); }},
            {"write", PAPI_ENOEVST, [&] { return PAPI_write(set, &value); }},
            {"attach", PAPI_ENOEVST, [&] { return PAPI_attach(set, 1); }},
            {"detach", PAPI_ENOEVST, [&] { return PAPI_detach(set); }},
            {"multiplex", PAPI_ENOEVST, [&] { return PAPI_set_multiplex(set); }},
            {"multiplexed", 0, [&] { return PAPI_get_multiplex(set); }},
            {"attached", PAPI_ENOEVST, [&] { return PAPI_get_opt(PAPI_ATTACH, &option); }},
            {"overflow", PAPI_ENOEVST,
             [&] { return PAPI_overflow(set, PAPI_TOT_CYC, 1000, 0, ignore); }},
            {"index", PAPI_ENOEVST,
             [&] {
                 int one = 1;
                 return PAPI_get_overflow_event_index(set, 1, indices.data(), &one);
             }},
            {"profil", PAPI_ENOEVST,
             [&] {
                 return PAPI_profil(&value, 8, nullptr, 65536, set, PAPI_TOT_CYC, 1000, 0);
             }},
            {"sprofil", PAPI_ENOEVST,
             [&] { return PAPI_sprofil(nullptr, 0, set, PAPI_TOT_CYC, 1000, 0); }},
        });
    }
}

TEST_F(PapiErrorsIn, WrongStatesAreRefused) {
    int set = PAPI_NULL;
    long long value = 0;
    ASSERT_EQ(PAPI_create_eventset(&set), PAPI_OK);
    check({
        {"a handle that is in use", PAPI_EINVAL, [&] { return PAPI_create_eventset(&set); }},
        {"start of an empty set", PAPI_ENOCMP, [&] { return PAPI_start(set); }},
        {"stop of an empty set", PAPI_ENOCMP, [&] { return PAPI_stop(set, &value); }},
        {"component of an empty set", PAPI_ENOCMP, [&] { return PAPI_get_eventset_component(set); }},
        {"assign nothing", PAPI_ENOCMP, [&] { return PAPI_assign_eventset_component(set, 99); }},
        {"assign", PAPI_OK, [&] { return PAPI_assign_eventset_component(set, 0); }},
        {"assign twice", PAPI_EINVAL, [&] { return PAPI_assign_eventset_component(set, 0); }},
        {"start without events", PAPI_EINVAL, [&] { return PAPI_start(set); }},
    });
    ASSERT_EQ(PAPI_add_named_event(set, "perf::TASK-CLOCK"), PAPI_OK);
    const int code = code_of_event("perf::TASK-CLOCK");
    const int faults = code_of_event("perf::PAGE-FAULTS");
    check({
        {"twice the same", PAPI_ECNFLCT, [&] { return PAPI_add_event(set, code); }},
        {"not in the set", PAPI_ENOEVNT, [&] { return PAPI_remove_event(set, faults); }},
        {"not an event", PAPI_EINVAL, [&] { return PAPI_add_event(set, 5); }},
        {"not a preset", PAPI_EINVAL, [&] { return PAPI_add_event(set, PAPI_PRESET_MASK | 127); }},
        {"no native", PAPI_ENOEVNT, [&] { return PAPI_add_event(set, PAPI_NATIVE_MASK | 9999); }},
        {"the user's own", PAPI_ENOEVNT, [&] { return PAPI_add_event(set, PAPI_UE_MASK | 1); }},
        {"not running", PAPI_ENOTRUN, [&] { return PAPI_stop(set, &value); }},
        {"not attached", PAPI_EINVAL, [&] { return PAPI_detach(set); }},
        {"not empty", PAPI_EINVAL, [&] { return PAPI_destroy_eventset(&set); }},
        {"threshold below 0", PAPI_EINVAL, [&] { return PAPI_overflow(set, code, -1, 0, ignore); }},
        {"not watched", PAPI_EINVAL, [&] { return PAPI_overflow(set, code, 0, 0, ignore); }},
        {"overflow of another", PAPI_ENOEVNT,
         [&] { return PAPI_overflow(set, faults, 100, 0, ignore); }},
        {"vector of nothing", PAPI_EINVAL,
         [&] {
             int index = 0;
             int one = 1;
             return PAPI_get_overflow_event_index(set, 0, &index, &one);
         }},
        {"counters cannot be written", PAPI_ECMP, [&] { return PAPI_write(set, &value); }},
        {"after initialization", PAPI_ENOINIT, [] { return PAPI_disable_component(0); }},
    });
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    PAPI_option_t domain{};
    domain.domain = {0, set, PAPI_DOM_ALL};
    PAPI_option_t inherit{};
    inherit.inherit = {set, PAPI_INHERIT_ALL};
    check({
        {"start twice", PAPI_EISRUN, [&] { return PAPI_start(set); }},
        {"add", PAPI_EISRUN, [&] { return PAPI_add_event(set, faults); }},
        {"remove", PAPI_EISRUN, [&] { return PAPI_remove_event(set, code); }},
        {"clean up", PAPI_EISRUN, [&] { return PAPI_cleanup_eventset(set); }},
        {"destroy", PAPI_EISRUN, [&] { return PAPI_destroy_eventset(&set); }},
        {"attach", PAPI_EISRUN, [&] { return PAPI_attach(set, 1); }},
        {"multiplex", PAPI_EISRUN, [&] { return PAPI_set_multiplex(set); }},
        {"domain", PAPI_EISRUN, [&] { return PAPI_set_opt(PAPI_DOMAIN, &domain); }},
        {"inherit", PAPI_EISRUN, [&] { return PAPI_set_opt(PAPI_INHERIT, &inherit); }},
        {"overflow", PAPI_EISRUN, [&] { return PAPI_overflow(set, code, 1000, 0, ignore); }},
        {"profil", PAPI_EISRUN, [&] { return PAPI_sprofil(nullptr, 0, set, code, 1000, 0); }},
        {"stop", PAPI_OK, [&] { return PAPI_stop(set, &value); }},
    });
}

TEST_F(PapiErrorsIn, UnknownOptionsAndNumbersAreRefused) {
    int set = set_with("perf::TASK-CLOCK");
    PAPI_option_t option{};
    option.domain = {0, set, 0};
    PAPI_option_t odd_domain{};
    odd_domain.domain = {0, set, PAPI_DOM_OTHER};
    PAPI_option_t granularity{};
    granularity.granularity = {0, set, PAPI_GRN_THR | PAPI_GRN_SYS};
    PAPI_option_t nowhere{};
    nowhere.cpu = {set, 1u << 20};
    check({
        {"no such option", PAPI_EINVAL, [&] { return PAPI_set_opt(999, &option); }},
        {"none to get", PAPI_EINVAL, [&] { return PAPI_get_opt(999, &option); }},
        {"of a component", PAPI_EINVAL, [] { return PAPI_get_cmp_opt(999, nullptr, 0); }},
        {"of no component", PAPI_ECMP, [] { return PAPI_get_cmp_opt(PAPI_DEFDOM, nullptr, 99); }},
        {"no domain", PAPI_EINVAL_DOM, [&] { return PAPI_set_opt(PAPI_DOMAIN, &option); }},
        {"odd domain", PAPI_EINVAL_DOM, [&] { return PAPI_set_opt(PAPI_DOMAIN, &odd_domain); }},
        {"two granularities", PAPI_EINVAL, [&] { return PAPI_set_opt(PAPI_GRANUL, &granularity); }},
        {"default domain", PAPI_EINVAL, [] { return PAPI_set_domain(0); }},
        {"of no component", PAPI_ENOCMP, [] { return PAPI_set_cmp_domain(PAPI_DOM_ALL, 99); }},
        {"not to be had", PAPI_ENOSUPP, [] { return PAPI_set_domain(PAPI_DOM_OTHER); }},
        {"granularity", PAPI_EINVAL, [] { return PAPI_set_granularity(0x40); }},
        {"of no component", PAPI_ENOCMP, [] { return PAPI_set_cmp_granularity(PAPI_GRN_THR, -1); }},
        {"no such CPU", PAPI_EINVAL, [&] { return PAPI_set_opt(PAPI_CPU_ATTACH, &nowhere); }},
        {"debug level", PAPI_EINVAL, [] { return PAPI_set_debug(17); }},
        {"lock", PAPI_EINVAL, [] { return PAPI_lock(PAPI_NUM_LOCK); }},
        {"unlock", PAPI_EINVAL, [] { return PAPI_unlock(-1); }},
        {"tag", PAPI_EINVAL, [] { return PAPI_set_thr_specific(PAPI_NUM_TLS, nullptr); }},
        {"no such component", PAPI_ENOCMP, [] { return PAPI_get_component_index("nonsense"); }},
        {"event of it", PAPI_ENOCMP, [] { return PAPI_query_named_event("nonsense:::X"); }},
        {"no such event", PAPI_ENOEVNT, [] { return PAPI_query_named_event("perf::NONSENSE"); }},
        {"no such preset", PAPI_ENOEVNT, [] { return PAPI_query_named_event("PAPI_NONSENSE"); }},
        {"no preset", PAPI_ENOTPRESET, [] { return PAPI_query_event(PAPI_PRESET_MASK | 127); }},
        {"flips of what", PAPI_ENOEVNT,
         [] { return PAPI_flips_rate(PAPI_TOT_CYC, nullptr, nullptr, nullptr, nullptr); }},
    });
    EXPECT_EQ(PAPI_get_component_info(-1), nullptr);
    EXPECT_EQ(PAPI_get_component_info(99), nullptr);
    EXPECT_EQ(PAPI_strerror(1), nullptr);
    EXPECT_EQ(PAPI_strerror(-PAPI_NUM_ERRORS), nullptr);
    for (int code = 0; code > -PAPI_NUM_ERRORS; --code) EXPECT_NE(PAPI_strerror(code), nullptr);
    long long value = 0;
    EXPECT_EQ(PAPI_start(set), PAPI_OK) << "refusals leave the set as it was";
    EXPECT_EQ(PAPI_stop(set, &value), PAPI_OK);
}

TEST_F(PapiErrorsIn, OutOfFileDescriptorsIsASystemError) {
    int set = set_with("perf::TASK-CLOCK");
    const int faults = code_of_event("perf::PAGE-FAULTS");
    rlimit limit{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    rlimit none = limit;
    none.rlim_cur = 0;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    const int refused = PAPI_add_event(set, faults);
    const int why = errno;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_EQ(refused, PAPI_ESYS);
    EXPECT_EQ(why, EMFILE);
    EXPECT_EQ(PAPI_num_events(set), 1);
    EXPECT_EQ(PAPI_add_event(set, faults), PAPI_OK) << "the refusal is not remembered";
}

TEST(PapiErrorCodes, SystemErrorsBecomeTheCodesThatSayMost) {
    EXPECT_EQ(code_of({ErrorCode::io, EACCES, {}, {}}), PAPI_EPERM);
    EXPECT_EQ(code_of({ErrorCode::not_found, ENOENT, {}, {}}), PAPI_ENOEVNT);
    EXPECT_EQ(code_of({ErrorCode::busy, 0, {}, {}}), PAPI_ECNFLCT);
    EXPECT_EQ(code_of({ErrorCode::not_found, ESRCH, {}, {}}), PAPI_EINVAL);
    EXPECT_EQ(code_of({ErrorCode::io, ENOMEM, {}, {}}), PAPI_ENOMEM);
    EXPECT_EQ(code_of({ErrorCode::io, EIO, {}, {}}), PAPI_ESYS);
    EXPECT_EQ(errno, EIO);
}

}  // namespace

}  // namespace ringside::papi
