// What can be counted: components by index, native events by code. Events get their codes when they
// are first named or listed; a code stays good until the library is shut down.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fork.h"
#include "papi/abi.h"
#include "session/component.h"

namespace ringside::papi {

struct Native {
    int code = 0;
    int component = 0;
    std::string name;  // as PAPI has it, with the component's prefix
    session::ComponentEvent event;
};

// May be used from several threads.
class Catalogue {
  public:
    explicit Catalogue(std::vector<session::ComponentPtr> sources);

    int components() const { return static_cast<int>(entries_.size()); }
    bool valid(int component) const { return component >= 0 && component < components(); }
    const session::Component& source(int component) const;
    int index_of(std::string_view name) const;  // or PAPI_ENOCMP
    // The machine is looked at with the first call. The struct stays where it is.
    PAPI_component_info_t& info(int component);
    // The same struct, of which only the defaults and abilities are filled in yet.
    PAPI_component_info_t& defaults(int component) { return entry(component).info; }
    // 0, or the code that says why it counts nothing. Cheaper than info().
    int disabled(int component);
    void disable(int component, std::string_view reason);

    // The code of a native event, or an error.
    int find(std::string_view name);
    // nullptr if there is none of that code.
    const Native* native(int code) const;
    // Codes of all events of a component that can be opened here.
    const std::vector<int>& listed(int component);
    // PAPI_OK, or why this event cannot be counted here and now by the calling thread. It is tried
    // once.
    int verdict(int code);

  private:
    struct Entry {
        std::string name;
        std::string prefix;
        std::size_t most = 0;  // events that are listed; 0: all
        const session::Component* source = nullptr;
        std::optional<int> disabled;
        std::string reason;
        bool described = false;
        PAPI_component_info_t info{};
        std::optional<std::vector<int>> codes;
    };

    int find_anywhere(std::string_view name);
    int find_locked(int component, std::string_view name);
    int add_locked(int component, std::string name, session::ComponentEvent event);
    const std::vector<int>& list_locked(Entry& entry);
    int check_locked(Entry& entry);
    int verdict_locked(const Native& native);
    Entry& entry(int component) { return *entries_[static_cast<std::size_t>(component)]; }

    std::vector<session::ComponentPtr> sources_;
    std::vector<std::unique_ptr<Entry>> entries_;
    mutable base::Mutex mutex_;  // over all below, and over what the entries learn
    std::deque<Native> natives_;
    std::map<std::string, int, std::less<>> codes_;  // by name
    std::map<int, int> verdicts_;
};

}  // namespace ringside::papi
