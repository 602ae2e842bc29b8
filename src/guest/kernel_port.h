// How a box says what its kernel is like before its command runs, and waits until we know: a port
// that carries an archive out and one line in. The archive is input; a guest that sends none is
// answered never, and times out.
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
    // Given why not all has landed; an empty text if it has.
    using Known = std::function<void(const std::string& why_not)>;

    // Makes its pipes in `directory`. The guest's files land in `folder`, which is made then, in
    // their places: "proc/kallsyms". `known` is called once they have, or were refused.
    static Result<KernelPort> make(const fs::path& directory, const fs::path& folder, Known known);

    Port port() const;
    // Calls take(); this object must outlive it.
    Result<Stream> stream();
    void take(std::string_view bytes);

  private:
    KernelPort(fs::path directory, fs::path folder, Known known, base::Fd answer)
        : directory_(std::move(directory)),
          folder_(std::move(folder)),
          known_(std::move(known)),
          answer_(std::move(answer)) {}
    std::string land() const;
    fs::path pipes() const { return directory_ / "port.kernel"; }

    fs::path directory_;
    fs::path folder_;
    Known known_;
    base::Fd answer_;
    std::string archive_;
    bool answered_ = false;
};

}  // namespace ringside::guest
