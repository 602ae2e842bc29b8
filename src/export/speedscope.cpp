#include "export/speedscope.h"

#include <map>

#include <fmt/format.h>

#include "export/json_text.h"
#include "export/stack_frames.h"

namespace ringside::exports {

namespace {

// Samples of one thread and event, in the order of time.
struct Track {
    std::string comm;
    std::vector<profile::StackId> stacks;
    std::vector<std::uint64_t> weights;
    std::uint64_t total = 0;

    void add(profile::StackId stack, std::uint64_t weight) {
        total += weight;
        if (!stacks.empty() && stacks.back() == stack) {
            weights.back() += weight;  // one sample as long as both
            return;
        }
        stacks.push_back(stack);
        weights.push_back(weight);
    }
};

struct TrackKey {
    std::uint32_t event = 0;
    ThreadKey thread;

    auto operator<=>(const TrackKey&) const = default;
};

std::map<TrackKey, Track> tracks_of(const profile::Profile& profile) {
    std::map<TrackKey, Track> tracks;
    for (const auto& instant : profile.timeline) {
        const auto& group = profile.groups[instant.group];
        Track& track = tracks[{group.event, thread_of(group)}];
        if (track.comm.empty()) track.comm = profile.world->comm(group.comm);
        track.add(group.stack, instant.period);
    }
    return tracks;
}

std::string frames_json(const profile::Naming& naming) {
    std::string text;
    for (const auto& function : naming.functions) {
        if (!text.empty()) text += ",\n";
        text += fmt::format("{{\"name\":{},\"file\":{}}}", json_string(function.name),
                            json_string(function.module));
    }
    return text;
}

std::string track_json(const profile::Profile& profile, const profile::Naming& naming,
                       const TrackKey& key, const Track& track) {
    const auto& event = profile.events[key.event];
    const std::string name = fmt::format("{} {}: {}", thread_name(track.comm, key.thread),
                                         static_cast<std::int32_t>(key.thread.tid), event.name);
    std::string samples;
    for (const auto stack : track.stacks) {
        std::vector<profile::FunctionId> frames;
        for (const auto& frame : stack_frames(profile, naming, stack))
            frames.push_back(frame.function);
        samples += samples.empty() ? "" : ",";
        samples += json_array(frames);
    }
    return fmt::format(
        "{{\"type\":\"sampled\",\"name\":{},\"unit\":\"{}\",\"startValue\":0,\"endValue\":{},"
        "\"samples\":[{}],\"weights\":{}}}",
        json_string(name), event.in_ns ? "nanoseconds" : "none", track.total, samples,
        json_array(track.weights));
}

}  // namespace

std::string speedscope(const profile::Profile& profile, const profile::Naming& naming,
                       const std::string& title) {
    std::string text = fmt::format(
        "{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
        "\"exporter\":\"ringside\",\"name\":{},\n\"shared\":{{\"frames\":[{}]}},\n\"profiles\":[",
        json_string(title), frames_json(naming));
    bool first = true;
    for (const auto& [key, track] : tracks_of(profile)) {
        text += first ? "\n" : ",\n";
        first = false;
        text += track_json(profile, naming, key, track);
    }
    return text + "]}\n";
}

}  // namespace ringside::exports
