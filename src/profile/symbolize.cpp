#include "profile/symbolize.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "perf/zstd_stream.h"
#include "profile/demangle.h"

namespace ringside::profile {

using perf::CpuMode;

class Symbolizer::Work {
  public:
    Work(const Profile& profile, const SymbolSources& sources)
        : profile_(profile),
          sources_(sources),
          own_book_(*profile.world, sources, *profile.kallsyms),
          book_(profile.book ? *profile.book : own_book_) {}

    Naming& update() {
        // The end of the last place's inlined functions is where the next one's begin.
        if (sources_.inlined && naming_.inlined_at.empty()) naming_.inlined_at.push_back(0);
        for (auto id = static_cast<LocationId>(naming_.of_location.size());
             id < profile_.locations.size(); ++id)
            add_location(profile_.locations[id]);
        for (auto& warning : book_.loader().take_warnings())
            naming_.warnings.push_back(std::move(warning));
        return naming_;
    }

  private:
    void add_location(const Location& place) {
        const Place found = find(place);
        naming_.of_location.push_back(found.function);
        if (sources_.lines) naming_.line_of_location.push_back(line(found));
        if (!sources_.inlined) return;
        add_inlined(place, found);
        naming_.inlined_at.push_back(static_cast<std::uint32_t>(naming_.inlined.size()));
    }

    // What is known of a location: the module, the address in it, the symbol there.
    struct Place {
        FunctionId function = 0;
        ModuleSymbols* module = nullptr;
        std::uint64_t address = 0;
        std::uint64_t symbol_start = 0;
    };

    Place find(const Location& place) {
        if (place.unnamed) return {unnamed(place)};
        if (!place.mapping && place.mode == CpuMode::kernel) return find_in_kernel(place);
        if (!place.mapping) return {unresolved(place, place.address, "[unknown]")};
        const Mapping& mapping = profile_.world->mapping(*place.mapping);
        ModuleSymbols& module = book_.of(mapping.module);
        const std::uint64_t address = module.address(place.address, mapping);
        const symbols::Symbol* symbol = module.table().find(address);
        // Processes map a file at different addresses: what has no name is told by its place there.
        const std::uint64_t in_file = place.address - mapping.start + mapping.file_offset;
        if (symbol == nullptr)
            return {unresolved(place, module.by_address ? place.address : in_file, module.name),
                    &module, address};
        return {resolved(mapping.module, module, *symbol, place.mode), &module, address,
                symbol->start};
    }

    // The kernel's code that only runs at boot lies behind what it maps as its text.
    Place find_in_kernel(const Location& place) {
        if (!unmapped_kernel_) {
            unmapped_kernel_.emplace();
            unmapped_kernel_->name = "[kernel.kallsyms]";
            unmapped_kernel_->shared = &book_.loader().kernel();
        }
        const symbols::Symbol* symbol = unmapped_kernel_->table().find(place.address);
        if (symbol == nullptr) return {unresolved(place, place.address, "[unknown]")};
        return {resolved(no_module, *unmapped_kernel_, *symbol, place.mode), nullptr, place.address,
                symbol->start};
    }

    // A symbol is named once for each module, however many places lie in it.
    FunctionId resolved(ModuleId id, const ModuleSymbols& module, const symbols::Symbol& symbol,
                        CpuMode mode) {
        const std::uint64_t key = std::uint64_t{id} << 40 ^ symbol.start ^
                                  std::uint64_t{static_cast<unsigned>(mode)} << 56;
        return index_.find_or_add(
            base::mix_bits(key),
            [&](FunctionId known) {
                const Origin& origin = origins_[known];
                return origin.module == id && origin.start == symbol.start &&
                       naming_.functions[known].mode == mode && naming_.functions[known].resolved;
            },
            [&] {
                return add({readable(module.table().name(symbol)), module.name, mode, true},
                           {id, symbol.start});
            });
    }

    std::string readable(std::string_view raw) const {
        return sources_.demangle ? demangle(raw) : std::string(raw);
    }

    FunctionId unresolved(const Location& place, std::uint64_t address, const std::string& module) {
        return add({fmt::format("0x{:016x}", address), module, place.mode, false}, {});
    }

    FunctionId unnamed(const Location& place) {
        const std::string module =
            place.mapping ? book_.of(profile_.world->mapping(*place.mapping).module).name
                          : "[unknown]";
        return add(
            {module.starts_with('[') ? module : "[" + module + "]", module, place.mode, false}, {});
    }

    struct Origin {
        ModuleId module = no_module;
        std::uint64_t start = 0;
    };
    FunctionId add(Function function, Origin origin) {
        naming_.functions.push_back(std::move(function));
        origins_.push_back(origin);
        return static_cast<FunctionId>(naming_.functions.size() - 1);
    }

    void add_inlined(const Location& place, const Place& found) {
        if (found.module == nullptr || !found.module->debug) return;
        const auto frames = found.module->debug->find(found.address);
        // The last one is the function itself, which the symbol has named.
        for (std::size_t i = frames.size(); i-- > 1;)
            naming_.inlined.push_back(inlined(*found.module, frames[i - 1].function, place.mode));
    }

    FunctionId inlined(const ModuleSymbols& module, std::string_view raw, CpuMode mode) {
        const std::string key = fmt::format("{}\n{}\n{}", module.name, static_cast<int>(mode), raw);
        const auto [known, added] = inlined_.emplace(key, 0);
        if (added)
            known->second =
                add({raw.empty() ? "[inlined]" : readable(raw), module.name, mode, true}, {});
        return known->second;
    }

    LineId line(const Place& found) {
        std::string text;
        if (found.module != nullptr && found.module->debug) {
            const auto frame = found.module->debug->line(found.address);
            if (frame.line != 0)
                text =
                    fmt::format("{}:{}", frame.file.substr(frame.file.rfind('/') + 1), frame.line);
        }
        const Function& function = naming_.functions[found.function];
        if (text.empty())
            text = function.resolved
                       ? fmt::format("{}+0x{:x}", function.name, found.address - found.symbol_start)
                       : function.name;
        const auto [known, added] = lines_.emplace(text, static_cast<LineId>(naming_.lines.size()));
        if (added) naming_.lines.push_back(text);
        return known->second;
    }

    static constexpr ModuleId no_module = ~ModuleId{0};

    const Profile& profile_;
    const SymbolSources& sources_;
    ModuleBook own_book_;
    ModuleBook& book_;
    Naming naming_;
    std::vector<Origin> origins_;
    std::optional<ModuleSymbols> unmapped_kernel_;
    base::IndexTable index_;
    std::unordered_map<std::string, FunctionId> inlined_;
    std::unordered_map<std::string, LineId> lines_;
};

Symbolizer::Symbolizer(const Profile& profile, const SymbolSources& sources)
    : work_(std::make_unique<Work>(profile, sources)) {}
Symbolizer::~Symbolizer() = default;

const Naming& Symbolizer::update() {
    return work_->update();
}

Naming Symbolizer::take() {
    return std::move(work_->update());
}

Naming symbolize(const Profile& profile, const SymbolSources& sources) {
    return Symbolizer(profile, sources).take();
}

}  // namespace ringside::profile
