#include "machine.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "base/process.h"
#include "base/text.h"

namespace ringside::hyp_test {

namespace {

namespace fs = std::filesystem;

constexpr const char* qemu = "qemu-system-aarch64";
constexpr const char* manifest_address = "0x40100000";
constexpr std::uint64_t first_memory = 0x42000000;
constexpr std::uint64_t memory_bytes = 0x400000;
constexpr std::uint64_t image_offset = 0x200000;

std::string hex(std::uint64_t value) {
    char text[20];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

std::string image(const std::string& name) {
    return RINGSIDE_HYP_IMAGES "/tests/" + name + ".bin";
}

std::vector<std::string> loader(const std::string& file, const std::string& address) {
    return {"-device", "loader,file=" + file + ",addr=" + address + ",force-raw=on"};
}

Outcome run_qemu(const std::string& machine, std::vector<std::string> more) {
    std::vector<std::string> argv{qemu,
                                  "-nodefaults",
                                  "-display",
                                  "none",
                                  "-no-reboot",
                                  "-serial",
                                  "stdio",
                                  "-machine",
                                  machine,
                                  "-cpu",
                                  "max,pauth=off,sve=off,sme=off",
                                  "-m",
                                  "256",
                                  "-icount",
                                  "shift=0,sleep=off"};
    argv.insert(argv.end(), more.begin(), more.end());
    const auto ran = base::run(argv, std::chrono::minutes(4));
    Outcome outcome;
    if (!ran) {
        outcome.lines.push_back(ran.error().what);
        return outcome;
    }
    for (const auto line : base::split_lines(ran->stdout_text)) {
        outcome.lines.emplace_back(base::trim_end(line));
    }
    return outcome;
}

Outcome run_hypervisor(const std::string& manifest, const std::vector<std::string>& more) {
    std::string pattern = (fs::temp_directory_path() / "ringside-hyp.XXXXXX").string();
    const int fd = ::mkstemp(pattern.data());
    if (fd < 0) std::abort();
    ::close(fd);
    std::ofstream(pattern, std::ios::binary) << manifest << '\0';
    std::vector<std::string> argv{"-kernel", RINGSIDE_HYP_IMAGES "/hyp.elf"};
    for (const auto& words : {loader(pattern, manifest_address), more}) {
        argv.insert(argv.end(), words.begin(), words.end());
    }
    auto outcome = run_qemu(
        "virt,virtualization=on,gic-version=3,its=off,highmem=off,dtb-randomness=off", argv);
    fs::remove(pattern);
    return outcome;
}

}  // namespace

std::string missing() {
    if (!fs::exists(RINGSIDE_HYP_IMAGES "/hyp.elf")) {
        return "the arm64 preset has not been built: " RINGSIDE_HYP_IMAGES "/hyp.elf";
    }
    const auto found = base::run({"which", qemu});
    return found && found->status.shell_code() == 0 ? "" : std::string(qemu) + " is not installed";
}

Outcome run_guests(const std::vector<GuestImage>& guests, const std::string& before) {
    std::string manifest = before;
    std::vector<std::string> argv;
    std::uint64_t base = first_memory;
    for (const auto& guest : guests) {
        manifest += "guest " + guest.image + "\nmemory " + hex(base) + " " + hex(memory_bytes) +
                    " at 0x40000000\nentry 0x40200000\n" + guest.statements;
        const auto words = loader(image(guest.image), hex(base + image_offset));
        argv.insert(argv.end(), words.begin(), words.end());
        base += memory_bytes;
    }
    return run_hypervisor(manifest, argv);
}

Outcome run_manifest(const std::string& manifest) {
    return run_hypervisor(manifest, {});
}

Outcome run_bare(const std::string& name) {
    return run_qemu("virt,gic-version=3",
                    {"-kernel", RINGSIDE_HYP_IMAGES "/tests/" + name + ".elf"});
}

std::vector<std::string> Outcome::said(const std::string& guest) const {
    const std::string start = "[" + guest + "] ";
    std::vector<std::string> found;
    for (const auto& line : lines) {
        if (line.starts_with(start)) found.push_back(line.substr(start.size()));
    }
    return found;
}

std::map<std::string, std::string> Outcome::record(const std::string& kind,
                                                   const std::vector<std::string>& with) const {
    for (const auto& line : lines) {
        const auto words = base::split_words(line);
        if (words.size() < 2 || words[0] != "hyp:" || words[1] != kind) continue;
        std::map<std::string, std::string> values;
        for (const auto word : words) {
            const auto equals = word.find('=');
            if (equals == std::string_view::npos) continue;
            values.emplace(word.substr(0, equals), word.substr(equals + 1));
        }
        bool matches = true;
        for (const auto& wanted : with) {
            const auto equals = wanted.find('=');
            const auto found = values.find(wanted.substr(0, equals));
            matches =
                matches && found != values.end() && found->second == wanted.substr(equals + 1);
        }
        if (matches) return values;
    }
    return {};
}

std::string Outcome::text() const {
    std::string all;
    for (const auto& line : lines) all += line + "\n";
    return all;
}

BoxResult run_box(const std::string& kind, const std::vector<std::string>& options,
                  const std::string& script) {
    std::vector<std::string> argv{RINGSIDE_COMMAND,    "guest", "run", kind, "--with-build",
                                  RINGSIDE_ARM64_BUILD};
    argv.insert(argv.end(), options.begin(), options.end());
    for (const auto* word : {"--", "sh", "-c"}) argv.emplace_back(word);
    argv.push_back(script);
    auto ran = base::run(argv);
    if (!ran) return {-1, "", ran.error().what};
    return {ran->status.shell_code(), std::move(ran->stdout_text), std::move(ran->stderr_text)};
}

}  // namespace ringside::hyp_test
