#include "components/infiniband/infiniband.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/error.h"
#include "base/text.h"
#include "components/device_kind.h"
#include "components/lookup.h"
#include "components/number_file.h"
#include "session/sampled_counters.h"

namespace ringside::components::infiniband {

namespace {

using session::ComponentEvent;

constexpr const char* devices_path = "/sys/class/infiniband";

struct CounterFacts {
    std::string name;
    int bits = 64;
    std::int64_t scale = 1;
    std::string unit;
    std::string description;
};

std::vector<CounterFacts> read_table() {
    const auto text = base::embedded_file("infiniband/counters.csv");
    RINGSIDE_ASSERT(text.has_value());
    std::vector<CounterFacts> table;
    for (const auto& row : base::parse_csv(*text)) {
        RINGSIDE_ASSERT(row.size() == 5);
        if (row[0] == "name") continue;
        table.push_back({row[0], static_cast<int>(base::parse_u64(row[1]).value_or(64)),
                         base::parse_i64(row[2]).value_or(1), row[3], row[4]});
    }
    return table;
}

CounterFacts facts_of(const std::string& name) {
    static const std::vector<CounterFacts> table = read_table();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const auto& facts) { return facts.name == name; });
    if (found != table.end()) return *found;
    return {name, 64, 1, "", "counted by the device"};
}

struct Counter {
    std::string prefix;  // "mlx5_0_1"
    std::string path;
    CounterFacts facts;
    Device device;

    std::string event_name() const { return prefix + ":" + facts.name; }
    ComponentEvent event() const {
        return {event_name(), fmt::format("{}; {}", facts.description, device.text()), facts.unit,
                false, 0};
    }
};

void add_folder(const base::SysRoot& root, const std::string& folder, const std::string& prefix,
                const Device& device, std::vector<Counter>& all) {
    for (const auto& name : root.list(folder).value_or({})) {
        if (name == "lifespan") continue;  // for how long the others are cached, in ms
        const auto path = folder + "/" + name;
        if (!NumberFile(root, path).read()) continue;
        all.push_back({prefix, path, facts_of(name), device});
    }
}

std::vector<Counter> list_counters(const base::SysRoot& root, std::optional<bool> virtualized) {
    std::vector<Counter> all;
    for (const auto& name : root.list(devices_path).value_or({})) {
        const auto path = fmt::format("{}/{}", devices_path, name);
        const Device device = identify_device(root, path, virtualized);
        for (const auto& port : root.list(path + "/ports").value_or({})) {
            const auto prefix = name + "_" + port;
            for (const char* folder : {"counters", "counters_ext", "hw_counters"}) {
                add_folder(root, fmt::format("{}/ports/{}/{}", path, port, folder), prefix, device,
                           all);
            }
        }
        add_folder(root, path + "/hw_counters", name, device, all);
    }
    return all;
}

// PAPI's "mlx5_0_1_ext:name" is our "mlx5_0_1:name".
std::string own_name(std::string_view name) {
    constexpr std::string_view suffix = "_ext";
    const auto colon = name.find(':');
    if (colon == std::string_view::npos || !name.substr(0, colon).ends_with(suffix)) {
        return std::string(name);
    }
    return std::string(name.substr(0, colon - suffix.size())) + std::string(name.substr(colon));
}

class InfinibandCounters final : public session::SampledCounters {
  public:
    InfinibandCounters(const base::SysRoot& root, std::span<const ComponentEvent> events,
                       std::vector<Counter> counters)
        : SampledCounters(events), counters_(std::move(counters)) {
        for (const auto& counter : counters_) files_.emplace_back(root, counter.path);
        saturated_.resize(counters_.size());
    }

    std::string explain(std::size_t index) const override {
        const Counter& counter = counters_[index];
        auto text = fmt::format("{} is {}", counter.prefix, counter.device.text());
        if (saturated_[index]) {
            text += fmt::format(
                "; the counter stands at the limit of its {} bits and counts no "
                "more until it is reset (perfquery -R)",
                counter.facts.bits);
        }
        return text;
    }

  private:
    Result<void> sample(std::span<Reading> out) override {
        for (std::size_t i = 0; i < files_.size(); ++i) {
            const auto value = files_[i].read();
            saturated_[i] = value && at_limit(*value, counters_[i].facts.bits);
            out[i].value = static_cast<std::int64_t>(value.value_or(0));
            if (!value) out[i].state = CounterState::absent;
            if (saturated_[i]) out[i].state = CounterState::implausible;
        }
        return {};
    }

    std::int64_t gained(std::size_t index, std::int64_t before, std::int64_t now) const override {
        const CounterFacts& facts = counters_[index].facts;
        return facts.scale * gained_with_wrap(facts.bits, before, now);
    }

    static bool at_limit(std::uint64_t value, int bits) {
        return bits < 64 && value == (std::uint64_t{1} << bits) - 1;
    }

    std::vector<Counter> counters_;
    std::vector<NumberFile> files_;
    std::vector<bool> saturated_;
};

class InfinibandComponent final : public session::Component {
  public:
    explicit InfinibandComponent(base::SysRoot root) : root_(std::move(root)) {}

    std::string_view name() const override { return "infiniband"; }
    std::string_view description() const override {
        return "InfiniBand and RDMA ports: the counters of the port and of the device";
    }

    session::Availability availability() const override {
        std::string kinds;
        for (const auto& name : root_.list(devices_path).value_or({})) {
            const auto device =
                identify_device(root_, fmt::format("{}/{}", devices_path, name), virtualized());
            kinds += fmt::format("{}{} is {}", kinds.empty() ? "" : "; ", name, device.text());
        }
        if (kinds.empty()) return {false, "there is no RDMA device under /sys/class/infiniband"};
        return {true, kinds};
    }

    std::vector<ComponentEvent> events() const override {
        std::vector<ComponentEvent> all;
        for (const auto& counter : list_counters(root_, virtualized())) {
            all.push_back(counter.event());
        }
        return all;
    }

    Result<ComponentEvent> find(std::string_view name) const override {
        return find_event(events(), "infiniband", own_name(name));
    }

    Result<session::CountersPtr> open(std::span<const ComponentEvent> events,
                                      const SetOptions& options) const override {
        if (auto fits = refuse_parts_of_machine(options, "infiniband"); !fits) return fits.error();
        const auto all = list_counters(root_, virtualized());
        std::vector<Counter> wanted;
        for (const auto& event : events) {
            const auto found = std::find_if(all.begin(), all.end(), [&](const auto& counter) {
                return counter.event_name() == event.name;
            });
            if (found == all.end()) {
                return base::fail(ErrorCode::not_found, "no event infiniband:::" + event.name);
            }
            wanted.push_back(*found);
        }
        return session::CountersPtr(
            std::make_unique<InfinibandCounters>(root_, events, std::move(wanted)));
    }

  private:
    std::optional<bool> virtualized() const { return is_guest_.get(root_); }

    base::SysRoot root_;
    GuestFact is_guest_;
};

}  // namespace

session::ComponentPtr make(const base::SysRoot& root) {
    return std::make_unique<InfinibandComponent>(root);
}

std::int64_t gained_with_wrap(int bits, std::int64_t before, std::int64_t now) {
    if (now >= before) return now - before;
    if (bits >= 63) return 0;
    const std::int64_t range = std::int64_t{1} << bits;
    const bool wrapped = before < range && before >= range - range / 4 && now < range / 4;
    return wrapped ? now + range - before : 0;
}

}  // namespace ringside::components::infiniband
