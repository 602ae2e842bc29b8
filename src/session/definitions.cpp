#include "session/definitions.h"

#include <algorithm>
#include <iterator>

#include "platform/core_design.h"

namespace ringside::session {

namespace {

std::vector<std::string> lines_of(const platform::CpuModel& cpu) {
    std::vector<std::string> lines;
    if (cpu.arch == platform::Arch::x86) lines.emplace_back("x86");
    const auto line = platform::event_line(cpu);
    if (!line.empty()) lines.emplace_back(line);
    if (auto core = platform::core_design(cpu); !core.empty()) lines.push_back(std::move(core));
    return lines;
}

}  // namespace

void Definitions::load() const {
    if (loaded_) return;
    loaded_ = true;
    lines_ = lines_of(platform::read_cpu_model(root_));
    all_ = events::metric_definitions(lines_);
    auto presets = events::preset_definitions(lines_);
    std::move(presets.begin(), presets.end(), std::back_inserter(all_));
}

std::vector<events::Definition> Definitions::of(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    load();
    std::vector<events::Definition> found;
    std::copy_if(all_.begin(), all_.end(), std::back_inserter(found),
                 [&](const events::Definition& each) { return each.name == name; });
    return found;
}

std::vector<std::string> Definitions::names() const {
    const std::lock_guard lock(mutex_);
    load();
    std::vector<std::string> names;
    for (const auto& each : all_) {
        if (std::find(names.begin(), names.end(), each.name) == names.end()) {
            names.push_back(each.name);
        }
    }
    return names;
}

Result<void> Definitions::add(std::string_view text) {
    const std::lock_guard lock(mutex_);
    load();
    auto added = events::parse_definitions(text, lines_);
    if (!added) return added.error();
    all_.insert(all_.begin(), std::make_move_iterator(added->begin()),
                std::make_move_iterator(added->end()));
    return {};
}

}  // namespace ringside::session
