#include "profile/collector.h"

#include <algorithm>

#include <fmt/format.h>

namespace ringside::profile {

using perf::CpuMode;

void Collector::count(std::size_t event, const perf::FullSample& sample, std::uint64_t time_ns) {
    EventTotals& totals = profile_.events[event];
    ++totals.samples;
    totals.period += sample.period;
    if (!filter_.passes(sample)) return;
    Group key;
    key.event = static_cast<std::uint32_t>(event);
    if (keep_.comm || !filter_.comms.empty()) {
        const CommId comm = comm_of(sample, time_ns);
        if (!filter_.passes_comm(profile_.world->comm(comm))) return;
        if (keep_.comm) key.comm = comm;
    }
    key.machine = sample.machine;
    if (keep_.pid) key.pid = sample.pid;
    if (keep_.tid) key.tid = sample.tid;
    if (keep_.cpu) key.cpu = sample.cpu;
    if (keep_.cgroup) key.cgroup = sample.cgroup;
    const ImageId user_image =
        profile_.world->image_of(in_machine(sample.machine, sample.pid), time_ns);
    if (!keep_.stack) {
        if (waited_ - settled_ == most_waiting) settle(waiting_[settled_++ % most_waiting]);
        waiting_[waited_++ % most_waiting] = {
            key, place(point_of(event, sample), sample, user_image, time_ns), sample.period,
            time_ns};
        return;
    }
    key.stack = stack_of(sample, user_image, key.comm, time_ns);
    key.location =
        belongs_to_program(event)
            ? profile_.locations.find(place(point_of(event, sample), sample, user_image, time_ns))
            : profile_.stacks[key.stack].location;
    add(key, sample.period, time_ns);
}

void Collector::settle() {
    while (settled_ != waited_) settle(waiting_[settled_++ % most_waiting]);
}

void Collector::settle(Waiting& sample) {
    sample.key.location = profile_.locations.find(sample.place);
    add(sample.key, sample.period, sample.time_ns);
}

void Collector::add(const Group& key, std::uint64_t period, std::uint64_t time_ns) {
    const std::uint32_t index = group_of(key);
    Group& group = profile_.groups[index];
    ++group.samples;
    group.period += period;
    if (keep_.timeline) profile_.timeline.push_back({time_ns, index, period});
}

CommId Collector::comm_of(const perf::FullSample& sample, std::uint64_t time_ns) {
    const std::uint32_t tid = sample.tid;
    const CommId known = profile_.world->comm_of(in_machine(sample.machine, tid), time_ns);
    return known != 0
               ? known
               : profile_.world->intern_comm(fmt::format(":{}", static_cast<std::int32_t>(tid)));
}

Locations::Query Collector::place(const Frame& frame, const perf::FullSample& sample,
                                  ImageId user_image, std::uint64_t time_ns) {
    const CpuMode mode = frame.mode;
    ImageId image = user_image;
    if (mode == CpuMode::kernel || mode == CpuMode::hypervisor) image = kernel_image;
    // What the host saw of a guest is one world; a guest itself knows its processes.
    const bool host_view = mode == CpuMode::guest_user && sample.machine == 0;
    if (mode == CpuMode::guest_kernel || host_view)
        image = profile_.world->guest_image(sample.machine != 0 ? sample.machine : sample.pid);
    return profile_.locations.prepare(image, frame.address, mode, time_ns);
}

bool Collector::belongs_to_program(std::size_t event) const {
    return switches_in_program_ && profile_.events[event].name.starts_with("context-switches");
}

// Where a sample without its stack belongs.
Collector::Frame Collector::point_of(std::size_t event, const perf::FullSample& sample) const {
    const Frame point{sample.ip, sample.mode};
    if (!belongs_to_program(event)) return point;
    CpuMode mode = sample.mode;
    for (std::size_t i = 0; i < sample.chain.size(); ++i) {
        const std::uint64_t address = sample.chain[i];
        if (perf::is_chain_mark(address)) {
            mode = perf::mode_after_mark(address);
        } else if (mode == CpuMode::user) {
            return {address, mode};
        }
    }
    return point;
}

void Collector::read_frames(const perf::FullSample& sample, ImageId user_image,
                            std::uint64_t time_ns) {
    frames_.clear();
    CpuMode mode = sample.mode;
    for (std::size_t i = 0; i < sample.chain.size(); ++i) {
        const std::uint64_t address = sample.chain[i];
        if (perf::is_chain_mark(address))
            mode = perf::mode_after_mark(address);
        else
            frames_.push_back({address, mode});
    }
    if (!sample.user_stack.empty()) {
        unwound_.clear();
        unwinder_.unwind(sample, user_image, time_ns, unwound_);
        for (const auto address : unwound_) frames_.push_back({address, CpuMode::user});
    }
    if (frames_.empty()) frames_.push_back({sample.ip, sample.mode});
}

// From the outermost frame inwards. What this chain shares with the last one there needs no looking
// up.
StackId Collector::stack_of(const perf::FullSample& sample, ImageId user_image, CommId comm,
                            std::uint64_t time_ns) {
    read_frames(sample, user_image, time_ns);
    std::size_t shared = 0;
    const StackId root = profile_.stacks.push(empty_stack, comm_frame(comm));
    if (last_image_ == user_image && last_pid_ == sample.pid && last_machine_ == sample.machine &&
        last_root_ == root) {
        const std::size_t most = std::min(frames_.size(), last_frames_.size());
        while (shared < most && frames_[frames_.size() - 1 - shared] ==
                                    last_frames_[last_frames_.size() - 1 - shared])
            ++shared;
    }
    places_.clear();
    for (std::size_t i = frames_.size() - shared; i-- > 0;)
        places_.push_back(place(frames_[i], sample, user_image, time_ns));
    path_.resize(shared);
    StackId stack = shared == 0 ? root : path_.back();
    for (const auto& query : places_) {
        stack = profile_.stacks.push(stack, profile_.locations.find(query));
        path_.push_back(stack);
    }
    last_frames_.swap(frames_);
    last_image_ = user_image;
    last_pid_ = sample.pid;
    last_machine_ = sample.machine;
    last_root_ = root;
    return stack;
}

// Most samples are like the last one at their place.
std::uint32_t Collector::group_of(const Group& key) {
    const std::size_t place = keep_.stack ? key.stack : key.location;
    if (place >= latest_.size()) latest_.resize(2 * place + 1, no_group);
    std::uint32_t& latest = latest_[place];
    if (latest == no_group || !profile_.groups[latest].alike(key)) latest = find_group(key);
    return latest;
}

std::uint32_t Collector::find_group(const Group& key) {
    std::uint64_t hash = std::uint64_t{key.location} << 32 | key.stack;
    hash = base::mix_bits(hash ^ (std::uint64_t{key.comm} << 20) ^ key.event ^
                          std::uint64_t{key.machine} << 40);
    if (keep_.pid || keep_.tid || keep_.cpu || keep_.cgroup)
        hash =
            base::mix_bits(hash ^ key.cgroup ^ key.cpu ^ (std::uint64_t{key.pid} << 32 | key.tid));
    return groups_.find_or_add(
        hash, [&](std::uint32_t index) { return profile_.groups[index].alike(key); },
        [&] {
            profile_.groups.push_back(key);
            return static_cast<std::uint32_t>(profile_.groups.size() - 1);
        });
}

}  // namespace ringside::profile
