// `ringside export`: a recorded profile in the formats other tools read.
#include <algorithm>
#include <array>
#include <limits>

#include "analysis/flame.h"
#include "base/error.h"
#include "cli/output.h"
#include "cli/profile_input.h"
#include "cli/verbs.h"
#include "export/firefox.h"
#include "export/folded.h"
#include "export/pprof.h"
#include "export/speedscope.h"
#include "export/stack_frames.h"
#include "export/stack_tree.h"
#include "export/stacks_csv.h"
#include "render/flame_graph.h"

namespace ringside::cli {

namespace {

// A profile that was read and named.
struct Loaded {
    profile::Profile profile;
    profile::Naming naming;
    std::size_t event = 0;

    const profile::EventTotals& totals() const { return profile.events[event]; }
};

profile::Keep keep_stacks() {
    profile::Keep keep;
    keep.stack = true;
    return keep;
}

profile::Keep keep_threads() {
    profile::Keep keep = keep_stacks();
    keep.pid = keep.tid = true;
    return keep;
}

struct Format {
    std::string_view name;
    bool by_function;  // shows functions, and what has no name by its module
    profile::Keep (*keep)();
    Result<std::string> (*write)(const Loaded& loaded, const std::string& title);
};

profile::CallTree tree_of(const Loaded& loaded) {
    return {loaded.profile, loaded.naming, loaded.event};
}

// With `before`, frames are coloured by what changed since.
std::string flame_graph(const Loaded* before, const Loaded& now, const std::string& title) {
    const auto stacks_of = [](const Loaded& loaded) {
        return exports::stack_tree(loaded.profile, loaded.naming, loaded.event);
    };
    analysis::FlameJoin joined({"now", "before"});
    joined.add(0, stacks_of(now));
    if (before != nullptr) joined.add(1, stacks_of(*before));
    render::FlameOptions options;
    options.title = title;
    if (before != nullptr) options.before = 1;
    return render::flame_file(joined.figure(std::numeric_limits<std::size_t>::max()), options);
}

constexpr std::array<Format, 6> formats{{
    {"folded", true, keep_stacks,
     [](const Loaded& loaded, const std::string&) -> Result<std::string> {
         return exports::folded(tree_of(loaded));
     }},
    {"flamegraph", true, keep_stacks,
     [](const Loaded& loaded, const std::string& title) -> Result<std::string> {
         return flame_graph(nullptr, loaded, title);
     }},
    {"pprof", false, keep_threads,
     [](const Loaded& loaded, const std::string&) {
         return exports::pprof(loaded.profile, loaded.naming);
     }},
    {"speedscope", false, exports::keep_timelines,
     [](const Loaded& loaded, const std::string& title) -> Result<std::string> {
         return exports::speedscope(loaded.profile, loaded.naming, title);
     }},
    {"firefox", false, exports::keep_timelines,
     [](const Loaded& loaded, const std::string& title) -> Result<std::string> {
         return exports::firefox(loaded.profile, loaded.naming, loaded.event, title);
     }},
    {"csv", false, keep_threads,
     [](const Loaded& loaded, const std::string&) -> Result<std::string> {
         return exports::stacks_csv(loaded.profile, loaded.naming);
     }},
}};

class Export final : public Verb {
  public:
    std::string name() const override { return "export"; }
    std::string summary() const override {
        return "write a recorded profile in the formats other tools read";
    }
    std::string examples() const override {
        return "  ringside export folded                        stacks as lines, to stdout\n"
               "  ringside export flamegraph -o cpu.svg         a picture that zooms in a browser\n"
               "  ringside export flamegraph -i after.data --before before.data -o diff.svg\n"
               "  ringside export pprof -o cpu.pb.gz            for go tool pprof\n"
               "  ringside export speedscope -o cpu.json        for https://www.speedscope.app\n"
               "  ringside export firefox -o cpu.json           for https://profiler.firefox.com\n";
    }
    void declare(Options& options) override {
        options.operand("FORMAT", format_, "folded, flamegraph, pprof, speedscope, firefox or csv",
                        true);
        options.text("-o, --output", "FILE", output_.file, "write there instead of to stdout");
        options.text("--event", "NAME", event_, "of several events, this one [the first]");
        options.text("--title", "TEXT", title_, "of the picture");
        options.text("--before", "FILE", before_,
                     "flamegraph: colour frames by what changed since this profile");
        input_.declare(options);
        input_.declare_filters(options);
    }

    Outcome run() override {
        const auto format = std::find_if(formats.begin(), formats.end(),
                                         [this](const Format& f) { return f.name == format_; });
        if (format == formats.end())
            return base::fail(ErrorCode::bad_input, "no format \"" + format_ + "\"",
                              "use folded, flamegraph, pprof, speedscope, firefox or csv");
        if (!before_.empty() && format_ != "flamegraph")
            return base::fail(ErrorCode::bad_input, "--before is for flamegraph alone");
        const auto loaded = read(input_.file, *format);
        if (!loaded) return loaded.error();
        const std::string title = title_.empty() ? loaded->totals().name : title_;
        auto text =
            before_.empty() ? format->write(*loaded, title) : compared(*loaded, *format, title);
        if (!text) return text.error();
        if (auto done = deliver_bytes(output_, *text); !done) return done.error();
        return 0;
    }

  private:
    Result<Loaded> read(const std::string& file, const Format& format) const {
        auto options = input_.load_options();
        if (!options) return options.error();
        options->keep = format.keep();
        const auto sources = input_.sources();
        if (format.by_function) options->fold = sources;
        options->fold_unnamed = options->filter.symbols.empty();
        auto profile = profile::load(file, *options);
        if (!profile) return profile.error();
        input_.print_warnings("ringside export", *profile);
        const auto event = find_event(*profile, file);
        if (!event) return event.error();
        auto naming = profile::symbolize(*profile, sources);
        profile::keep_named(*profile, naming, options->filter);
        return Loaded{std::move(*profile), std::move(naming), *event};
    }

    Result<std::string> compared(const Loaded& after, const Format& format,
                                 const std::string& title) const {
        const auto before = read(before_, format);
        if (!before) return before.error();
        return flame_graph(&*before, after, title);
    }

    Result<std::size_t> find_event(const profile::Profile& profile, const std::string& file) const {
        if (event_.empty()) return std::size_t{0};
        std::string known;
        for (std::size_t i = 0; i < profile.events.size(); ++i) {
            if (profile.events[i].name == event_) return i;
            known += (i == 0 ? "" : ", ") + profile.events[i].name;
        }
        return base::fail(ErrorCode::not_found, file + " has no event \"" + event_ + "\"",
                          "it has " + known);
    }

    ProfileInput input_;
    OutputChoice output_;
    std::string format_;
    std::string event_;
    std::string title_;
    std::string before_;
};

}  // namespace

std::unique_ptr<Verb> make_export() {
    return std::make_unique<Export>();
}

}  // namespace ringside::cli
