// On the host, beside the guest that receives: what KVM did for it while its command ran, by the
// kvm component. Writes /tmp/exits.csv.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/sys_root.h"
#include "base/text.h"
#include "components/kvm/kvm.h"

namespace {

using namespace ringside;

const std::vector<std::string> wanted{"host:exits", "host:io_exits", "host:mmio_exits",
                                      "host:irq_injections", "host:tracepoint:kvm_exit"};

// The box writes a line there at each step of the inner guest.
bool reached(const char* step) {
    const auto text = base::SysRoot().read("/run/ringside/inner.status").value_or("");
    for (const auto line : base::split_lines(text)) {
        if (line.starts_with(step)) return true;
    }
    return false;
}

void wait_for(const char* step) {
    while (!reached(step)) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

Result<session::CountersPtr> open_counters(const session::Component& kvm) {
    std::vector<session::ComponentEvent> events;
    for (const auto& name : wanted) {
        auto event = kvm.find(name);
        if (!event) return event.error();
        events.push_back(std::move(*event));
    }
    return kvm.open(events, {});
}

}  // namespace

int main() {
    std::signal(SIGTERM, SIG_IGN);  // comes when the guest is gone, and by then we are done
    const auto kvm = components::kvm::make({});
    auto counters = open_counters(*kvm);
    if (!counters) {
        fmt::print(stderr, "exits: {}\n", counters.error().what);
        return 1;
    }
    std::ofstream("/run/ringside/ready").close();
    wait_for("command");
    std::vector<Reading> values(wanted.size());
    if (!(*counters)->start()) return 1;
    wait_for("exit");
    if (!(*counters)->stop() || !(*counters)->read(values)) return 1;
    std::ofstream out("/tmp/exits.csv");
    out << "event,count\n";
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        out << wanted[i] << "," << values[i].value << "\n";
    }
    return out.good() ? 0 : 1;
}
