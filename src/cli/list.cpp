// ringside list: the events that can be opened here, and the components they belong to.
#include "cli/output.h"
#include "cli/verbs.h"
#include "components/registry.h"
#include "platform/machine.h"
#include "report/list/listing.h"

namespace ringside::cli {

namespace {

using report::ComponentListed;
using report::Listing;
using trust::Listed;

// A component is listed if its name matches, or one of its events.
void add_component(const session::Component& component, const std::string& pattern, bool all,
                   Listing& listing) {
    const std::string name(component.name());
    if (name == "cpu") return;
    std::vector<ComponentListed> found;
    for (auto& event : component.events()) {
        const auto whole_name = name + ":::" + event.name;
        if (trust::matches(whole_name, pattern))
            found.push_back({std::move(event), name, whole_name});
    }
    if (found.empty() && !(all && trust::matches(name, pattern))) return;
    listing.components.push_back(
        {name, std::string(component.description()), component.availability()});
    std::move(found.begin(), found.end(), std::back_inserter(listing.component_events));
}

Listing make_listing(const std::string& pattern, bool all) {
    const base::SysRoot root;
    Listing listing;
    listing.events = trust::list_events(root, platform::describe(root), pattern);
    if (!all) {
        std::erase_if(listing.events, [](const Listed& e) { return e.state != CounterState::ok; });
    }
    for (const auto& component : components::all_components(root)) {
        add_component(*component, pattern, all, listing);
    }
    return listing;
}

class List : public Verb {
  public:
    std::string name() const override { return "list"; }
    std::string summary() const override { return "the events that can be opened here"; }
    std::string examples() const override {
        return "  ringside list                    every event that opens here\n"
               "  ringside list 'kvm:*'            tracepoints of KVM, and its component\n"
               "  ringside list net:::             what the net component counts\n"
               "  ringside list --all cache        also those that do not open, and why\n";
    }
    void declare(Options& options) override {
        declare_output(options, output_, false);
        options.flag("--all", all_, "also what cannot be opened, with the reason");
        options.operand("PATTERN", pattern_, "a part of the name, or a shell pattern", false);
    }

    Outcome run() override {
        const Listing listing = make_listing(pattern_, all_);
        const auto text = output_.json ? report::list_json(listing)
                                       : report::list_text(listing, report::Style(stdout));
        if (auto done = deliver(output_, text); !done) return done.error();
        return 0;
    }

  private:
    OutputChoice output_;
    bool all_ = false;
    std::string pattern_;
};

}  // namespace

std::unique_ptr<Verb> make_list() {
    return std::make_unique<List>();
}

}  // namespace ringside::cli
