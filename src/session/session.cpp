#include "session/session.h"

#include "session/resolve.h"
#include "session/set_impl.h"

namespace ringside {

Session::Session(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

EventSet Session::event_set(const SetOptions& options) const {
    return EventSet(std::make_unique<EventSet::Impl>(impl_, options));
}

std::vector<ComponentInfo> Session::components() const {
    std::vector<ComponentInfo> infos;
    for (const auto& component : impl_->components) {
        auto [usable, reason] = component->availability();
        infos.push_back({std::string(component->name()), std::string(component->description()),
                         usable, std::move(reason)});
    }
    return infos;
}

Result<std::vector<EventInfo>> Session::events(std::string_view component) const {
    const auto index = session::component_named(*impl_, component);
    if (!index) return index.error();
    const bool prefixed = *index != 0;
    std::vector<EventInfo> infos;
    for (auto& event : impl_->components[*index]->events()) {
        std::string name = prefixed ? std::string(component) + ":::" + event.name : event.name;
        infos.push_back({std::move(name), std::move(event.description), std::move(event.unit), {}});
    }
    return infos;
}

Result<EventInfo> Session::find(std::string_view name) const {
    auto resolved = session::resolve(*impl_, name);
    if (!resolved) return resolved.error();
    return EventInfo{std::string(name), std::move(resolved->description), std::move(resolved->unit),
                     std::move(resolved->formula)};
}

std::vector<EventInfo> Session::metrics() const {
    std::vector<EventInfo> infos;
    for (const auto& name : impl_->definitions.names()) {
        if (auto info = find(name)) infos.push_back(std::move(*info));
    }
    return infos;
}

std::vector<std::string> Session::metric_names() const {
    return impl_->definitions.names();
}

Result<void> Session::define_metrics(std::string_view definitions) {
    return impl_->definitions.add(definitions);
}

Result<void> Session::load_metrics(const std::string& path) {
    const auto text = base::SysRoot().read(path);
    if (!text) return text.error();
    auto done = define_metrics(*text);
    if (done) return done;
    Error error = done.error();
    error.what = path + ", " + error.what;
    return error;
}

Session Session::Impl::over(std::vector<session::ComponentPtr> components,
                            const base::SysRoot& root) {
    return Session(std::make_shared<Impl>(std::move(components), root));
}

Session session::session_over(std::vector<ComponentPtr> components, const base::SysRoot& root) {
    return Session::Impl::over(std::move(components), root);
}

}  // namespace ringside
