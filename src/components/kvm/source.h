// One value that the kvm component can give, wherever it comes from.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "components/number_file.h"
#include "session/component.h"

namespace ringside::components::kvm {

// Used by one thread at a time.
class Source {
  public:
    virtual ~Source() = default;
    // nullopt when it is gone.
    virtual std::optional<std::int64_t> read() = 0;
};
using SourcePtr = std::unique_ptr<Source>;

// An event, and the way to what it counts.
struct Offer {
    session::ComponentEvent event;
    std::function<Result<SourcePtr>()> open;
};

// The sum over some files of one number each, in units of `scale`.
class FilesSource final : public Source {
  public:
    explicit FilesSource(std::vector<NumberFile> files, std::int64_t scale = 1)
        : files_(std::move(files)), scale_(scale) {}

    std::optional<std::int64_t> read() override {
        std::int64_t sum = 0;
        for (auto& file : files_) {
            const auto value = file.read();
            if (!value) return std::nullopt;
            sum += static_cast<std::int64_t>(*value);
        }
        return sum * scale_;
    }

  private:
    std::vector<NumberFile> files_;
    std::int64_t scale_;
};

}  // namespace ringside::components::kvm
