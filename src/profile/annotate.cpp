#include "profile/annotate.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/process.h"
#include "base/text.h"
#include "symbols/debug_info.h"

namespace ringside::profile {

namespace {

// The samples of one function in one module.
struct Hits {
    ModuleId module = 0;
    std::uint64_t samples = 0;
    std::uint64_t period = 0;
    std::map<LocationId, Group> by_location;
};

Result<Hits> hottest(const Profile& profile, const Naming& naming,
                     const AnnotationRequest& request) {
    std::map<ModuleId, Hits> all;
    bool in_kernel = false;
    for (const auto& group : profile.groups) {
        const Function& function = naming.functions[naming.of_location[group.location]];
        if (group.event != request.event || function.name != request.symbol) continue;
        if (!request.module.empty() && function.module != request.module) continue;
        const auto& mapping = profile.locations[group.location].mapping;
        const bool file =
            mapping && profile.world->module(profile.world->mapping(*mapping).module).kind ==
                           Module::Kind::file;
        in_kernel = in_kernel || !file;
        if (!file) continue;
        const ModuleId id = profile.world->mapping(*mapping).module;
        Hits& hits = all[id];
        hits.module = id;
        hits.samples += group.samples;
        hits.period += group.period;
        Group& place = hits.by_location[group.location];
        place.samples += group.samples;
        place.period += group.period;
    }
    const auto most = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return a.second.period < b.second.period;
    });
    if (most != all.end()) return std::move(most->second);
    if (in_kernel)
        return base::fail(ErrorCode::unsupported,
                          request.symbol + " is no code of a file, so it cannot be disassembled");
    return base::fail(ErrorCode::not_found, "no sample is in " + request.symbol,
                      "`ringside report --sort symbol` lists the symbols that have any");
}

// This machine's objdump may not know the program's architecture; that of a cross compiler does.
Result<std::string> disassemble(const std::string& file, const symbols::Symbol& symbol) {
    std::optional<std::string> refused;
    for (const auto* tool : {"objdump", "aarch64-linux-gnu-objdump", "x86_64-linux-gnu-objdump"}) {
        auto done = base::run({tool, "--disassemble", "--demangle", "--no-show-raw-insn",
                               fmt::format("--start-address=0x{:x}", symbol.start),
                               fmt::format("--stop-address=0x{:x}", symbol.end), "--", file});
        if (done && done->status.shell_code() == 0) return std::move(done->stdout_text);
        if (done && !refused) refused = std::string(base::trim(done->stderr_text));
    }
    return base::fail(
        refused ? ErrorCode::io : ErrorCode::not_found,
        fmt::format("cannot disassemble {}: {}", file, refused.value_or("there is no objdump")),
        "install binutils, or for another architecture's programs its own, such as "
        "binutils-aarch64-linux-gnu");
}

}  // namespace

// "  401136:\tmov    %rsp,%rbp"
std::vector<Annotation::Line> parse_disassembly(std::string_view text) {
    std::vector<Annotation::Line> lines;
    for (const auto line : base::split_lines(text)) {
        const auto colon = line.find(":\t");
        if (colon == std::string_view::npos) continue;
        const auto address = base::parse_u64(base::trim(line.substr(0, colon)), 16);
        if (!address) continue;
        Annotation::Line parsed;
        parsed.address = *address;
        parsed.instruction = base::trim(line.substr(colon + 2));
        lines.push_back(std::move(parsed));
    }
    return lines;
}

Result<Annotation> annotate(const Profile& profile, const Naming& naming,
                            const symbols::Finder& finder, const AnnotationRequest& request) {
    const auto hits = hottest(profile, naming, request);
    if (!hits) return hits.error();
    const Module& module = profile.world->module(hits->module);
    const symbols::Wanted wanted{module.path, module.build_id, module.pid};
    const auto found = finder.find(wanted);
    const std::string binary = finder.locate(wanted);
    const auto address_of = [&](LocationId id) {
        const Mapping& mapping = profile.world->mapping(*profile.locations[id].mapping);
        return symbols::address_of_offset(
            found.elf.segments,
            profile.locations[id].address - mapping.start + mapping.file_offset);
    };
    const auto* symbol = found.elf.functions.find(address_of(hits->by_location.begin()->first));
    if (symbol == nullptr || binary.empty())
        return base::fail(ErrorCode::not_found, module.path + " is gone or was replaced");
    auto text = disassemble(binary, *symbol);
    if (!text) return text.error();
    Annotation result{request.symbol, module.path,  binary,
                      hits->samples,  hits->period, parse_disassembly(*text)};
    for (const auto& [location, count] : hits->by_location) {
        // A caller's address may lie inside of an instruction: the one that begins before it.
        auto after = std::upper_bound(
            result.lines.begin(), result.lines.end(), address_of(location),
            [](std::uint64_t value, const Annotation::Line& line) { return value < line.address; });
        if (after == result.lines.begin()) continue;
        std::prev(after)->samples += count.samples;
        std::prev(after)->period += count.period;
    }
    const auto debug_file = symbols::MappedFile::open(found.debug_file);
    if (!debug_file) return result;
    symbols::DebugInfo debug(debug_file->bytes());
    for (auto& line : result.lines) {
        auto source = debug.line(line.address);
        line.file = std::move(source.file);
        line.source_line = source.line;
    }
    return result;
}

}  // namespace ringside::profile
