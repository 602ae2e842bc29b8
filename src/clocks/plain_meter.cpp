#include "clocks/meter.h"

namespace ringside::clocks {

namespace {

class PlainMeter final : public Meter {
  public:
    PlainMeter(const base::SysRoot& root, const Subject& subject, Steal steal)
        : root_(root), subject_(subject), steal_(std::move(steal)) {
        start_ns_ = cpu_ns().value_or(0);
    }

    std::optional<Measured> read() override {
        const auto now_ns = cpu_ns();
        if (!now_ns) return std::nullopt;
        Measured measured;
        measured.cpu_ns = *now_ns - start_ns_;
        // Without steal, being charged for a CPU and holding it are the same.
        if (steal_.method == StealMethod::not_virtual) measured.occupied_ns = measured.cpu_ns;
        measured.steal = steal_;
        return measured;
    }

  private:
    std::optional<std::uint64_t> cpu_ns() const {
        const auto time = read_cpu_time(root_, subject_);
        if (!time) return std::nullopt;
        return time->ns;
    }

    base::SysRoot root_;
    Subject subject_;
    Steal steal_;
    std::uint64_t start_ns_ = 0;
};

}  // namespace

MeterPtr make_plain_meter(const base::SysRoot& root, const Subject& subject, Steal steal) {
    return std::make_unique<PlainMeter>(root, subject, std::move(steal));
}

}  // namespace ringside::clocks
