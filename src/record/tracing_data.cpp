#include "record/tracing_data.h"

#include <map>
#include <set>
#include <string>

#include <unistd.h>

#include "base/byte_writer.h"
#include "proc/mounts.h"

namespace ringside::record {

namespace {

using base::ByteWriter;

std::string tracefs_file(const base::SysRoot& root, const std::string& path) {
    return root.read(proc::tracefs_folder(root) + "/" + path).value_or("");
}

void add_sized(ByteWriter& out, const std::string& text) {
    out.u64(text.size()).raw(text);
}

// By system: "sched" with "sched_switch", modifiers left out.
std::map<std::string, std::set<std::string>> tracepoints_of(
    const std::vector<SampledEvent>& events) {
    std::map<std::string, std::set<std::string>> systems;
    for (const auto& sampled : events) {
        const model::Event& event = sampled.event;
        if (event.kind != model::EventKind::tracepoint) continue;
        const auto colon = event.name.find(':');
        const std::string rest = event.name.substr(colon + 1);
        systems[event.name.substr(0, colon)].insert(rest.substr(0, rest.find(':')));
    }
    return systems;
}

std::string format_of(const base::SysRoot& root, const std::string& system,
                      const std::string& name) {
    return tracefs_file(root, "events/" + system + "/" + name + "/format");
}

}  // namespace

std::vector<std::string> tracepoint_formats(const base::SysRoot& root,
                                            const std::vector<SampledEvent>& events) {
    std::vector<std::string> formats;
    for (const auto& [system, names] : tracepoints_of(events))
        for (const auto& name : names) formats.push_back(format_of(root, system, name));
    return formats;
}

// Version 0.6 of the format: header page and header event, formats of ftrace's own events (none of
// ours), formats by system, kernel symbols, formats of trace_printk(), and command names; the last
// three are left empty.
std::vector<std::byte> tracing_data(const base::SysRoot& root,
                                    const std::vector<SampledEvent>& events) {
    const auto systems = tracepoints_of(events);
    if (systems.empty()) return {};
    ByteWriter out;
    out.raw(std::string_view("\x17\x08\x44tracing")).raw(std::string_view("0.6\0", 4));
    out.add(std::uint8_t{0}).add(static_cast<std::uint8_t>(sizeof(long)));
    out.u32(static_cast<std::uint32_t>(::sysconf(_SC_PAGESIZE)));
    out.raw(std::string_view("header_page\0", 12));
    add_sized(out, tracefs_file(root, "events/header_page"));
    out.raw(std::string_view("header_event\0", 13));
    add_sized(out, tracefs_file(root, "events/header_event"));
    out.u32(0);
    out.u32(static_cast<std::uint32_t>(systems.size()));
    for (const auto& [system, names] : systems) {
        out.raw(system).zeros(1).u32(static_cast<std::uint32_t>(names.size()));
        for (const auto& name : names) add_sized(out, format_of(root, system, name));
    }
    out.u32(0).u32(0).u64(0);
    return std::move(out).take();
}

}  // namespace ringside::record
