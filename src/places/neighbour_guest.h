// A second embedded guest, in which a program runs again and again while another guest is measured:
// two tenants of one machine.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include <ringside/result.h>

#include "base/fd.h"
#include "measure/side.h"
#include "measure/waiting.h"
#include "places/embedded_guest.h"

namespace ringside::places {

class NeighbourGuest {
  public:
    // `words` is the program with its arguments, blanks between.
    NeighbourGuest(std::string words, const GuestOptions& options, measure::ProgressFn progress);
    NeighbourGuest(const NeighbourGuest&) = delete;
    NeighbourGuest& operator=(const NeighbourGuest&) = delete;
    ~NeighbourGuest() { stop(); }

    // Boots the guest and returns when the program runs there.
    Result<void> start(const measure::StopSignals& signals);
    // Ends the guest. What is to be said if the program had ended by itself before.
    std::optional<std::string> stop();

  private:
    Result<void> prepare();
    void run();

    std::string words_;
    GuestOptions options_;
    measure::ProgressFn progress_;
    guest::BoxRequest request_;
    base::Fd cancel_;  // readable: the guest shall end
    base::Fd news_;    // readable: the program runs, or the guest has ended
    std::atomic<bool> ended_ = false;
    std::optional<Error> failure_;  // these two are the thread's until it has ended
    int exit_code_ = 0;
    std::thread thread_;
};

}  // namespace ringside::places
