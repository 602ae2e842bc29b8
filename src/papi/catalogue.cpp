#include "papi/catalogue.h"

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/text.h"
#include "model/event.h"
#include "papi/component_info.h"
#include "papi/errors.h"
#include "papi/perf_names.h"

namespace ringside::papi {

namespace {

constexpr std::string_view prefix_mark = ":::";

const session::Component* find_source(const std::vector<session::ComponentPtr>& sources,
                                      std::string_view name) {
    for (const auto& source : sources) {
        if (source->name() == name) return source.get();
    }
    return nullptr;
}

std::size_t index_of_code(int code) {
    return static_cast<std::size_t>(code & ~PAPI_NATIVE_MASK);
}

// Codes that another attempt might not give again are not remembered.
bool lasting(int code) {
    return code != PAPI_ESYS && code != PAPI_ENOMEM && code != PAPI_ECNFLCT;
}

}  // namespace

Catalogue::Catalogue(std::vector<session::ComponentPtr> sources) : sources_(std::move(sources)) {
    const auto text = base::embedded_file("papi/components.csv");
    RINGSIDE_ASSERT(text.has_value());
    for (const auto& row : base::parse_csv(*text)) {
        if (row.size() != 5) continue;
        const auto* source = find_source(sources_, row[2]);
        if (source == nullptr) continue;  // the heading, or a component this build leaves out
        auto entry = std::make_unique<Entry>();
        entry->name = row[0];
        entry->prefix = row[1];
        entry->source = source;
        entry->most = base::parse_u64(row[3]).value_or(0);
        start_component_info(entry->info, row[0], row[1], row[4], components());
        entries_.push_back(std::move(entry));
    }
}

const session::Component& Catalogue::source(int component) const {
    return *entries_[static_cast<std::size_t>(component)]->source;
}

int Catalogue::index_of(std::string_view name) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i]->name == name) return static_cast<int>(i);
    }
    return PAPI_ENOCMP;
}

int Catalogue::check_locked(Entry& entry) {
    if (!entry.disabled) {
        const auto availability = entry.source->availability();
        entry.disabled = availability.usable ? PAPI_OK : PAPI_ECMP;
        entry.reason = availability.reason;
    }
    return *entry.disabled;
}

int Catalogue::disabled(int component) {
    const std::lock_guard lock(mutex_);
    return check_locked(entry(component));
}

void Catalogue::disable(int component, std::string_view reason) {
    const std::lock_guard lock(mutex_);
    entry(component).disabled = PAPI_ECMP_DISABLED;
    entry(component).reason = reason;
    entry(component).described = false;
}

PAPI_component_info_t& Catalogue::info(int component) {
    const std::lock_guard lock(mutex_);
    auto& wanted = entry(component);
    if (!wanted.described) {
        const int disabled = check_locked(wanted);
        const auto count = disabled == PAPI_OK ? list_locked(wanted).size() : 0;
        complete_component_info(wanted.info, *wanted.source, disabled, wanted.reason, count);
        wanted.described = true;
    }
    return wanted.info;
}

int Catalogue::find(std::string_view name) {
    const std::lock_guard lock(mutex_);
    if (const auto known = codes_.find(name); known != codes_.end()) return known->second;
    const auto mark = name.find(prefix_mark);
    if (mark == std::string_view::npos) return find_anywhere(name);
    const int component = index_of(name.substr(0, mark));
    if (component < 0) return component;
    return find_locked(component, name.substr(mark + prefix_mark.size()));
}

// A name without a component is the CPU's; where the CPU has none such, that of the first that has.
int Catalogue::find_anywhere(std::string_view name) {
    const int on_cpu = valid(0) ? find_locked(0, name) : PAPI_ENOCMP;
    if (on_cpu != PAPI_ENOEVNT || name.find("::") != std::string_view::npos) return on_cpu;
    for (int component = 1; component < components(); ++component) {
        const int code = find_locked(component, name);
        if (code >= 0) return code;
    }
    return on_cpu;
}

int Catalogue::find_locked(int component, std::string_view name) {
    auto& home = entry(component);
    if (check_locked(home) != PAPI_OK) return PAPI_ECMP_DISABLED;
    std::string source_name(name);
    if (component == 0) {
        const auto perf_name = to_perf_name(name);
        if (!perf_name) return PAPI_EATTR;
        source_name = *perf_name;
    }
    auto event = home.source->find(source_name);
    if (!event) return code_of(event.error());
    const std::string full = component == 0
                                 ? std::string(name)
                                 : home.prefix + std::string(prefix_mark) + std::string(name);
    return add_locked(component, full, std::move(*event));
}

int Catalogue::add_locked(int component, std::string name, session::ComponentEvent event) {
    if (const auto known = codes_.find(name); known != codes_.end()) return known->second;
    const int code = static_cast<int>(natives_.size()) | PAPI_NATIVE_MASK;
    codes_.emplace(name, code);
    natives_.push_back(Native{code, component, std::move(name), std::move(event)});
    return code;
}

const Native* Catalogue::native(int code) const {
    if (!IS_NATIVE(code)) return nullptr;
    const auto index = index_of_code(code);
    const std::lock_guard lock(mutex_);
    return index < natives_.size() ? &natives_[index] : nullptr;
}

const std::vector<int>& Catalogue::list_locked(Entry& home) {
    if (home.codes) return *home.codes;
    home.codes.emplace();
    if (check_locked(home) != PAPI_OK) return *home.codes;
    const int component = home.info.CmpIdx;
    for (const auto& listed : home.source->events()) {
        // They can be named; but there are thousands, and opening one takes the kernel long.
        if (listed.description == to_string(model::EventKind::tracepoint)) continue;
        auto event = home.source->find(listed.name);  // which may differ in what it knows by itself
        if (!event) continue;
        event->description = listed.description;
        const std::string name = component == 0
                                     ? to_papi_name(listed.name)
                                     : home.prefix + std::string(prefix_mark) + listed.name;
        const int code = add_locked(component, name, std::move(*event));
        if (verdict_locked(natives_[index_of_code(code)]) == PAPI_OK) home.codes->push_back(code);
        if (home.codes->size() == home.most) break;
    }
    return *home.codes;
}

const std::vector<int>& Catalogue::listed(int component) {
    const std::lock_guard lock(mutex_);
    return list_locked(entry(component));
}

int Catalogue::verdict(int code) {
    const Native* wanted = native(code);
    if (wanted == nullptr) return PAPI_ENOEVNT;
    const std::lock_guard lock(mutex_);
    return verdict_locked(*wanted);
}

int Catalogue::verdict_locked(const Native& native) {
    auto& home = entry(native.component);
    if (check_locked(home) != PAPI_OK) return PAPI_ECMP_DISABLED;
    if (const auto known = verdicts_.find(native.code); known != verdicts_.end()) {
        return known->second;
    }
    SetOptions options;  // as a new set has them
    options.domains = {true, false, false};
    const auto opened = home.source->open({&native.event, 1}, options);
    const int verdict = opened ? PAPI_OK : code_of(opened.error());
    if (lasting(verdict)) verdicts_[native.code] = verdict;
    return verdict;
}

}  // namespace ringside::papi
