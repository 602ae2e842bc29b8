// Options, of the library and of event sets.
#include <bit>

#include "papi/calls.h"
#include "papi/machine.h"
#include "papi/program.h"
#include "papi/text.h"

namespace ringside::papi {

namespace {

bool one_granularity(int granularity) {
    return granularity >= PAPI_GRN_MIN && granularity <= PAPI_GRN_MAX &&
           std::has_single_bit(static_cast<unsigned>(granularity));
}

bool is_domain(int domain) {
    return domain >= PAPI_DOM_MIN && domain <= PAPI_DOM_MAX;
}

int set_default_domain(const PAPI_domain_option_t& option) {
    auto& catalogue = library().catalogue();
    if (!is_domain(option.domain)) return PAPI_EINVAL;
    if (!catalogue.valid(option.def_cidx)) return PAPI_ENOCMP;
    auto& defaults = catalogue.defaults(option.def_cidx);
    const int domain = option.domain == PAPI_DOM_ALL ? defaults.available_domains : option.domain;
    if ((domain & ~defaults.available_domains) != 0) return PAPI_ENOSUPP;
    defaults.default_domain = domain;
    return PAPI_OK;
}

int set_default_granularity(const PAPI_granularity_option_t& option) {
    auto& catalogue = library().catalogue();
    if (!one_granularity(option.granularity)) return PAPI_EINVAL;
    if (!catalogue.valid(option.def_cidx)) return PAPI_ENOCMP;
    auto& defaults = catalogue.defaults(option.def_cidx);
    if ((option.granularity & ~defaults.available_granularities) != 0) return PAPI_EINVAL;
    defaults.default_granularity = option.granularity;
    return PAPI_OK;
}

int set_timer(const PAPI_itimer_option_t& option) {
    if (option.ns < 0) return PAPI_EINVAL;
    if (option.itimer_num < ITIMER_REAL || option.itimer_num > ITIMER_PROF) return PAPI_EINVAL;
    if (option.itimer_sig < 1 || option.itimer_sig > SIGRTMAX) return PAPI_EINVAL;
    auto& timer = library().timer;
    timer.number = option.itimer_num;
    timer.signal = option.itimer_sig;
    if (option.ns > 0) timer.ns = option.ns;
    return PAPI_OK;
}

int set_interval(int ns) {
    if (ns < 0) return PAPI_EINVAL;
    library().timer.ns = ns;
    return PAPI_OK;
}

int set_debug(const PAPI_debug_option_t& option) {
    if (option.level < PAPI_QUIET || option.level > PAPI_VERB_ESTOP) return PAPI_EINVAL;
    library().debug.level = option.level;
    library().debug.handler = option.handler;
    return PAPI_OK;
}

// Options of one set: `handle` lies at the same place in all of their structs.
int set_on(Set& set, int option, PAPI_option_t& value) {
    switch (option) {
        case PAPI_ATTACH:
            return set.attach(value.attach.tid);
        case PAPI_DETACH:
            return set.detach();
        case PAPI_CPU_ATTACH:
            return set.attach_to_cpu(value.cpu.cpu_num);
        case PAPI_MULTIPLEX:
            return set.set_multiplex(value.multiplex.ns, value.multiplex.flags);
        case PAPI_DOMAIN:
            return is_domain(value.domain.domain) ? set.set_domain(value.domain.domain)
                                                  : PAPI_EINVAL_DOM;
        case PAPI_GRANUL:
            return one_granularity(value.granularity.granularity)
                       ? set.set_granularity(value.granularity.granularity)
                       : PAPI_EINVAL;
        case PAPI_INHERIT:
            return set.set_inherit(value.inherit.inherit);
        default:  // PAPI_DATA_ADDRESS, PAPI_INSTR_ADDRESS: Itanium's
            return set.component() < 0 ? PAPI_ENOCMP : PAPI_ECMP;
    }
}

// Which set an option is about; nullopt for options of the library.
std::optional<int> handle_in(int option, const PAPI_option_t& value) {
    switch (option) {
        case PAPI_ATTACH:
        case PAPI_DETACH:
            return value.attach.eventset;
        case PAPI_CPU_ATTACH:
            return value.cpu.eventset;
        case PAPI_MULTIPLEX:
            return value.multiplex.eventset;
        case PAPI_DOMAIN:
            return value.domain.eventset;
        case PAPI_GRANUL:
            return value.granularity.eventset;
        case PAPI_INHERIT:
            return value.inherit.eventset;
        case PAPI_DATA_ADDRESS:
        case PAPI_INSTR_ADDRESS:
            return value.addr.eventset;
        default:
            return std::nullopt;
    }
}

int set_option(int option, PAPI_option_t& value) {
    switch (option) {
        case PAPI_DEBUG:
            return set_debug(value.debug);
        case PAPI_DEFDOM:
            return set_default_domain(value.defdomain);
        case PAPI_DEFGRN:
            return set_default_granularity(value.defgranularity);
        case PAPI_DEF_MPX_NS:
            return set_interval(value.multiplex.ns);
        case PAPI_DEF_ITIMER_NS:
            return set_interval(value.itimer.ns);
        case PAPI_DEF_ITIMER:
            return set_timer(value.itimer);
        case PAPI_USER_EVENTS_FILE:
            return PAPI_ENOIMPL;
        default:
            return PAPI_EINVAL;
    }
}

// The answer is often the code itself.
int get_from(const Set& set, int option, PAPI_option_t& value) {
    const auto& settings = set.settings();
    switch (option) {
        case PAPI_ATTACH:
        case PAPI_DETACH: {
            value.attach.tid = settings.tid;
            const bool attached = (set.state() & PAPI_ATTACHED) != 0;
            return attached == (option == PAPI_ATTACH);
        }
        case PAPI_CPU_ATTACH:
            value.cpu.cpu_num = settings.cpu;
            return (set.state() & PAPI_CPU_ATTACHED) != 0;
        case PAPI_MULTIPLEX:
            value.multiplex.ns = settings.multiplex_ns;
            value.multiplex.flags = settings.multiplex_flags;
            return (set.state() & PAPI_MULTIPLEXING) != 0;
        case PAPI_DOMAIN:
            value.domain.domain = settings.domain;
            return PAPI_OK;
        case PAPI_GRANUL:
            value.granularity.granularity = settings.granularity;
            return PAPI_OK;
        case PAPI_INHERIT:
            value.inherit.inherit = settings.inherit;
            return PAPI_OK;
        default:
            return PAPI_EINVAL;
    }
}

PAPI_preload_info_t preload_info() {
    PAPI_preload_info_t info{};
    copy_text(info.lib_preload_env, "LD_PRELOAD");
    info.lib_preload_sep = ' ';
    copy_text(info.lib_dir_env, "LD_LIBRARY_PATH");
    info.lib_dir_sep = ':';
    return info;
}

int get_into(int option, PAPI_option_t& value) {
    const auto& lib = library();
    switch (option) {
        case PAPI_DEF_MPX_NS:
            value.multiplex.ns = lib.timer.ns;
            return PAPI_OK;
        case PAPI_DEF_ITIMER_NS:
            value.itimer.ns = lib.timer.ns;
            return PAPI_OK;
        case PAPI_DEF_ITIMER:
            value.itimer = {lib.timer.number, lib.timer.signal, lib.timer.ns, 0};
            return PAPI_OK;
        case PAPI_PRELOAD:
            value.preload = preload_info();
            return PAPI_OK;
        case PAPI_DEBUG:
            value.debug = {lib.debug.level, lib.debug.handler};
            return PAPI_OK;
        case PAPI_EXEINFO:
            value.exe_info = &executable_info();
            return PAPI_OK;
        case PAPI_HWINFO:
            value.hw_info = &hardware_info();
            return PAPI_OK;
        default:
            return PAPI_EINVAL;
    }
}

int get_option(int option, PAPI_option_t* value) {
    switch (option) {
        case PAPI_LIB_VERSION:
            return PAPI_VERSION;
        case PAPI_CLOCKRATE:
            return hardware_info().cpu_max_mhz;
        case PAPI_MAX_CPUS:
            return hardware_info().totalcpus;
        case PAPI_MAX_HWCTRS:
        case PAPI_MAX_MPX_CTRS:
        case PAPI_DEFDOM:
        case PAPI_DEFGRN:
        case PAPI_SHLIBINFO:
        case PAPI_COMPONENTINFO:
            return PAPI_get_cmp_opt(option, value, 0);
        default:
            return value == nullptr ? PAPI_EINVAL : get_into(option, *value);
    }
}

int get_component_option(int option, PAPI_option_t* value, int component) {
    auto& catalogue = library().catalogue();
    if (!catalogue.valid(component)) return PAPI_ECMP;
    switch (option) {
        case PAPI_MAX_HWCTRS:
            return catalogue.info(component).num_cntrs;
        case PAPI_MAX_MPX_CTRS:
            return catalogue.info(component).num_mpx_cntrs;
        case PAPI_DEFDOM:
            return catalogue.defaults(component).default_domain;
        case PAPI_DEFGRN:
            return catalogue.defaults(component).default_granularity;
        case PAPI_SHLIBINFO:
            if (value == nullptr) return PAPI_EINVAL;
            value->shlib_info = &shared_library_info();
            return PAPI_OK;
        case PAPI_COMPONENTINFO:
            if (value == nullptr) return PAPI_EINVAL;
            value->cmp_info = &catalogue.info(component);
            return PAPI_OK;
        default:
            return PAPI_EINVAL;
    }
}

}  // namespace

}  // namespace ringside::papi

using namespace ringside::papi;

extern "C" {

int PAPI_set_opt(int option, PAPI_option_t* value) {
    if (option != PAPI_DEBUG && !initialized()) return note(PAPI_ENOINIT);
    if (value == nullptr) return note(PAPI_EINVAL);
    if (const auto handle = handle_in(option, *value)) {
        return with_set(*handle, [&](Set& set) { return set_on(set, option, *value); });
    }
    return guarded([&] { return set_option(option, *value); });
}

int PAPI_get_opt(int option, PAPI_option_t* value) {
    if (option != PAPI_DEBUG && option != PAPI_LIB_VERSION && !initialized()) {
        return note(PAPI_ENOINIT);
    }
    const PAPI_option_t none{};
    if (const auto handle = handle_in(option, value == nullptr ? none : *value)) {
        if (value == nullptr) return note(PAPI_EINVAL);
        return with_set(*handle, [&](Set& set) { return get_from(set, option, *value); });
    }
    return guarded([&] { return get_option(option, value); });
}

int PAPI_get_cmp_opt(int option, PAPI_option_t* value, int component) {
    return guarded([&] {
        return initialized() ? get_component_option(option, value, component) : PAPI_ENOINIT;
    });
}

int PAPI_set_domain(int domain) {
    return PAPI_set_cmp_domain(domain, 0);
}

int PAPI_set_cmp_domain(int domain, int component) {
    PAPI_option_t option{};
    option.defdomain = {component, PAPI_NULL, domain};
    return PAPI_set_opt(PAPI_DEFDOM, &option);
}

int PAPI_set_granularity(int granularity) {
    return PAPI_set_cmp_granularity(granularity, 0);
}

int PAPI_set_cmp_granularity(int granularity, int component) {
    PAPI_option_t option{};
    option.defgranularity = {component, PAPI_NULL, granularity};
    return PAPI_set_opt(PAPI_DEFGRN, &option);
}

// The kernel takes turns by itself; nothing to prepare.
int PAPI_multiplex_init(void) {
    return note(initialized() ? PAPI_OK : PAPI_ENOINIT);
}

int PAPI_get_multiplex(int handle) {
    PAPI_option_t option{};
    option.multiplex.eventset = handle;
    const int result = PAPI_get_opt(PAPI_MULTIPLEX, &option);
    return result < 0 ? 0 : result;
}

int PAPI_set_multiplex(int handle) {
    PAPI_option_t option{};
    option.multiplex = {handle, library().timer.ns, PAPI_MULTIPLEX_DEFAULT};
    return PAPI_set_opt(PAPI_MULTIPLEX, &option);
}

int PAPI_attach(int handle, unsigned long tid) {
    PAPI_option_t option{};
    option.attach = {handle, tid};
    return PAPI_set_opt(PAPI_ATTACH, &option);
}

int PAPI_detach(int handle) {
    PAPI_option_t option{};
    option.attach = {handle, 0};
    return PAPI_set_opt(PAPI_DETACH, &option);
}

}  // extern "C"
