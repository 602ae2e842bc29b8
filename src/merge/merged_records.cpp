#include "merge/merged_records.h"

#include <algorithm>
#include <tuple>

#include "merge/stamp.h"

namespace ringside::merge {

namespace {

using perf::DataRecord;
using perf::WrittenEvent;

constexpr std::size_t longest_record = UINT16_MAX;

perf_event_attr with_identifier(perf_event_attr attributes) {
    attributes.size = sizeof attributes;
    attributes.sample_type |= PERF_SAMPLE_IDENTIFIER;
    return attributes;
}

// Records of both can stand under one description.
bool alike(const WrittenEvent& a, const WrittenEvent& b) {
    const auto key = [](const perf_event_attr& attr) {
        return std::tuple(attr.type, attr.config, attr.sample_type, attr.read_format,
                          attr.branch_sample_type, attr.sample_regs_user, attr.sample_regs_intr,
                          attr.sample_stack_user);
    };
    return a.name == b.name && key(a.attributes) == key(b.attributes);
}

// Formats of tracepoints are the kernel's that recorded them, and a file has room for one kernel's:
// a guest's are kept as events with a name alone.
void forget_format(perf_event_attr& attributes) {
    if (attributes.type != PERF_TYPE_TRACEPOINT) return;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_DUMMY;
}

std::uint16_t as_guest(std::uint16_t misc) {
    const auto mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
    const bool kernel = mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL;
    const auto rest = misc & ~PERF_RECORD_MISC_CPUMODE_MASK;
    return static_cast<std::uint16_t>(
        rest | (kernel ? PERF_RECORD_MISC_GUEST_KERNEL : PERF_RECORD_MISC_GUEST_USER));
}

bool in_guest(std::uint16_t misc) {
    const auto mode = perf::cpu_mode(misc);
    return mode == perf::CpuMode::guest_kernel || mode == perf::CpuMode::guest_user;
}

// What of a guest has a meaning on the host. Readings of steal are in the report; control groups
// and the like have numbers that collide with the host's.
bool is_kept(std::uint32_t type) {
    switch (type) {
        case PERF_RECORD_SAMPLE:
        case PERF_RECORD_MMAP:
        case PERF_RECORD_MMAP2:
        case PERF_RECORD_COMM:
        case PERF_RECORD_FORK:
        case PERF_RECORD_EXIT:
        case PERF_RECORD_LOST:
        case PERF_RECORD_LOST_SAMPLES:
        case PERF_RECORD_KSYMBOL:
            return true;
        default:
            return false;
    }
}

std::uint64_t guest_mark(std::uint64_t mark) {
    if (mark == static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL))
        return static_cast<std::uint64_t>(PERF_CONTEXT_GUEST_KERNEL);
    if (mark == static_cast<std::uint64_t>(PERF_CONTEXT_USER))
        return static_cast<std::uint64_t>(PERF_CONTEXT_GUEST_USER);
    return mark;
}

void mark_chain(const DataRecord& record, const perf::SampleLayout& layout, Stamped& stamped) {
    const auto sample =
        perf::decode_full_sample(record.body, record.misc, layout, perf::ByteOrder::same);
    if (!sample || sample->chain.empty()) return;
    const auto begin = static_cast<std::size_t>(sample->chain.bytes().data() - record.body.data());
    for (std::size_t i = 0; i < sample->chain.size(); ++i) {
        const std::uint64_t word = sample->chain[i];
        if (perf::is_chain_mark(word)) stamped.put_word(begin + i * sizeof word, guest_mark(word));
    }
}

// A map of the guest's kernel: of the machine, under the name by which perf knows its kernel.
void rename_kernel(std::uint32_t machine_pid, std::size_t name_at, std::vector<std::byte>& body) {
    const std::string_view host_name = "[kernel.kallsyms]";
    std::memcpy(body.data(), &machine_pid, sizeof machine_pid);
    const char* text = reinterpret_cast<const char*>(body.data()) + name_at;
    const std::string_view name(text, ::strnlen(text, body.size() - name_at));
    if (!name.starts_with(host_name)) return;
    const std::string suffix(name.substr(host_name.size()));
    const std::size_t old_bytes = (name.size() + 8) / 8 * 8;
    if (name_at + old_bytes > body.size()) return;
    base::ByteWriter out;
    const std::span<const std::byte> old(body);
    out.raw(old.first(name_at));
    out.text("[guest.kernel.kallsyms." + std::to_string(machine_pid) + "]" + suffix);
    out.raw(old.subspan(name_at + old_bytes));
    body = std::move(out).take();
}

// Where the name of a map of the kernel begins; nothing for other records.
std::optional<std::size_t> kernel_name_at(const DataRecord& record) {
    if (perf::cpu_mode(record.misc) != perf::CpuMode::kernel) return std::nullopt;
    if (record.type != PERF_RECORD_MMAP && record.type != PERF_RECORD_MMAP2) return std::nullopt;
    const std::size_t at = record.type == PERF_RECORD_MMAP ? 32 : 64;
    return record.body.size() > at ? std::optional(at) : std::nullopt;
}

// Times and ids that stand in the record itself as well.
void translate_body(const DataRecord& record, const ClockMap& clock, std::uint64_t id,
                    Stamped& stamped) {
    constexpr std::size_t task_time_at = 16;
    const bool task = record.type == PERF_RECORD_FORK || record.type == PERF_RECORD_EXIT;
    if (task && record.body.size() > task_time_at + sizeof id && stamped.word(task_time_at) != 0)
        stamped.put_word(task_time_at, clock.to_host(stamped.word(task_time_at)));
    if (record.type == PERF_RECORD_LOST) stamped.put_word(0, id);
}

}  // namespace

void MergedRecords::note_time(std::uint64_t time_ns) {
    first_sample_ns_ = std::min(first_sample_ns_, time_ns);
    last_sample_ns_ = std::max(last_sample_ns_, time_ns);
}

void MergedRecords::keep(const DataRecord& record, std::vector<std::byte> body, std::uint16_t misc,
                         std::uint64_t time_ns) {
    constexpr std::size_t header_bytes = 8;
    const std::size_t size = body.size() + header_bytes;
    if (size > longest_record) return;
    entries_.push_back({time_ns, bytes_.size(), static_cast<std::uint32_t>(size)});
    bytes_.u32(record.type).u16(misc).u16(static_cast<std::uint16_t>(size)).raw(body);
}

// Events keep their ids; those that have none get one.
void MergedRecords::number_host(const perf::DataFile& file) {
    for (const auto& event : file.events()) {
        events_.push_back({with_identifier(event.attributes), event.name, event.ids});
        for (const auto id : event.ids) next_id_ = std::max(next_id_, id + 1);
    }
    for (auto& event : events_)
        if (event.ids.empty()) event.ids.push_back(next_id_++);
}

Result<void> MergedRecords::add_host(const perf::DataFile& file,
                                     std::span<const PlacedGuest> guests) {
    number_host(file);
    const auto replaced = [&](const DataRecord& record, const Stamped& stamped) {
        if (record.type != PERF_RECORD_SAMPLE || !in_guest(record.misc)) return false;
        return std::any_of(guests.begin(), guests.end(), [&](const PlacedGuest& guest) {
            return guest.machine_pid == stamped.pid() &&
                   stamped.time_ns() >= guest.host_time.from_ns &&
                   stamped.time_ns() <= guest.host_time.to_ns;
        });
    };
    const auto each = [&](const DataRecord& record) {
        if (record.type >= perf::record_header_attr) return;
        const std::size_t event = file.event_of(record);
        const auto& layout = file.events()[event].layout;
        Stamped stamped(record, layout);
        if (!stamped.ok()) return;
        if (replaced(record, stamped)) {
            ++replaced_samples_;
            return;
        }
        stamped.set_id(stamped.id() != 0 ? stamped.id() : events_[event].ids.front());
        if (record.type == PERF_RECORD_SAMPLE) {
            ++host_samples_;
            note_time(stamped.time_ns());
        }
        const std::uint64_t time_ns = stamped.time_ns();
        keep(record, std::move(stamped).take(), record.misc, time_ns);
    };
    std::vector<std::byte> buffer;
    for (const auto& piece : file.pieces())
        if (auto done = file.read(piece, buffer, each); !done) return done.error();
    return {};
}

// For each of the guest's events, its place among those of the merged file.
std::vector<std::size_t> MergedRecords::add_guest_events(const PlacedGuest& guest) {
    std::vector<std::size_t> places;
    for (const auto& event : guest.file->events()) {
        WrittenEvent own{with_identifier(event.attributes), event.name, {}};
        const bool tracepoint = own.attributes.type == PERF_TYPE_TRACEPOINT;
        forget_format(own.attributes);
        const auto shared = std::find_if(events_.begin(), events_.end(), [&](const auto& known) {
            return !tracepoint && alike(known, own);
        });
        places.push_back(static_cast<std::size_t>(shared - events_.begin()));
        if (shared != events_.end()) continue;
        const bool taken = std::any_of(events_.begin(), events_.end(),
                                       [&](const auto& known) { return known.name == own.name; });
        if (taken) own.name += "@" + guest.name;
        events_.push_back(std::move(own));
    }
    return places;
}

// One id for each event on each of the guest's CPUs: it tells machine and vCPU.
std::uint64_t MergedRecords::guest_id(const PlacedGuest& guest, std::size_t event,
                                      std::uint32_t cpu) {
    const auto [known, added] =
        id_by_place_.emplace(std::tuple(guest.machine_pid, event, cpu), next_id_);
    if (!added) return known->second;
    const auto vcpu = guest.vcpus.find(cpu);
    const std::uint32_t number = vcpu != guest.vcpus.end() ? vcpu->second->vcpu.value_or(cpu) : cpu;
    events_[event].ids.push_back(next_id_);
    guest_ids_.push_back({next_id_, static_cast<std::uint32_t>(event), guest.machine_pid, number});
    return next_id_++;
}

Result<void> MergedRecords::add_guest(const PlacedGuest& guest) {
    const auto places = add_guest_events(guest);
    const auto each = [&](const DataRecord& record) {
        if (!is_kept(record.type)) return;
        const std::size_t event = guest.file->event_of(record);
        const auto& layout = guest.file->events()[event].layout;
        Stamped stamped(record, layout);
        if (!stamped.ok()) return;
        const std::uint64_t id = guest_id(guest, places[event], stamped.cpu());
        stamped.set_id(id);
        translate_body(record, guest.clock, id, stamped);
        // What was there before the recording has no time, and stays before everything else.
        const std::uint64_t time_ns =
            stamped.time_ns() == 0 ? 0 : guest.clock.to_host(stamped.time_ns());
        stamped.set_time(time_ns);
        if (const auto vcpu = guest.vcpus.find(stamped.cpu()); vcpu != guest.vcpus.end())
            stamped.set_cpu(vcpu->second->cpu_at(time_ns));
        if (record.type == PERF_RECORD_SAMPLE) {
            mark_chain(record, layout, stamped);
            ++guest_samples_;
            note_time(time_ns);
        }
        auto body = std::move(stamped).take();
        if (const auto name_at = kernel_name_at(record))
            rename_kernel(guest.machine_pid, *name_at, body);
        keep(record, std::move(body), as_guest(record.misc), time_ns);
    };
    std::vector<std::byte> buffer;
    for (const auto& piece : guest.file->pieces())
        if (auto done = guest.file->read(piece, buffer, each); !done) return done.error();
    return {};
}

void MergedRecords::sort() {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.time_ns < b.time_ns; });
    if (first_sample_ns_ > last_sample_ns_) first_sample_ns_ = last_sample_ns_;
    // An event without an id cannot be told from the others.
    for (auto& event : events_)
        if (event.ids.empty()) event.ids.push_back(next_id_++);
}

}  // namespace ringside::merge
