// How tests use a test VM: through testbed/box, as a person would.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/process.h"

namespace ringside::system_test {

inline constexpr const char* ringside = RINGSIDE_BINARY_DIR "/ringside";

namespace fs = std::filesystem;

struct BoxResult {
    int exit_code = -1;
    std::string out;
    std::string err;
};

// testbed/box with these arguments, and the words that run it.
std::vector<std::string> box_argv(const std::vector<std::string>& arguments);
BoxResult run_box(const std::vector<std::string>& arguments);

// Why boxes for `arch` ("x86", "arm64") cannot run here; empty if they can.
std::string missing_for(const std::string& arch);

// Why there is no `ringside` to put into arm64 boxes; empty if there is one.
std::string missing_arm64_build();

// The machines with the soft PMU: for this architecture and for arm64.
struct SoftBox {
    const char* kind;
    const char* arch;
    std::string build;  // whose programs it runs

    friend void PrintTo(const SoftBox& box, std::ostream* out) { *out << box.kind; }
};
std::vector<SoftBox> soft_boxes();
// Why such a machine cannot run here, or its programs are missing; empty if it can.
std::string missing_for(const SoftBox& box);

// A directory of a test's own; removed with all in it.
class Scratch {
  public:
    Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch();

    const fs::path& path() const { return path_; }
    std::string file(const std::string& name) const { return (path_ / name).string(); }
    // Returns its path. An executable file when `mode` is 0755.
    std::string write(const std::string& name, const std::string& content,
                      unsigned mode = 0755) const;
    std::string read(const std::string& name) const;

  private:
    fs::path path_;
};

// Seen three times: an inner guest, whose KVM is emulated by QEMU, stood still before it executed
// anything of ours, or the emulated host's kernel found the stack of a vCPU's thread overwritten.
// What that spoiled is done again, and the check's summary counts it.
bool inner_did_not_boot(const std::string& said);

// Processes on this machine whose command line holds `text`.
std::vector<int> processes_with(const std::string& text);

}  // namespace ringside::system_test

#define REQUIRE_BOX(box)                                                          \
    if (const auto why = ::ringside::system_test::missing_for(box); !why.empty()) \
    GTEST_SKIP() << why
