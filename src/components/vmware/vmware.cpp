#include "components/vmware/vmware.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "components/lookup.h"
#include "components/vmware/guest_library.h"
#include "components/vmware/pseudo_counters.h"
#include "platform/machine.h"
#include "session/sampled_counters.h"

namespace ringside::components::vmware {

namespace {

using session::ComponentEvent;

constexpr const char* pseudo_variable = "PAPI_VMWARE_PSEUDOPERFORMANCE";
constexpr std::string_view papi_prefix = "VMWARE_";
// An event's id is its row in guest_values(), or this and its place in pseudo_counters.
constexpr std::uint64_t first_pseudo_id = 1000;

class VmwareCounters final : public session::SampledCounters {
  public:
    VmwareCounters(std::span<const ComponentEvent> events, std::optional<GuestHandle> handle,
                   std::uint64_t (*read_pseudo)(std::uint32_t))
        : SampledCounters(events), handle_(std::move(handle)), read_pseudo_(read_pseudo) {
        for (const auto& event : events) ids_.push_back(event.id);
    }

  private:
    Result<void> sample(std::span<Reading> out) override {
        if (handle_) {
            const auto moved = handle_->update();
            if (!moved) return moved.error();
            if (*moved) source_restarted();
        }
        for (std::size_t i = 0; i < ids_.size(); ++i) out[i] = read_one(ids_[i]);
        return {};
    }

    Reading read_one(std::uint64_t id) const {
        if (id >= first_pseudo_id) {
            const auto index = pseudo_counters[id - first_pseudo_id].index;
            return {static_cast<std::int64_t>(read_pseudo_(index))};
        }
        const auto value = handle_->read(guest_values()[id]);
        if (!value) return {0, CounterState::absent};
        return {static_cast<std::int64_t>(*value)};
    }

    std::optional<GuestHandle> handle_;
    std::uint64_t (*read_pseudo_)(std::uint32_t);
    std::vector<std::uint64_t> ids_;
};

class VmwareComponent final : public session::Component {
  public:
    VmwareComponent(base::SysRoot root, Access access)
        : root_(std::move(root)), access_(std::move(access)) {}

    std::string_view name() const override { return "vmware"; }
    std::string_view description() const override {
        return "what VMware tells its guests: resources, stolen time, the host";
    }

    session::Availability availability() const override {
        if (auto here = check_hypervisor(); !here) return {false, here.error().what};
        const auto handle = GuestHandle::open(access_.library);
        const auto pseudo = check_pseudo();
        if (!handle && !pseudo) {
            return {false, fmt::format("{}; {}", handle.error().what, pseudo.error().what)};
        }
        std::vector<std::string> remarks;
        if (!handle) remarks.push_back(handle.error().what);
        if (!pseudo) remarks.push_back(pseudo.error().what);
        const auto pool = handle ? handle->resource_pool() : "";
        if (!pool.empty()) remarks.push_back("resource pool " + pool);
        return {true, fmt::format("{}", fmt::join(remarks, "; "))};
    }

    std::vector<ComponentEvent> events() const override {
        std::vector<ComponentEvent> all;
        if (!check_hypervisor()) return all;
        const auto handle = GuestHandle::open(access_.library);
        for (std::size_t i = 0; handle && i < guest_values().size(); ++i) {
            const auto& value = guest_values()[i];
            if (!handle->read(value)) continue;
            all.push_back({value.name, value.description, value.unit, value.level, i});
        }
        if (!check_pseudo()) return all;
        for (std::size_t i = 0; i < pseudo_counters.size(); ++i) {
            const auto& counter = pseudo_counters[i];
            all.push_back({std::string(counter.name), std::string(counter.description),
                           std::string(counter.unit), false, first_pseudo_id + i});
        }
        return all;
    }

    Result<ComponentEvent> find(std::string_view name) const override {
        if (auto here = check_hypervisor(); !here) return here.error();
        if (name.starts_with(papi_prefix)) name.remove_prefix(papi_prefix.size());
        const bool pseudo = std::any_of(pseudo_counters.begin(), pseudo_counters.end(),
                                        [&](const auto& counter) { return counter.name == name; });
        if (pseudo) {
            if (auto allowed = check_pseudo(); !allowed) return allowed.error();
        }
        return find_event(events(), "vmware", name);
    }

    Result<session::CountersPtr> open(std::span<const ComponentEvent> events,
                                      const SetOptions& options) const override {
        if (auto fits = refuse_parts_of_machine(options, "vmware"); !fits) return fits.error();
        const bool any_value = std::any_of(events.begin(), events.end(), [](const auto& event) {
            return event.id < first_pseudo_id;
        });
        std::optional<GuestHandle> handle;
        if (any_value) {
            auto opened = GuestHandle::open(access_.library);
            if (!opened) return opened.error();
            handle.emplace(std::move(*opened));
        }
        const auto read =
            access_.read_pseudo != nullptr ? access_.read_pseudo : read_pseudo_counter;
        return session::CountersPtr(
            std::make_unique<VmwareCounters>(events, std::move(handle), read));
    }

  private:
    Result<void> check_hypervisor() const {
        const auto hypervisor = platform::describe(root_).hypervisor;
        if (hypervisor.name == "vmware") return {};
        return base::fail(
            ErrorCode::unsupported,
            fmt::format("this machine is not a guest of VMware (hypervisor: {})", hypervisor.name));
    }

    Result<void> check_pseudo() const {
        if (std::getenv(pseudo_variable) == nullptr) {
            return base::fail(
                ErrorCode::unsupported,
                fmt::format("pseudo performance counters need {} to be set", pseudo_variable));
        }
        return access_.probe_pseudo != nullptr ? access_.probe_pseudo() : probe_pseudo_counters();
    }

    base::SysRoot root_;
    Access access_;
};

}  // namespace

session::ComponentPtr make(const base::SysRoot& root) {
    return make_with(root, {});
}

session::ComponentPtr make_with(const base::SysRoot& root, const Access& access) {
    return std::make_unique<VmwareComponent>(root, access);
}

}  // namespace ringside::components::vmware
