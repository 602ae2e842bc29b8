// Where the program of a comparison runs: this machine, a guest, a test VM, a machine that
// is reached by ssh. In each the same `ringside measure` runs, and its folder is brought here.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "base/outcome.h"
#include "measure/plan.h"
#include "measure/side.h"
#include "measure/waiting.h"
#include "places/embedded_guest.h"
#include "run/run.h"

namespace ringside::places {

using base::Outcome;
using measure::Plan;
using measure::ProgressFn;
using measure::StopSignals;

class Place {
  public:
    explicit Place(std::string name) : name_(std::move(name)) {}
    virtual ~Place() = default;

    // What its side is called.
    const std::string& name() const { return name_; }
    // Measures into `folder`, which must not exist. What was finished is there even if this fails;
    // `interrupted`, with the signal, if one came.
    virtual Outcome run(const Plan& plan, const std::string& folder) = 0;

  private:
    std::string name_;
};
using Places = std::vector<std::unique_ptr<Place>>;

struct PlaceAddress {
    enum class Kind { native, guest, box, ssh };

    std::string name;
    Kind kind = Kind::native;
    std::string where;   // the kind of the box, or USER@HOST
    bool inner = false;  // of a box: in the guest inside of it

    // "native", "guest", "ssh:USER@HOST", "box:KIND" or "box:KIND/inner".
    static Result<PlaceAddress> parse(std::string name, const std::string& text);
};

// What all places of a comparison share.
struct PlaceOptions {
    GuestOptions guest;
    ProgressFn progress;
};

// `stop` must live as long as the place.
std::unique_ptr<Place> make_place(const PlaceAddress& address, const PlaceOptions& options,
                                  const StopSignals& stop);

// Measures in one place after the other, each into a folder of its own below `folder`. A place that
// broke off counts with the runs it finished, and its side has a note; without any, that is the
// outcome. Else it is the first exit code that is not 0.
Outcome measure_all(const Places& places, const Plan& plan, const std::filesystem::path& folder,
                    std::vector<run::Side>& sides);

// As words of `ringside measure` at that place.
std::vector<std::string> measure_words(const std::string& program, const std::string& folder,
                                       const std::string& name, run::SideKind kind,
                                       const Plan& plan);
// Each argument in quotes, for the shell that ssh starts at the other end.
std::string quoted_for_shell(const std::vector<std::string>& words);
// `text` with nothing in it that a name of a file should not hold.
std::string plain_file(std::string_view text);

}  // namespace ringside::places
