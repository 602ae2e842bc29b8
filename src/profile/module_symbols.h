// Where the names of a module come from: its file, the kernel's list, a JIT's map, a guest's files.
// Read once for each module, and only for those that samples point to.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profile/world.h"
#include "symbols/debug_info.h"
#include "symbols/finder.h"
#include "symbols/mapped_file.h"

namespace ringside::profile {

// A guest is known by the pid of its VMM; this stands for all that are not named.
constexpr std::uint32_t every_machine = ~std::uint32_t{0};

struct GuestFiles {
    std::string root;  // its binaries lie below; empty: nowhere
    std::string kallsyms;
};

struct SymbolSources {
    symbols::Finder host{};
    std::string kallsyms = "/proc/kallsyms";
    std::map<std::uint32_t, GuestFiles> guests{};
    bool demangle = true;
    bool inlined = false;  // functions inlined at each place
    bool lines = false;    // the source line of each place

    const GuestFiles* guest(std::uint32_t machine) const;
};

// The symbols behind one module, in the module's own addresses.
struct ModuleSymbols {
    symbols::SymbolTable own;
    const symbols::SymbolTable* shared = nullptr;  // the kernel's list serves all its modules
    std::vector<symbols::ElfSegment> segments;
    bool by_address = false;  // symbols count as the process does (kernel, generated code)
    std::string name;
    std::optional<symbols::MappedFile> debug_file;
    std::optional<symbols::DebugInfo> debug;

    const symbols::SymbolTable& table() const { return shared != nullptr ? *shared : own; }
    // An address as the symbols count.
    std::uint64_t address(std::uint64_t address, const Mapping& mapping) const;
};

// What a recording brought along (zstd).
struct RecordedKallsyms {
    std::string kernel;                           // of the recorded kernel; empty: none
    std::map<std::uint32_t, std::string> guests;  // of merged guests, by the VMM's pid
};

class ModuleLoader {
  public:
    // Both must outlive this.
    ModuleLoader(const SymbolSources& sources, const RecordedKallsyms& recorded)
        : sources_(sources), recorded_(recorded) {}

    ModuleSymbols load(const Module& module);
    // Of the host, with all its modules. `build_id` is the recorded one's, or empty.
    const symbols::SymbolTable& kernel(const std::string& build_id = {});
    // Whose symbols are missing, and why; what was not taken yet.
    std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }

  private:
    void load_file(const Module& module, ModuleSymbols& result);
    void load_generated(const Module& module, ModuleSymbols& result);
    void load_guest_kernel(const Module& module, ModuleSymbols& result);
    std::optional<symbols::KernelSymbols> recorded_kernel() const;
    std::optional<symbols::KernelSymbols> recorded_guest(std::uint32_t machine) const;
    void explain_kernel(const std::string& build_id);

    const SymbolSources& sources_;
    const RecordedKallsyms& recorded_;
    std::optional<symbols::KernelSymbols> kernel_;
    std::vector<std::string> warnings_;
};

// The symbols of all modules of a world.
class ModuleBook {
  public:
    // World and lists must outlive this.
    ModuleBook(const World& world, SymbolSources sources, const RecordedKallsyms& recorded)
        : world_(world), sources_(std::move(sources)), loader_(sources_, recorded) {}
    ModuleBook(const ModuleBook&) = delete;
    ModuleBook& operator=(const ModuleBook&) = delete;

    ModuleSymbols& of(ModuleId id) {
        if (id >= modules_.size()) modules_.resize(world_.modules().size());
        auto& slot = modules_[id];
        if (!slot) slot = std::make_unique<ModuleSymbols>(loader_.load(world_.module(id)));
        return *slot;
    }
    ModuleLoader& loader() { return loader_; }

  private:
    const World& world_;
    SymbolSources sources_;
    ModuleLoader loader_;
    std::vector<std::unique_ptr<ModuleSymbols>> modules_;
};

}  // namespace ringside::profile
