// How a box says what its kernel is like before its command runs, and waits until we know: a port
// that carries an archive out and one line in. The archive is input; a guest that sends none, or
// too much, is answered never, and times out.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <ringside/result.h>

#include "base/fd.h"
#include "guest/machine.h"
#include "guest/relay.h"

namespace ringside::guest {

class KernelPort {
  public:
    // Makes its pipes in `directory`. `known` is called with a folder there that holds the guest's
    // files in their places, as "proc/kallsyms"; an empty name if they could not be read.
    static Result<KernelPort> make(const fs::path& directory,
                                   std::function<void(const std::string& folder)> known);

    Port port() const;
    // Calls take(); this object must outlive it.
    Result<Stream> stream();
    void take(std::string_view bytes);

  private:
    KernelPort(fs::path directory, std::function<void(const std::string&)> known, base::Fd answer)
        : directory_(std::move(directory)), known_(std::move(known)), answer_(std::move(answer)) {}
    fs::path pipes() const { return directory_ / "port.kernel"; }

    fs::path directory_;
    std::function<void(const std::string&)> known_;
    base::Fd answer_;
    std::string archive_;
    bool answered_ = false;
};

}  // namespace ringside::guest
