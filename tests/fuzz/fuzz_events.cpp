// Event names as typed, and the format and event files of a PMU under /sys, all from one input.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "base/text.h"
#include "events/parse.h"
#include "events/pmu.h"

namespace {

namespace fs = std::filesystem;

// A tree of this process's own with one PMU in it.
class Tree {
  public:
    Tree() {
        for (const auto* folder : {"format", "events"}) fs::create_directories(cpu() / folder);
        std::ofstream(cpu() / "type") << "4\n";
    }
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;
    ~Tree() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }
    fs::path cpu() const { return path_ / "sys/bus/event_source/devices/cpu"; }

  private:
    fs::path path_ = fs::temp_directory_path() / ("fuzz_events." + std::to_string(::getpid()));
};

const Tree& tree() {
    static const Tree made;
    return made;
}

void write(const char* file, std::string_view text) {
    std::ofstream(tree().cpu() / file) << text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto parts = ringside::base::split(input, '\n');
    write("format/event", parts[0]);
    write("events/alias", parts.size() > 1 ? parts[1] : "event=1");
    const ringside::base::SysRoot root(tree().path().string());
    for (const auto part : parts) {
        const auto event = ringside::events::parse_event(root, part);
        if (event && event->name.empty()) __builtin_trap();
    }
    for (const auto& event : ringside::events::pmu_events(root)) {
        if (event.code.type != 4) __builtin_trap();
    }
    return 0;
}
