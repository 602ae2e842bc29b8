// ringside list: the events that can be opened here.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "cli/style.h"
#include "cli/verbs.h"
#include "platform/machine.h"
#include "trust/listing.h"

namespace ringside::cli {

namespace {

using Json = nlohmann::ordered_json;
using trust::Listed;

std::string list_json(const std::vector<Listed>& events) {
    Json json;
    json["schema"] = "ringside.list/1";
    json["events"] = Json::array();
    for (const auto& listed : events) {
        json["events"].push_back({{"name", listed.event.name},
                                  {"kind", model::to_string(listed.event.kind)},
                                  {"state", to_string(listed.state)},
                                  {"reason", listed.reason}});
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string list_text(const std::vector<Listed>& events, const Style& style) {
    std::string text;
    for (const auto& listed : events) {
        text +=
            fmt::format("{:<40} {:<14}", listed.event.name, model::to_string(listed.event.kind));
        if (listed.state != CounterState::ok) {
            text += fmt::format(" {}", style.warn(fmt::format("{:<13}", to_string(listed.state))));
        }
        if (!listed.reason.empty()) text += fmt::format(" {}", style.dim(listed.reason));
        while (text.back() == ' ') text.pop_back();
        text += '\n';
    }
    return text;
}

class List : public Verb {
  public:
    std::string name() const override { return "list"; }
    std::string summary() const override { return "the events that can be opened here"; }
    std::string examples() const override {
        return "  ringside list                    every event that opens here\n"
               "  ringside list 'kvm:*'            tracepoints of KVM\n"
               "  ringside list --all cache        also those that do not open, and why\n";
    }
    void declare(Options& options) override {
        declare_output(options, output_, false);
        options.flag("--all", all_, "also what cannot be opened, with the reason");
        options.operand("PATTERN", pattern_, "a part of the name, or a shell pattern", false);
    }

    Outcome run() override {
        const base::SysRoot root;
        auto events = trust::list_events(root, platform::describe(root), pattern_);
        if (!all_) {
            std::erase_if(events, [](const Listed& e) { return e.state != CounterState::ok; });
        }
        const auto text = output_.json ? list_json(events) : list_text(events, Style(stdout));
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
