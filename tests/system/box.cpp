#include "box.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

#include "base/sys_root.h"
#include "base/text.h"

namespace ringside::system_test {

namespace {

std::string slurp(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

BoxResult run_once(const std::vector<std::string>& arguments) {
    auto output = base::run(box_argv(arguments));
    if (!output) return {-1, "", output.error().what};
    return {output->status.shell_code(), std::move(output->stdout_text),
            std::move(output->stderr_text)};
}

bool on_path(const std::string& program) {
    const auto found = base::run({"which", program});
    return found && found->status.shell_code() == 0;
}

}  // namespace

std::vector<std::string> box_argv(const std::vector<std::string>& arguments) {
    std::vector<std::string> argv{"env", "RINGSIDE_BUILD=" RINGSIDE_BINARY_DIR,
                                  RINGSIDE_SOURCE_DIR "/testbed/box"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return argv;
}

BoxResult run_box(const std::vector<std::string>& arguments) {
    BoxResult result = run_once(arguments);
    return inner_did_not_boot(result.err) ? run_once(arguments) : result;
}

bool inner_did_not_boot(const std::string& said) {
    const auto says = [&](const char* words) { return said.find(words) != std::string::npos; };
    const bool did_not = says("while the kernel of the inner guest booted") &&
                         (says("hung and was killed") || says("Kernel panic"));
    if (did_not) {
        std::fprintf(stderr, "NOTE: tried again, since the inner guest did not boot: %s\n",
                     said.c_str());
    }
    return did_not;
}

std::string missing_for(const std::string& arch) {
    const std::string qemu = arch == "x86" ? "qemu-system-x86_64" : "qemu-system-aarch64";
    return on_path(qemu) ? "" : qemu + " is not installed";
}

std::string missing_arm64_build() {
    const fs::path build = RINGSIDE_SOURCE_DIR "/build/arm64/ringside";
    return fs::exists(build) ? "" : build.string() + " has not been built";
}

std::vector<SoftBox> soft_boxes() {
    return {{"x86-soft", "x86", RINGSIDE_BINARY_DIR},
            {"arm64-soft", "arm64", RINGSIDE_SOURCE_DIR "/build/arm64"}};
}

std::string missing_for(const SoftBox& box) {
    if (auto why = missing_for(std::string(box.arch)); !why.empty()) return why;
    if (box.arch == std::string("arm64")) return missing_arm64_build();
#ifdef __x86_64__
    return "";
#else
    return "its driver and programs are compiled for this machine's architecture and for arm64";
#endif
}

Scratch::Scratch() {
    std::string pattern = (fs::temp_directory_path() / "ringside-system-test.XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
}

Scratch::~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string Scratch::write(const std::string& name, const std::string& content,
                           unsigned mode) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    ::chmod((path_ / name).c_str(), mode);
    return file(name);
}

std::string Scratch::read(const std::string& name) const {
    return slurp(path_ / name);
}

std::vector<int> processes_with(const std::string& text) {
    std::vector<int> found;
    const base::SysRoot root;
    for (const auto& name : root.list("/proc").value_or({})) {
        const auto pid = base::parse_u64(name);
        if (!pid || static_cast<pid_t>(*pid) == ::getpid()) continue;
        const auto line = root.read("/proc/" + name + "/cmdline");
        if (line && base::contains(*line, text)) found.push_back(static_cast<int>(*pid));
    }
    return found;
}

}  // namespace ringside::system_test
