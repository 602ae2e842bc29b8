// How tests run the hypervisor: guests in, lines of the console out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ringside::hyp_test {

// A bare-metal guest of hyp/tests.
struct GuestImage {
    std::string image;
    std::string statements = "";  // of the manifest: "policy legacy\nleads\n"
};

struct Outcome {
    std::vector<std::string> lines;  // of the console

    // What the guest of this name printed.
    std::vector<std::string> said(const std::string& guest) const;
    // The key=value words of the first "hyp: KIND ..." line that has all `with` words.
    std::map<std::string, std::string> record(const std::string& kind,
                                              const std::vector<std::string>& with = {}) const;
    std::string text() const;
};

// Why this cannot be run here; empty if it can.
std::string missing();

// Runs guests named after their images, each with 4 MiB of its own. `before` comes first in the
// manifest. Virtual time follows instructions, so that two runs are the same.
Outcome run_guests(const std::vector<GuestImage>& guests, const std::string& before = "");
// The hypervisor with a manifest as it stands, and no guest loaded.
Outcome run_manifest(const std::string& manifest);
// A guest on the bare machine, at EL1.
Outcome run_bare(const std::string& image);

struct BoxResult {
    int exit_code = -1;
    std::string out;
    std::string err;
};

// A shell's script in a test VM.
BoxResult run_box(const std::string& kind, const std::vector<std::string>& options,
                  const std::string& script);

}  // namespace ringside::hyp_test

#define REQUIRE_HYP() \
    if (const auto why = ::ringside::hyp_test::missing(); !why.empty()) GTEST_SKIP() << why
