#include "export/firefox.h"

#include <array>
#include <map>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "export/json_text.h"
#include "export/stack_frames.h"

namespace ringside::exports {

namespace {

// The version of the format that is written. Newer front ends upgrade it; docs-developer/
// CHANGELOG-formats.md of the profiler's repository says what each version changed.
constexpr int format_version = 55;
constexpr int gecko_version = 31;
constexpr double ns_per_ms = 1e6;

// In the order of perf::CpuMode. The front end needs one that is grey.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> categories{
    {{"Other", "grey"},
     {"Kernel", "orange"},
     {"User", "yellow"},
     {"Hypervisor", "purple"},
     {"Guest kernel", "blue"},
     {"Guest user", "lightblue"}}};

std::string categories_json() {
    std::string text;
    for (const auto& [name, color] : categories) {
        if (!text.empty()) text += ',';
        text += fmt::format("{{\"name\":\"{}\",\"color\":\"{}\",\"subcategories\":[\"Other\"]}}",
                            name, color);
    }
    return "[" + text + "]";
}

std::string nulls(std::size_t count) {
    return json_array(std::vector<std::string_view>(count, "null"));
}

std::string repeated(std::size_t count, int value) {
    return json_array(std::vector<int>(count, value));
}

// A number, or null for none.
std::string or_null(const std::vector<std::int64_t>& list) {
    std::vector<std::string> words;
    words.reserve(list.size());
    for (const auto value : list) words.push_back(value < 0 ? "null" : std::to_string(value));
    return json_array(words);
}

// The modules of a profile, which all threads share.
class Libraries {
  public:
    std::size_t index(const std::string& name) {
        const auto [found, added] = index_.emplace(name, names_.size());
        if (added) names_.push_back(name);
        return found->second;
    }
    std::string json() const {
        std::string text;
        for (const auto& name : names_) {
            const std::string quoted = json_string(name);
            if (!text.empty()) text += ',';
            text += fmt::format(
                "{{\"arch\":\"\",\"name\":{0},\"path\":{0},\"debugName\":{0},\"debugPath\":{0},"
                "\"breakpadId\":\"\",\"codeId\":null}}",
                quoted);
        }
        return "[" + text + "]";
    }

  private:
    std::unordered_map<std::string, std::size_t> index_;
    std::vector<std::string> names_;
};

// One thread's tables. Rows are added as its samples need them.
class Thread {
  public:
    Thread(const profile::Profile& profile, const profile::Naming& naming, Libraries& libraries)
        : profile_(profile), naming_(naming), libraries_(libraries) {}

    void add(const profile::Group& group, double time_ms, double weight_ms) {
        if (times_.empty()) {
            comm_ = profile_.world->comm(group.comm);
            key_ = thread_of(group);
        }
        stacks_.push_back(stack_row(group.stack));
        times_.push_back(time_ms);
        weights_.push_back(weight_ms);
    }

    std::string json(bool weighted) const {
        const std::string weights = weighted ? json_array(weights_) : repeated(weights_.size(), 1);
        return fmt::format(
            "{{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
            "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\"name\":{0},"
            "\"processName\":{0},\"isMainThread\":{1},\"pid\":\"{2}\",\"tid\":{3},\n"
            "\"samples\":{{\"length\":{4},\"stack\":{5},\"time\":{6},\"weight\":{7},"
            "\"weightType\":\"{8}\"}},\n"
            "\"markers\":{{\"length\":0,\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],"
            "\"phase\":[],\"category\":[]}},\n{9}}}",
            json_string(thread_name(comm_, key_)), key_.pid == key_.tid, process(), key_.tid,
            stacks_.size(), or_null(stacks_), json_array(times_), weights,
            weighted ? "tracing-ms" : "samples", tables_json());
    }

  private:
    // A guest's processes are not the host's of the same number.
    std::string process() const {
        const std::string pid = std::to_string(key_.pid);
        return key_.machine == 0 ? pid : std::to_string(key_.machine) + "-" + pid;
    }

    std::int64_t string_row(const std::string& text) {
        const auto [found, added] = string_rows_.emplace(text, strings_.size());
        if (added) strings_.push_back(json_string(text));
        return static_cast<std::int64_t>(found->second);
    }

    // A function is one row of four tables that grow together: functions, frames and, for its
    // module, resources.
    std::int64_t frame_row(const StackFrame& frame) {
        const std::uint64_t key = std::uint64_t{frame.function} << 1 | (frame.inlined ? 1 : 0);
        const auto [found, added] = frame_rows_.emplace(key, frame_functions_.size());
        if (added) {
            const auto& function = naming_.functions[frame.function];
            frame_functions_.push_back(function_row(frame.function));
            frame_depths_.push_back(frame.inlined ? 1 : 0);
            frame_categories_.push_back(static_cast<int>(function.mode));
        }
        return static_cast<std::int64_t>(found->second);
    }
    std::int64_t function_row(profile::FunctionId id) {
        const auto [found, added] = function_rows_.emplace(id, function_names_.size());
        if (added) {
            const auto& function = naming_.functions[id];
            function_names_.push_back(string_row(function.name));
            function_resources_.push_back(resource_row(function.module));
        }
        return static_cast<std::int64_t>(found->second);
    }
    std::int64_t resource_row(const std::string& module) {
        const auto [found, added] = resource_rows_.emplace(module, resource_names_.size());
        if (added) {
            resource_names_.push_back(string_row(module));
            resource_libraries_.push_back(static_cast<std::int64_t>(libraries_.index(module)));
        }
        return static_cast<std::int64_t>(found->second);
    }

    // -1 for no frame at all.
    std::int64_t stack_row(profile::StackId stack) {
        std::int64_t at = -1;
        for (const auto& frame : stack_frames(profile_, naming_, stack)) {
            const std::int64_t row = frame_row(frame);
            const auto [found, added] = stack_rows_.emplace(std::pair{at, row}, prefixes_.size());
            if (added) {
                prefixes_.push_back(at);
                stack_frames_.push_back(row);
            }
            at = static_cast<std::int64_t>(found->second);
        }
        return at;
    }

    std::string tables_json() const {
        const std::size_t frames = frame_functions_.size();
        const std::size_t functions = function_names_.size();
        const std::size_t resources = resource_names_.size();
        constexpr int library_resource = 1;
        std::string text =
            fmt::format("\"stackTable\":{{\"length\":{},\"frame\":{},\"prefix\":{}}},\n",
                        prefixes_.size(), json_array(stack_frames_), or_null(prefixes_));
        text += fmt::format(
            "\"frameTable\":{{\"length\":{0},\"address\":{1},\"inlineDepth\":{2},\"category\":{3},"
            "\"subcategory\":{4},\"func\":{5},\"nativeSymbol\":{6},\"innerWindowID\":{6},"
            "\"line\":{6},\"column\":{6}}},\n",
            frames, repeated(frames, -1), json_array(frame_depths_), json_array(frame_categories_),
            repeated(frames, 0), json_array(frame_functions_), nulls(frames));
        text += fmt::format(
            "\"funcTable\":{{\"length\":{0},\"isJS\":{1},\"relevantForJS\":{1},\"name\":{2},"
            "\"resource\":{3},\"fileName\":{4},\"lineNumber\":{4},\"columnNumber\":{4}}},\n",
            functions, json_array(std::vector<std::string_view>(functions, "false")),
            json_array(function_names_), json_array(function_resources_), nulls(functions));
        text += fmt::format(
            "\"resourceTable\":{{\"length\":{},\"lib\":{},\"name\":{},\"host\":{},\"type\":{}}},\n",
            resources, json_array(resource_libraries_), json_array(resource_names_),
            nulls(resources), repeated(resources, library_resource));
        text +=
            "\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
            "\"functionSize\":[]},\n";
        return text + "\"stringArray\":" + json_array(strings_);
    }

    const profile::Profile& profile_;
    const profile::Naming& naming_;
    Libraries& libraries_;
    std::string comm_;
    ThreadKey key_;
    std::vector<std::int64_t> stacks_;
    std::vector<double> times_;
    std::vector<double> weights_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> stack_rows_;
    std::vector<std::int64_t> prefixes_;
    std::vector<std::int64_t> stack_frames_;
    std::unordered_map<std::uint64_t, std::size_t> frame_rows_;
    std::vector<std::int64_t> frame_functions_;
    std::vector<int> frame_depths_;
    std::vector<int> frame_categories_;
    std::unordered_map<profile::FunctionId, std::size_t> function_rows_;
    std::vector<std::int64_t> function_names_;
    std::vector<std::int64_t> function_resources_;
    std::unordered_map<std::string, std::size_t> resource_rows_;
    std::vector<std::int64_t> resource_names_;
    std::vector<std::int64_t> resource_libraries_;
    std::unordered_map<std::string, std::size_t> string_rows_;
    std::vector<std::string> strings_;
};

}  // namespace

std::string firefox(const profile::Profile& profile, const profile::Naming& naming,
                    std::size_t event, const std::string& title) {
    Libraries libraries;
    std::map<ThreadKey, Thread> threads;
    const std::uint64_t start_ns = profile.timeline.empty() ? 0 : profile.timeline.front().time_ns;
    for (const auto& instant : profile.timeline) {
        const auto& group = profile.groups[instant.group];
        if (group.event != event) continue;
        auto thread = threads.try_emplace(thread_of(group), profile, naming, libraries).first;
        thread->second.add(group, static_cast<double>(instant.time_ns - start_ns) / ns_per_ms,
                           static_cast<double>(instant.period) / ns_per_ms);
    }
    std::string list;
    for (const auto& [key, thread] : threads) {
        list += list.empty() ? "\n" : ",\n";
        list += thread.json(profile.events[event].in_ns);
    }
    return fmt::format(
        "{{\"meta\":{{\"version\":{},\"preprocessedProfileVersion\":{},\"interval\":1,"
        "\"startTime\":0,\"processType\":0,\"stackwalk\":1,\"product\":{},\"symbolicated\":true,"
        "\"usesOnlyOneStackType\":true,\"importedFrom\":\"ringside\",\"markerSchema\":[],"
        "\"categories\":{}}},\n\"libs\":{},\"pages\":[],\"counters\":[],\n\"threads\":[{}]}}\n",
        gecko_version, format_version, json_string(title), categories_json(), libraries.json(),
        list);
}

}  // namespace ringside::exports
