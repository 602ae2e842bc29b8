#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "profile/profile.h"
#include "profile/side_band.h"

namespace ringside::profile {

namespace {

using perf::CpuMode;

// Remembers the last answer for each of a few hundred threads: samples of one come in runs.
class Lookups {
  public:
    explicit Lookups(World& world) : world_(world) {}

    ImageId image(std::uint32_t pid, std::uint64_t time_ns) {
        return world_.image_of(pid, time_ns);
    }
    CommId comm(std::uint32_t tid, std::uint64_t time_ns) {
        const CommId known = world_.comm_of(tid, time_ns);
        return known != 0 ? known
                          : world_.intern_comm(fmt::format(":{}", static_cast<std::int32_t>(tid)));
    }

  private:
    World& world_;
};

// The frames of one chain, innermost first, each with the world it belongs to.
struct Frame {
    std::uint64_t address = 0;
    CpuMode mode = CpuMode::unknown;

    bool operator==(const Frame&) const = default;
};

void read_frames(const perf::FullSample& sample, std::vector<Frame>& frames) {
    frames.clear();
    CpuMode mode = sample.mode;
    for (std::size_t i = 0; i < sample.chain.size(); ++i) {
        const std::uint64_t address = sample.chain[i];
        if (perf::is_chain_mark(address))
            mode = perf::mode_after_mark(address);
        else
            frames.push_back({address, mode});
    }
    if (frames.empty()) frames.push_back({sample.ip, sample.mode});
}

class Loader {
  public:
    Loader(const perf::DataFile& file, Profile& profile, const Keep& keep, const Window& window)
        : file_(file), profile_(profile), keep_(keep), window_(window), lookups_(*profile.world) {}

    Result<void> run() {
        std::vector<std::byte> buffer;
        const auto visit = [this](const perf::DataRecord& record) {
            if (record.type == PERF_RECORD_SAMPLE) take(record);
        };
        for (const auto& piece : file_.pieces())
            if (auto done = file_.read(piece, buffer, visit); !done) return done.error();
        if (damaged_ > 0)
            profile_.warnings.push_back(fmt::format(
                "{} samples are shorter than their event says, the first at byte {} of the records",
                damaged_, first_damaged_));
        return {};
    }

  private:
    void take(const perf::DataRecord& record) {
        const std::size_t event = file_.event_of(record);
        const auto& layout = file_.events()[event].layout;
        const auto sample =
            perf::decode_full_sample(record.body, record.misc, layout, file_.order());
        if (!sample) {
            if (damaged_++ == 0) first_damaged_ = record.position;
            return;
        }
        const bool timed = (layout.sample_type & PERF_SAMPLE_TIME) != 0;
        const std::uint64_t time_ns = timed ? sample->time_ns : record.position;
        if (time_ns < window_.from_ns || time_ns > window_.until_ns) return;
        count(event, *sample, time_ns);
    }

    void count(std::size_t event, const perf::FullSample& sample, std::uint64_t time_ns) {
        Group key;
        key.event = static_cast<std::uint32_t>(event);
        if (keep_.comm) key.comm = lookups_.comm(sample.tid, time_ns);
        if (keep_.pid) key.pid = sample.pid;
        if (keep_.tid) key.tid = sample.tid;
        if (keep_.cpu) key.cpu = sample.cpu;
        if (keep_.cgroup) key.cgroup = sample.cgroup;
        const ImageId user_image = lookups_.image(sample.pid, time_ns);
        if (keep_.stack) {
            key.stack = stack_of(sample, user_image, key.comm, time_ns);
            key.location = profile_.stacks[key.stack].location;
        } else {
            key.location = place(sample.ip, sample.mode, user_image, sample.pid, time_ns);
        }
        Group& group = profile_.groups[group_of(key)];
        ++group.samples;
        group.period += sample.period;
        ++profile_.events[event].samples;
        profile_.events[event].period += sample.period;
    }

    LocationId place(std::uint64_t address, CpuMode mode, ImageId user_image, std::uint32_t pid,
                     std::uint64_t time_ns) {
        ImageId image = user_image;
        if (mode == CpuMode::kernel || mode == CpuMode::hypervisor) image = kernel_image;
        if (mode == CpuMode::guest_kernel || mode == CpuMode::guest_user)
            image = profile_.world->guest_image(pid);
        return profile_.locations.find(image, address, mode, time_ns);
    }

    // From the outermost frame inwards. What this chain shares with the last one there needs no
    // looking up.
    StackId stack_of(const perf::FullSample& sample, ImageId user_image, CommId comm,
                     std::uint64_t time_ns) {
        read_frames(sample, frames_);
        std::size_t shared = 0;
        const StackId root = profile_.stacks.push(empty_stack, comm_frame(comm));
        if (last_image_ == user_image && last_pid_ == sample.pid && last_root_ == root) {
            const std::size_t most = std::min(frames_.size(), last_frames_.size());
            while (shared < most && frames_[frames_.size() - 1 - shared] ==
                                        last_frames_[last_frames_.size() - 1 - shared])
                ++shared;
        }
        path_.resize(shared);
        StackId stack = shared == 0 ? root : path_.back();
        for (std::size_t i = frames_.size() - shared; i-- > 0;) {
            const LocationId location =
                place(frames_[i].address, frames_[i].mode, user_image, sample.pid, time_ns);
            stack = profile_.stacks.push(stack, location);
            path_.push_back(stack);
        }
        last_frames_.swap(frames_);
        last_image_ = user_image;
        last_pid_ = sample.pid;
        last_root_ = root;
        return stack;
    }

    std::uint32_t group_of(const Group& key) {
        std::uint64_t hash = std::uint64_t{key.location} << 32 | key.stack;
        hash = base::mix_bits(hash ^ (std::uint64_t{key.comm} << 20) ^ key.event);
        if (keep_.pid || keep_.tid || keep_.cpu || keep_.cgroup)
            hash = base::mix_bits(hash ^ key.cgroup ^ key.cpu ^
                                  (std::uint64_t{key.pid} << 32 | key.tid));
        return groups_.find_or_add(
            hash,
            [&](std::uint32_t index) {
                const Group& known = profile_.groups[index];
                return known.location == key.location && known.stack == key.stack &&
                       known.comm == key.comm && known.event == key.event && known.pid == key.pid &&
                       known.tid == key.tid && known.cpu == key.cpu && known.cgroup == key.cgroup;
            },
            [&] {
                profile_.groups.push_back(key);
                return static_cast<std::uint32_t>(profile_.groups.size() - 1);
            });
    }

    const perf::DataFile& file_;
    Profile& profile_;
    Keep keep_;
    Window window_;
    Lookups lookups_;
    base::IndexTable groups_;
    std::vector<Frame> frames_;
    std::vector<Frame> last_frames_;
    std::vector<StackId> path_;  // of the last chain, outermost first
    ImageId last_image_ = 0;
    std::uint32_t last_pid_ = 0;
    StackId last_root_ = empty_stack;
    std::uint64_t damaged_ = 0;
    std::uint64_t first_damaged_ = 0;
};

}  // namespace

Result<Profile> load(const std::string& path, const Keep& keep, const Window& window) {
    SideBand side_band;
    auto file = perf::DataFile::open(
        path, [&](const perf::DataFile& f, const perf::DataRecord& r) { side_band.take(f, r); });
    if (!file) return file.error();
    Profile profile;
    for (const auto& event : file->events()) profile.events.push_back({event.name});
    for (std::size_t i = 0; i < side_band.lost().size() && i < profile.events.size(); ++i)
        profile.events[i].lost = side_band.lost()[i];
    side_band.replay(*profile.world);
    if (auto done = Loader(*file, profile, keep, window).run(); !done) return done.error();
    profile.origin = file->origin();
    profile.packed_kallsyms = perf::find_item(file->context(), "kallsyms.zst").value_or("");
    auto warnings = file->warnings();
    profile.warnings.insert(profile.warnings.begin(), warnings.begin(), warnings.end());
    return profile;
}

}  // namespace ringside::profile
