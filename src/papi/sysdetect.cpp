#include "papi/sysdetect.h"

#include "base/error.h"

namespace ringside::papi {

namespace {

using session::ComponentEvent;

class Sysdetect final : public session::Component {
  public:
    std::string_view name() const override { return "sysdetect"; }
    std::string_view description() const override { return "devices of this machine"; }
    session::Availability availability() const override { return {true, {}}; }
    std::vector<ComponentEvent> events() const override { return {}; }
    Result<ComponentEvent> find(std::string_view) const override { return no_events(); }
    Result<session::CountersPtr> open(std::span<const ComponentEvent>,
                                      const SetOptions&) const override {
        return no_events();
    }

  private:
    static Error no_events() {
        return base::fail(ErrorCode::not_found, "the component sysdetect has no events");
    }
};

}  // namespace

session::ComponentPtr make_sysdetect() {
    return std::make_unique<Sysdetect>();
}

}  // namespace ringside::papi
