// `ringside guest run --profile`: a profile of all that a test VM executes, from outside.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/scratch_dir.h"
#include "guest/box.h"
#include "record/soft_guest.h"
#include "report/guest/guest_profile_report.h"
#include "soft/guest_profile.h"

namespace ringside::cli {

struct GuestProfileChoice {
    std::string file;     // the recording; empty: no profile
    std::string period;   // instructions from sample to sample; empty: what is usual
    std::string summary;  // a JSON file besides, or empty
};

class GuestProfiling {
  public:
    static Result<GuestProfiling> make(const GuestProfileChoice& choice);

    // Has the box profiled, from the beginning of its command on; this object must outlive its run,
    // and stay where it is.
    void attach(guest::BoxRequest& request);

    // After the box ended, however it did: writes the recording, and says what is in it.
    Result<void> finish();

  private:
    GuestProfiling(GuestProfileChoice choice, std::uint64_t period, base::ScratchDir folder);
    // When the guest has said what its kernel is like.
    void begins(const std::string& why_not);
    void ends();
    Result<void> switch_on();
    std::string counts_folder() const { return folder_->path() / "counts"; }
    std::string kernel_folder() const { return folder_->path() / "kernel"; }
    record::GuestRecording recording(const soft::HostRate& rate) const;
    report::GuestProfileSummary summarize(const soft::CountFile& file,
                                          const soft::GuestProfile& profile);

    GuestProfileChoice choice_;
    std::uint64_t period_;
    std::optional<base::ScratchDir> folder_;
    std::string arch_;  // Debian's name
    bool share_root_ = false;
    std::vector<guest::Transfer> put_;
    std::optional<std::uint64_t> instructions_;  // when the command had ended
    std::uint64_t began_ns_ = 0;
    std::uint64_t began_ticks_ = 0;
    std::optional<Error> failure_;
    std::vector<std::string> notes_;
};

}  // namespace ringside::cli
