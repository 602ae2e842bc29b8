#include "profile/symbolize.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "perf/zstd_stream.h"
#include "symbols/demangle.h"

namespace ringside::profile {

namespace {

using perf::CpuMode;

// The symbols behind one module, in the module's own addresses.
struct ModuleSymbols {
    symbols::SymbolTable own;
    const symbols::SymbolTable* shared = nullptr;  // the kernel's list serves all its modules
    std::vector<symbols::ElfSegment> segments;
    bool by_address = false;  // symbols count as the process does (kernel, generated code)
    std::string name;

    const symbols::SymbolTable& table() const { return shared != nullptr ? *shared : own; }
};

class Symbolizer {
  public:
    Symbolizer(const Profile& profile, const SymbolSources& sources)
        : profile_(profile), sources_(sources) {}

    Naming run() {
        naming_.of_location.resize(profile_.locations.size());
        modules_.resize(profile_.world->modules().size());
        for (LocationId id = 0; id < profile_.locations.size(); ++id)
            naming_.of_location[id] = name(profile_.locations[id]);
        return std::move(naming_);
    }

  private:
    FunctionId name(const Location& place) {
        if (!place.mapping && place.mode == CpuMode::kernel) return name_in_kernel(place);
        if (!place.mapping) return unresolved(place, "[unknown]");
        const Mapping& mapping = profile_.world->mapping(*place.mapping);
        const ModuleSymbols& module = symbols_of(mapping.module);
        std::uint64_t address = place.address;
        if (!module.by_address) {
            const std::uint64_t offset = place.address - mapping.start + mapping.file_offset;
            address = address_of(module.segments, offset);
        }
        const symbols::Symbol* symbol = module.table().find(address);
        if (symbol == nullptr) return unresolved(place, module.name);
        return resolved(mapping.module, module, *symbol, place.mode);
    }

    // The kernel's code that only runs at boot lies behind what it maps as its text.
    FunctionId name_in_kernel(const Location& place) {
        if (!unmapped_kernel_) {
            unmapped_kernel_.emplace();
            unmapped_kernel_->name = "[kernel.kallsyms]";
            unmapped_kernel_->shared = &kernel();
        }
        const symbols::Symbol* symbol = unmapped_kernel_->table().find(place.address);
        if (symbol == nullptr) return unresolved(place, "[unknown]");
        return resolved(no_module, *unmapped_kernel_, *symbol, place.mode);
    }

    static std::uint64_t address_of(const std::vector<symbols::ElfSegment>& segments,
                                    std::uint64_t offset) {
        for (const auto& segment : segments)
            if (offset >= segment.file_offset && offset - segment.file_offset < segment.file_size)
                return offset - segment.file_offset + segment.address;
        return offset;
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
                const std::string_view raw = module.table().name(symbol);
                std::string text = sources_.demangle ? symbols::demangle(raw) : std::string(raw);
                return add({std::move(text), module.name, mode, true}, {id, symbol.start});
            });
    }

    FunctionId unresolved(const Location& place, const std::string& module) {
        return add({fmt::format("0x{:016x}", place.address), module, place.mode, false}, {});
    }

    struct Origin {
        ModuleId module = 0;
        std::uint64_t start = 0;
    };
    FunctionId add(Function function, Origin origin) {
        naming_.functions.push_back(std::move(function));
        origins_.push_back(origin);
        return static_cast<FunctionId>(naming_.functions.size() - 1);
    }

    const ModuleSymbols& symbols_of(ModuleId id) {
        auto& slot = modules_[id];
        if (!slot) slot = load(profile_.world->module(id));
        return *slot;
    }

    ModuleSymbols load(const Module& module) {
        ModuleSymbols result;
        result.name = module.short_name();
        switch (module.kind) {
            case Module::Kind::kernel:
            case Module::Kind::kernel_module:
                result.by_address = true;
                result.shared = &kernel();
                break;
            case Module::Kind::generated:
                load_generated(module, result);
                break;
            case Module::Kind::guest_kernel:
                load_guest(result);
                break;
            case Module::Kind::file:
                load_file(module, result);
                break;
        }
        return result;
    }

    void load_file(const Module& module, ModuleSymbols& result) {
        auto found = sources_.host.find({module.path, module.build_id});
        if (!found.reason.empty() && !module.path.starts_with('['))
            naming_.warnings.push_back("no symbols of " + module.path + ": " + found.reason);
        result.own = std::move(found.elf.functions);
        result.segments = std::move(found.elf.segments);
    }

    // A BPF program is one symbol with the module's name; other code is in the JIT's own map.
    void load_generated(const Module& module, ModuleSymbols& result) {
        result.by_address = true;
        base::SysRoot root;
        if (const auto text = root.read(module.path)) result.own = symbols::parse_perf_map(*text);
        if (module.path.starts_with("bpf_")) {
            result.own.add(0, ~std::uint64_t{0}, module.path);
            result.own.finish();
        }
    }

    void load_guest(ModuleSymbols& result) {
        result.by_address = true;
        if (!sources_.guest_kallsyms) {
            naming_.warnings.push_back(
                "no symbols of the guest's kernel: give its /proc/kallsyms with --guest-kallsyms");
            return;
        }
        result.own = sources_.host.kernel(*sources_.guest_kallsyms).functions;
    }

    // What the file brought along is right on every machine; a list that was asked for wins.
    std::optional<symbols::KernelSymbols> recorded_kernel() const {
        constexpr std::size_t limit_bytes = std::size_t{256} << 20;
        if (profile_.packed_kallsyms.empty() || sources_.kallsyms != SymbolSources{}.kallsyms)
            return std::nullopt;
        perf::ZstdStream stream;
        std::vector<std::byte> text;
        if (!stream.append(std::as_bytes(std::span(profile_.packed_kallsyms)), text, limit_bytes))
            return std::nullopt;
        return symbols::parse_kallsyms({reinterpret_cast<const char*>(text.data()), text.size()});
    }

    const symbols::SymbolTable& kernel() {
        if (!kernel_) {
            kernel_ = recorded_kernel();
            if (!kernel_) kernel_ = sources_.host.kernel(sources_.kallsyms);
            if (kernel_->hidden || kernel_->functions.empty())
                naming_.warnings.push_back(
                    "no symbols of the kernel: " + sources_.kallsyms +
                    (kernel_->hidden ? " hides its addresses (sysctl kernel.kptr_restrict=0)"
                                     : " cannot be read"));
        }
        return kernel_->functions;
    }

    static constexpr ModuleId no_module = ~ModuleId{0};

    const Profile& profile_;
    const SymbolSources& sources_;
    Naming naming_;
    std::vector<Origin> origins_;
    std::vector<std::optional<ModuleSymbols>> modules_;
    std::optional<symbols::KernelSymbols> kernel_;
    std::optional<ModuleSymbols> unmapped_kernel_;
    base::IndexTable index_;
};

}  // namespace

Naming symbolize(const Profile& profile, const SymbolSources& sources) {
    return Symbolizer(profile, sources).run();
}

}  // namespace ringside::profile
