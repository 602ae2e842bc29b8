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

    // The guest's files land in `folder`, which is made then, in their places: "proc/kallsyms".
    // `known` is called once they have, or were refused.
    static Result<KernelPort> make(const fs::path& folder, Known known);

    Port port() const;
    // Calls take(); this object must outlive it. Once only.
    Stream stream();
    // Ours of the machine's end, when the machine has it.
    void hand_over() { machine_end_.reset(); }
    void take(std::string_view bytes);

  private:
    KernelPort(fs::path folder, Known known, base::Fd from, base::Fd answer, base::Fd machine_end)
        : folder_(std::move(folder)),
          known_(std::move(known)),
          from_(std::move(from)),
          answer_(std::move(answer)),
          machine_end_(std::move(machine_end)) {}
    std::string land() const;

    fs::path folder_;
    Known known_;
    base::Fd from_;
    base::Fd answer_;
    base::Fd machine_end_;
    std::string archive_;
    bool answered_ = false;
};

}  // namespace ringside::guest
