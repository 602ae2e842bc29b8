// `ringside export`: a recorded profile in the formats other tools read.
#include "base/error.h"
#include "cli/output.h"
#include "cli/profile_input.h"
#include "cli/verbs.h"
#include "export/flame_graph.h"
#include "export/folded.h"

namespace ringside::cli {

namespace {

class Export final : public Verb {
  public:
    std::string name() const override { return "export"; }
    std::string summary() const override {
        return "write a recorded profile in the formats other tools read";
    }
    std::string examples() const override {
        return "  ringside export folded                        stacks as lines, to stdout\n"
               "  ringside export flamegraph -o cpu.svg         a picture that zooms in a browser\n"
               "  ringside export folded -i vm.data --event cycles -o vm.folded\n";
    }
    void declare(Options& options) override {
        options.operand("FORMAT", format_, "folded or flamegraph", true);
        options.text("-o, --output", "FILE", output_.file, "write there instead of to stdout");
        options.text("--event", "NAME", event_, "of several events, this one [the first]");
        options.text("--title", "TEXT", title_, "of the picture");
        input_.declare(options);
    }

    Outcome run() override {
        if (format_ != "folded" && format_ != "flamegraph")
            return base::fail(ErrorCode::bad_input, "no format \"" + format_ + "\"",
                              "use folded or flamegraph");
        profile::Keep keep;
        keep.stack = true;
        auto loaded = profile::load(input_.file, keep);
        if (!loaded) return loaded.error();
        input_.print_warnings("ringside export", *loaded);
        const auto event = find_event(*loaded);
        if (!event) return event.error();
        const auto naming = profile::symbolize(*loaded, input_.sources());
        const profile::CallTree tree(*loaded, naming, *event);
        if (auto done = deliver(output_, text_of(tree, loaded->events[*event])); !done)
            return done.error();
        return 0;
    }

  private:
    Result<std::size_t> find_event(const profile::Profile& profile) const {
        if (event_.empty()) return std::size_t{0};
        std::string known;
        for (std::size_t i = 0; i < profile.events.size(); ++i) {
            if (profile.events[i].name == event_) return i;
            known += (i == 0 ? "" : ", ") + profile.events[i].name;
        }
        return base::fail(ErrorCode::not_found, input_.file + " has no event \"" + event_ + "\"",
                          "it has " + known);
    }

    std::string text_of(const profile::CallTree& tree, const profile::EventTotals& event) const {
        if (format_ == "folded") return exports::folded(tree);
        exports::FlameGraphOptions options;
        options.title = title_.empty() ? event.name : title_;
        options.unit = "of " + event.name;
        return exports::flame_graph_svg(tree, options);
    }

    ProfileInput input_;
    OutputChoice output_;
    std::string format_;
    std::string event_;
    std::string title_;
};

}  // namespace

std::unique_ptr<Verb> make_export() {
    return std::make_unique<Export>();
}

}  // namespace ringside::cli
