#include "export/pprof.h"

#include <map>
#include <unordered_map>
#include <vector>

#include "export/gzip.h"
#include "export/protobuf.h"
#include "export/stack_frames.h"

namespace ringside::exports {

namespace {

// Field numbers of github.com/google/pprof/proto/profile.proto.
namespace profile_field {
constexpr std::uint32_t sample_type = 1, sample = 2, mapping = 3, location = 4, function = 5,
                        string_table = 6, default_sample_type = 14;
}
namespace sample_field {
constexpr std::uint32_t location_id = 1, value = 2, label = 3;
}
namespace mapping_field {
constexpr std::uint32_t id = 1, start = 2, limit = 3, offset = 4, file = 5, build_id = 6,
                        has_functions = 7, has_inline_frames = 10;
}
namespace location_field {
constexpr std::uint32_t id = 1, mapping_id = 2, address = 3, line = 4;
}
namespace function_field {
constexpr std::uint32_t id = 1, name = 2, system_name = 3;
}
constexpr std::uint32_t value_type = 1, value_unit = 2, label_key = 1, label_text = 2,
                        label_number = 3, line_function = 1;

class PprofWriter {
  public:
    PprofWriter(const profile::Profile& profile, const profile::Naming& naming)
        : profile_(profile), naming_(naming) {
        text("");  // which the format demands to be the first
    }

    std::string write() {
        write_value_types();
        write_samples();
        write_locations();
        write_mappings();
        for (profile::FunctionId id = 0; id < naming_.functions.size(); ++id) {
            const std::uint64_t name = text(naming_.functions[id].name);
            out_.message(profile_field::function, Protobuf()
                                                      .number(function_field::id, id + 1)
                                                      .number(function_field::name, name)
                                                      .number(function_field::system_name, name));
        }
        for (const auto& string : strings_) out_.text(profile_field::string_table, string);
        return out_.bytes();
    }

  private:
    std::uint64_t text(const std::string& value) {
        const auto [found, added] = string_ids_.emplace(value, strings_.size());
        if (added) strings_.push_back(value);
        return found->second;
    }

    void add_value_type(const std::string& type, const std::string& unit) {
        out_.message(profile_field::sample_type,
                     Protobuf().number(value_type, text(type)).number(value_unit, text(unit)));
    }

    void write_value_types() {
        const bool one = profile_.events.size() == 1;
        for (const auto& event : profile_.events) {
            add_value_type(one ? "samples" : event.name + "_samples", "count");
            add_value_type(event.name, event.in_ns ? "nanoseconds" : "count");
        }
        if (!profile_.events.empty())
            out_.number(profile_field::default_sample_type, text(profile_.events.front().name));
    }

    // Samples of several events on one stack of one thread are one sample with several values.
    struct SampleKey {
        profile::StackId stack = 0;
        profile::CommId comm = 0;
        ThreadKey thread;

        auto operator<=>(const SampleKey&) const = default;
    };

    void write_samples() {
        std::map<SampleKey, std::vector<std::uint64_t>> samples;
        for (const auto& group : profile_.groups) {
            auto& values = samples[{group.stack, group.comm, thread_of(group)}];
            values.resize(2 * profile_.events.size());
            values[std::size_t{2} * group.event] += group.samples;
            values[std::size_t{2} * group.event + 1] += group.period;
        }
        for (const auto& [key, values] : samples) {
            std::vector<std::uint64_t> path;  // innermost first
            for (auto at = key.stack; at != profile::empty_stack; at = profile_.stacks[at].caller) {
                const auto location = profile_.stacks[at].location;
                if (!profile::is_comm_frame(location)) path.push_back(location + 1);
            }
            Protobuf sample;
            sample.numbers(sample_field::location_id, path).numbers(sample_field::value, values);
            add_label(sample, "comm",
                      Protobuf().number(label_text, text(profile_.world->comm(key.comm))));
            if (key.thread.pid != 0)
                add_label(sample, "pid", Protobuf().number(label_number, key.thread.pid));
            if (key.thread.tid != 0)
                add_label(sample, "tid", Protobuf().number(label_number, key.thread.tid));
            out_.message(profile_field::sample, sample);
        }
    }

    void add_label(Protobuf& sample, const std::string& key, Protobuf value) {
        sample.message(sample_field::label, value.number(label_key, text(key)));
    }

    // The innermost inlined function is a location's first line.
    void write_locations() {
        for (profile::LocationId id = 0; id < profile_.locations.size(); ++id) {
            const auto& place = profile_.locations[id];
            Protobuf location;
            location.number(location_field::id, id + 1);
            if (place.mapping) location.number(location_field::mapping_id, *place.mapping + 1);
            location.number(location_field::address, place.address);
            const auto inlined = naming_.inlined_in(id);
            for (auto function = inlined.rbegin(); function != inlined.rend(); ++function)
                add_line(location, *function);
            add_line(location, naming_.of_location[id]);
            out_.message(profile_field::location, location);
        }
    }

    static void add_line(Protobuf& location, profile::FunctionId function) {
        location.message(location_field::line,
                         Protobuf().number(line_function, std::uint64_t{function} + 1));
    }

    // Only those that samples point into; a mapping's number is its own and 1.
    void write_mappings() {
        std::vector<bool> used;
        for (profile::LocationId id = 0; id < profile_.locations.size(); ++id) {
            const auto& mapping = profile_.locations[id].mapping;
            if (!mapping) continue;
            if (used.size() <= *mapping) used.resize(*mapping + 1);
            used[*mapping] = true;
        }
        for (profile::MappingId id = 0; id < used.size(); ++id) {
            if (!used[id]) continue;
            const auto& mapping = profile_.world->mapping(id);
            const auto& module = profile_.world->module(mapping.module);
            out_.message(
                profile_field::mapping,
                Protobuf()
                    .number(mapping_field::id, std::uint64_t{id} + 1)
                    .number(mapping_field::start, mapping.start)
                    .number(mapping_field::limit, mapping.end)
                    .number(mapping_field::offset, mapping.file_offset)
                    .number(mapping_field::file, text(module.path))
                    .number(mapping_field::build_id, text(module.build_id))
                    .number(mapping_field::has_functions, 1)
                    .number(mapping_field::has_inline_frames, naming_.inlined_at.empty() ? 0 : 1));
        }
    }

    const profile::Profile& profile_;
    const profile::Naming& naming_;
    Protobuf out_;
    std::vector<std::string> strings_;
    std::unordered_map<std::string, std::uint64_t> string_ids_;
};

}  // namespace

Result<std::string> pprof(const profile::Profile& profile, const profile::Naming& naming) {
    return gzip(PprofWriter(profile, naming).write());
}

}  // namespace ringside::exports
