#include "profile/module_symbols.h"

#include <algorithm>
#include <span>

#include "perf/zstd_stream.h"
#include "symbols/kallsyms.h"

namespace ringside::profile {

namespace {

std::optional<symbols::KernelSymbols> unpack(std::string_view packed) {
    constexpr std::size_t limit_bytes = std::size_t{256} << 20;
    perf::ZstdStream stream;
    std::vector<std::byte> text;
    if (!stream.append(std::as_bytes(std::span(packed)), text, limit_bytes)) return std::nullopt;
    return symbols::parse_kallsyms({reinterpret_cast<const char*>(text.data()), text.size()});
}

}  // namespace

const GuestFiles* SymbolSources::guest(std::uint32_t machine) const {
    auto found = guests.find(machine);
    if (found == guests.end()) found = guests.find(every_machine);
    return found == guests.end() ? nullptr : &found->second;
}

std::uint64_t ModuleSymbols::address(std::uint64_t address, const Mapping& mapping) const {
    if (by_address) return address;
    return symbols::address_of_offset(segments, address - mapping.start + mapping.file_offset);
}

ModuleSymbols ModuleLoader::load(const Module& module) {
    ModuleSymbols result;
    result.name = module.short_name();
    switch (module.kind) {
        case Module::Kind::kernel:
            result.by_address = true;
            result.shared = &kernel(module.build_id);
            break;
        case Module::Kind::kernel_module:
            result.by_address = true;
            result.shared = &kernel();
            break;
        case Module::Kind::generated:
            load_generated(module, result);
            break;
        case Module::Kind::guest_kernel:
            load_guest_kernel(module, result);
            break;
        case Module::Kind::file:
            load_file(module, result);
            break;
    }
    return result;
}

void ModuleLoader::load_file(const Module& module, ModuleSymbols& result) {
    const GuestFiles* guest = module.machine != 0 ? sources_.guest(module.machine) : nullptr;
    const symbols::Finder guest_finder(base::SysRoot(guest != nullptr ? guest->root : "/nowhere"));
    const auto& finder = module.machine != 0 ? guest_finder : sources_.host;
    auto found = finder.find({module.path, module.build_id, module.machine != 0 ? 0 : module.pid});
    if (!found.reason.empty() && !module.path.starts_with('['))
        warnings_.push_back("no symbols of " + module.path + ": " + found.reason);
    result.own = std::move(found.elf.functions);
    result.segments = std::move(found.elf.segments);
    if (!sources_.inlined && !sources_.lines) return;
    if (!found.debug_file.empty()) result.debug_file = symbols::MappedFile::open(found.debug_file);
    if (result.debug_file) result.debug.emplace(result.debug_file->bytes());
}

// A BPF program is one symbol with the module's name; other code is in the JIT's own map.
void ModuleLoader::load_generated(const Module& module, ModuleSymbols& result) {
    result.by_address = true;
    if (module.path.starts_with("bpf_")) {
        result.own.add(0, ~std::uint64_t{0}, module.path);
        result.own.finish();
        return;
    }
    if (!module.path.starts_with(jit_map_prefix)) return;
    if (auto table = sources_.host.generated(module.pid))
        result.own = std::move(*table);
    else
        warnings_.push_back("no names for code that process " + std::to_string(module.pid) +
                            " generated: " + table.error().what);
}

void ModuleLoader::load_guest_kernel(const Module& module, ModuleSymbols& result) {
    result.by_address = true;
    const GuestFiles* guest = sources_.guest(module.machine);
    if (guest == nullptr || guest->kallsyms.empty()) {
        if (auto recorded = recorded_guest(module.machine)) {
            result.own = std::move(recorded->functions);
            return;
        }
        warnings_.emplace_back(
            "no symbols of the guest's kernel: give its /proc/kallsyms with --guest-kallsyms");
        return;
    }
    result.own = symbols::Finder().kernel(guest->kallsyms).functions;
    if (result.own.empty())
        warnings_.push_back("no symbols of the guest's kernel: " + guest->kallsyms +
                            " cannot be read or hides its addresses");
}

const symbols::SymbolTable& ModuleLoader::kernel(const std::string& build_id) {
    if (!kernel_) kernel_ = recorded_kernel();
    if (!kernel_) {
        kernel_ = sources_.host.kernel(sources_.kallsyms);
        explain_kernel(build_id);
    }
    return kernel_->functions;
}

// What the file brought along is right on every machine; a list that was asked for wins.
std::optional<symbols::KernelSymbols> ModuleLoader::recorded_kernel() const {
    if (recorded_.kernel.empty() || sources_.kallsyms != SymbolSources{}.kallsyms)
        return std::nullopt;
    return unpack(recorded_.kernel);
}

std::optional<symbols::KernelSymbols> ModuleLoader::recorded_guest(std::uint32_t machine) const {
    const auto found = recorded_.guests.find(machine);
    return found == recorded_.guests.end() ? std::nullopt : unpack(found->second);
}

void ModuleLoader::explain_kernel(const std::string& build_id) {
    const std::string running = sources_.host.kernel_build_id();
    const bool live = sources_.kallsyms == "/proc/kallsyms";
    std::string reason;
    if (kernel_->hidden)
        reason = " hides its addresses (sysctl kernel.kptr_restrict=0)";
    else if (kernel_->functions.empty())
        reason = " cannot be read";
    else if (live && !build_id.empty() && !running.empty() && build_id != running)
        reason = " is of another kernel than the recorded one: give its copy with --kallsyms";
    if (reason.empty()) return;
    warnings_.push_back("no symbols of the kernel: " + sources_.kallsyms + reason);
    kernel_->functions = {};
}

}  // namespace ringside::profile
